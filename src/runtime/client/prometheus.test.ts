import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { checkedPrometheus, Prometheus } from "./prometheus.ts";

const NEVER = new AbortController().signal;

async function served(handler: RequestListener): Promise<Prometheus> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const prometheus = new Prometheus({ url: `http://127.0.0.1:${port}/tenant` }, systemClock);
  onTestFinished(async () => {
    await prometheus[Symbol.asyncDispose]();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return prometheus;
}

test("a query goes as a form to the path of the server, and the answer comes as it is, refusals too", async () => {
  let heard = "";
  const prometheus = await served((request, response) => {
    heard = `${request.method} ${request.url} `;
    request.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    request.on("end", () => response.writeHead(422).end("no"));
  });
  expect(await prometheus.query('sum(rate(x{a="b"}[5m])) > 0', NEVER)).toEqual({ status: 422, body: "no" });
  const [, , form] = heard.split(" ");
  expect(heard).toMatch(/^POST \/tenant\/api\/v1\/query /);
  expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
    query: 'sum(rate(x{a="b"}[5m])) > 0',
    timeout: "10s",
  });
});

test("a redirect is not followed", async () => {
  let calls = 0;
  const prometheus = await served((_, response) => {
    calls += 1;
    response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  });
  await expect(prometheus.query("up", NEVER)).rejects.toMatchObject({ reason: "Protocol" });
  expect(calls).toBe(1);
});

test("an answer without an end is broken off at one MiB", async () => {
  const prometheus = await served((_, response) => {
    response.writeHead(200);
    const more = (): void =>
      void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once("drain", more));
    more();
  });
  await expect(prometheus.query("up", NEVER)).rejects.toMatchObject({ reason: "TooLarge" });
});

test("the caller's signal ends a query", async () => {
  const end = new AbortController();
  const prometheus = await served(() => end.abort(new Error("enough")));
  await expect(prometheus.query("up", end.signal)).rejects.toThrow("enough");
});

test.each([
  ["http://prometheus.monitoring.svc:9090/", "http://prometheus.monitoring.svc:9090"],
  ["https://metrics.example.com/tenants/a", "https://metrics.example.com/tenants/a"],
])("the address %s is taken", (given, taken) => expect(checkedPrometheus(given)).toBe(taken));

test.each([
  "prometheus:9090",
  "ftp://prometheus",
  "https://user:word@prometheus",
  "https://prometheus/?x=1",
  "https://prometheus/#x",
  "http://169.254.169.254/",
  "http://[fe80::1]/",
])("the address %s is refused", (given) => expect(() => checkedPrometheus(given)).toThrow(/address/));
