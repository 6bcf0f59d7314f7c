import { describe, expect, test } from "vitest";
import { CONFIGMAPS } from "./resources.ts";
import { serving } from "../testing/serving.ts";
import { sendJson, sendStatus } from "../testing/testServer.ts";
import type { WatchEvent } from "../types.ts";

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

  describe("with versions that are known already", () => {
    type Sent = { type: string; object: unknown };
    const object = (version: string, more: object = {}) => ({
      metadata: { labels: {}, name: "a", namespace: "shop", resourceVersion: version, ...more },
      data: { note: 'says "resourceVersion":"8"' },
    });

    /** What a reader that knows the versions 7 and 8 makes of that event. */
    async function read(sent: Sent, known = new Set(["7", "8"])): Promise<WatchEvent | undefined> {
      const { client } = await serving((_request, response) => response.end(`${JSON.stringify(sent)}\n`));
      const [event] = await collect(client.watch(CONFIGMAPS, { known }));
      return event;
    }

    test.each(["ADDED", "MODIFIED"])("%s is a bookmark where it brings one of them", async (type) => {
      expect(await read({ type, object: object("7") })).toEqual({
        type: "BOOKMARK",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "", resourceVersion: "7" } },
      });
    });

    test.each<[string, Sent]>([
      ["brings another version", { type: "MODIFIED", object: object("9") }],
      ["brings a version that begins with one", { type: "MODIFIED", object: object("77") }],
      ["deletes the object", { type: "DELETED", object: object("7") }],
      ["has a label of that name", { type: "MODIFIED", object: object("9", { labels: { resourceVersion: "7" } }) }],
      [
        "has a version that another key of that name precedes",
        { type: "MODIFIED", object: object("7", { labels: { resourceVersion: "9" } }) },
      ],
      ["has no version", { type: "MODIFIED", object: { metadata: { name: "a" } } }],
    ])("an event is itself where it %s", async (_, sent) => {
      expect(await read(sent)).toMatchObject({ type: sent.type, object: { metadata: { name: "a" } } });
    });

    test("an event is itself while none is known", async () => {
      expect(await read({ type: "MODIFIED", object: object("7") }, new Set())).toMatchObject({ type: "MODIFIED" });
    });
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
