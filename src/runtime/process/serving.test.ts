import { describe, expect, test } from "vitest";
import { type HttpServing, serveHttp } from "./serving.ts";

const failing: string[] = [];

function serve(
  metrics: () => Promise<{ contentType: string; body: string }> = async () => ({
    contentType: "text/plain; version=0.0.4",
    body: "up 1\n",
  }),
): Promise<HttpServing> {
  return serveHttp({ port: 0, host: "127.0.0.1", healthz: () => [], readyz: () => failing, metrics });
}

const ask = (server: HttpServing, path: string, init?: RequestInit): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}${path}`, init);

describe("the manager's HTTP server", () => {
  test.each([
    { path: "/healthz", status: 200, body: "ok" },
    { path: "/healthz?verbose", status: 200, body: "healthz check passed\n" },
    { path: "/metrics", status: 200, body: "up 1\n" },
    { path: "/elsewhere", status: 404, body: "not found\n" },
    { path: "//", status: 404, body: "not found\n" },
  ])("answers $path with $status", async ({ path, status, body }) => {
    await using server = await serve();
    const response = await ask(server, path);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(body);
  });

  test("hands other paths over, and keeps its own", async () => {
    const taken: string[] = [];
    await using server = await serveHttp({
      ...{ port: 0, host: "127.0.0.1", healthz: () => [], readyz: () => [] },
      metrics: async () => ({ contentType: "text/plain", body: "up 1\n" }),
      others({ url = "" }, response) {
        taken.push(url);
        if (url !== "/apis") return false;
        response.end("other");
        return true;
      },
    });
    const texts = ["/apis", "/healthz", "/elsewhere"].map(async (path) => (await ask(server, path)).text());
    expect(await Promise.all(texts)).toEqual(["other", "ok", "not found\n"]);
    expect(taken.toSorted()).toEqual(["/apis", "/elsewhere"]);
  });

  test("is not ready while a check fails, and names it", async () => {
    await using server = await serve();
    failing.push("informers: demoapplications not synced");
    const response = await ask(server, "/readyz");
    failing.pop();
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("[-] informers: demoapplications not synced");
    expect((await ask(server, "/readyz")).status).toBe(200);
  });

  test("refuses to be written to", async () => {
    await using server = await serve();
    const response = await ask(server, "/metrics", { method: "POST", body: "x" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });

  test("answers 500 when the metrics cannot be read", async () => {
    await using server = await serve(() => Promise.reject(new Error("registry is gone")));
    expect((await ask(server, "/metrics")).status).toBe(500);
  });

  test("answers the request under way before it closes, and none after", async () => {
    const { promise: scraping, resolve: started } = Promise.withResolvers<void>();
    const { promise: body, resolve: finish } = Promise.withResolvers<string>();
    const server = await serve(async () => {
      started();
      return { contentType: "text/plain", body: await body };
    });
    const response = ask(server, "/metrics");
    await scraping;
    const closed = server.close();
    finish("late 1\n");
    expect(await (await response).text()).toBe("late 1\n");
    await closed;
    await expect(ask(server, "/healthz")).rejects.toThrow();
  });

  test("rejects when the port is taken", async () => {
    await using server = await serve();
    await expect(
      serveHttp({
        port: server.port,
        host: "127.0.0.1",
        healthz: () => [],
        readyz: () => [],
        metrics: async () => ({ contentType: "", body: "" }),
      }),
    ).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
