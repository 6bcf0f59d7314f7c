import { describe, expect, test } from "vitest";
import { CONFIGMAPS } from "./resources.ts";
import { serving } from "./testing/serving.ts";
import { sendJson, sendStatus } from "./testing/testServer.ts";
import type { WatchEvent } from "./types.ts";

async function collect(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const all: WatchEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("watch", () => {
  const added = (name: string): string => `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;

  test("gives typed events, however they are cut, and ends when the server ends it", async () => {
    const text =
      added("größe") +
      `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } })}\n` +
      `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } })}\n`;
    const bytes = Buffer.from(text);
    const { server, client } = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const middle = bytes.indexOf(0xb6);
      response.write(bytes.subarray(0, middle), () => response.end(bytes.subarray(middle)));
    });
    const events = await collect(
      client.watch(CONFIGMAPS, { namespace: "shop", resourceVersion: "5", allowWatchBookmarks: true }),
    );
    expect(events).toMatchObject([
      { type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "größe" } } },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
      { type: "ERROR", status: { code: 410, reason: "Expired", message: "too old" } },
    ]);
    expect(server.requests[0]?.path).toBe(
      "/api/v1/namespaces/shop/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true",
    );
  });

  test("a refusal is an ApiError", async () => {
    const { client } = await serving((_request, response) => sendStatus(response, 403, "Forbidden", "not you"));
    await expect(collect(client.watch(CONFIGMAPS))).rejects.toMatchObject({ status: 403, message: "not you" });
  });

  test("a connection that breaks off is an error, not an end", async () => {
    const { server, client } = await serving((_request, response) => {
      response.write(added("a"), () => server.sever());
    });
    const events = client.watch(CONFIGMAPS)[Symbol.asyncIterator]();
    await expect(events.next()).resolves.toMatchObject({ value: { type: "ADDED" } });
    await expect(events.next()).rejects.toMatchObject({ name: "TransportError", reason: "ConnectionReset" });
  });

  test("an end in the middle of an event is an error", async () => {
    const { client } = await serving((_request, response) => response.end(added("a") + '{"type":"ADD'));
    await expect(collect(client.watch(CONFIGMAPS))).rejects.toMatchObject({ reason: "ConnectionReset" });
  });

  test("disposing ends a reader that waits, and closes the stream at the server", async () => {
    let closed: (() => void) | undefined;
    const closedAtServer = new Promise<void>((resolve) => (closed = resolve));
    const { client } = await serving((_request, response) => {
      response.on("close", () => closed?.());
      response.write(added("a"));
    });
    const watch = client.watch(CONFIGMAPS);
    const events = watch[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    await watch[Symbol.asyncDispose]();
    await expect(waiting).resolves.toEqual({ done: true, value: undefined });
    await closedAtServer;
  });

  test("the signal's reason ends it with an error", async () => {
    const { client } = await serving((_request, response) => void response.write(added("a")));
    const controller = new AbortController();
    const reason = new Error("the session is over");
    const events = client.watch(CONFIGMAPS, { signal: controller.signal })[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test("150 watches do not keep a request waiting", async () => {
    const { client } = await serving((request, response) => {
      if (request.path.includes("watch=true")) response.write(added("a"));
      else sendJson(response, { metadata: { name: "a" } });
    });
    const watches = Array.from({ length: 150 }, () => client.watch(CONFIGMAPS));
    await Promise.all(watches.map((watch) => watch[Symbol.asyncIterator]().next()));
    await expect(client.get(CONFIGMAPS, "shop", "a")).resolves.toMatchObject({ metadata: { name: "a" } });
  });
});
