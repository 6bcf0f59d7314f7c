import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DashboardFiles } from "./serve.ts";

let server: Server;
let folder: string;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  await writeFile(join(folder, "index.html"), "<!doctype html>");
  await writeFile(join(folder, "dashboard-AB12.js"), "1");
  await writeFile(join(folder, "secret.txt"), "not of the page");
  const files = await DashboardFiles.load(folder);
  server = createServer((request, response) => {
    if (!files.handle(request, response)) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const ask = (path: string, method = "GET") => fetch(`${address}${path}`, { method, redirect: "manual" });

describe("DashboardFiles", () => {
  test.each([
    { path: "/dashboard/", code: 200, type: "text/html; charset=utf-8", cache: "no-cache" },
    { path: "/dashboard/?x=1", code: 200, type: "text/html; charset=utf-8", cache: "no-cache" },
    {
      path: "/dashboard/dashboard-AB12.js",
      code: 200,
      type: "text/javascript; charset=utf-8",
      cache: "public, max-age=31536000, immutable",
    },
    { path: "/dashboard/secret.txt", code: 404, type: "text/plain; charset=utf-8", cache: "no-store" },
    { path: "/dashboard/..%2fpackage.json", code: 404, type: "text/plain; charset=utf-8", cache: "no-store" },
    { path: "/dashboard", code: 308, type: "text/plain; charset=utf-8", cache: "no-store" },
  ])("answers $path with $code and its headers", async ({ path, code, type, cache }) => {
    const { status, headers } = await ask(path);
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([code, type, cache]);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    );
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
  });

  test("sends a reader on by a relative address, which a proxy in between does not break", async () => {
    expect((await ask("/dashboard")).headers.get("location")).toBe("dashboard/");
  });

  test("answers HEAD without a body", async () => {
    const response = await ask("/dashboard/", "HEAD");
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, "15", ""]);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("refuses %s", async (method) => {
    const { status, headers } = await ask("/dashboard/", method);
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test.each(["/", "/metrics", "/dashboards", "/apis"])("leaves %s to others", async (path) => {
    expect((await ask(path)).status).toBe(418);
  });

  test("does not start without the page", async () => {
    const empty = await mkdtemp(join(tmpdir(), "dashboard-"));
    await expect(DashboardFiles.load(empty)).rejects.toThrow("npm run build");
    await rm(empty, { recursive: true });
  });
});
