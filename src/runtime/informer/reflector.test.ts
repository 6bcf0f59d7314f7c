import { describe, expect, test } from "vitest";
import { createLogger } from "../../observability/index.ts";
import { ApiError, TransportError } from "../core/errors.ts";
import { Reflector } from "./reflector.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import { FakeClient } from "../testing/fakeClient.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { broken, configMap } from "../testing/informerOfConfigMaps.ts";
import { reflect, textOf } from "../testing/reflecting.ts";

describe("a reflector", () => {
  test("begins with a watch-list and goes on in the same stream", async () => {
    const { client, server, events, watches } = reflect((c) => c.server.create(CONFIGMAPS, configMap("a")));
    expect(await events()).toEqual(["SnapshotStarted", "Changed a", "SnapshotEnded"]);
    server.create(CONFIGMAPS, configMap("b"));
    server.delete(CONFIGMAPS, "ns", "a");
    server.bookmark();
    expect(await events()).toEqual(["Changed b", "Deleted a", "Progressed"]);
    expect(client.calls).toEqual(["watch configmaps"]);
    expect(watches[0]).toMatchObject({
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    });
    expect(watches[0]?.timeoutSeconds).toBeGreaterThanOrEqual(300);
  });

  test.each([400, 403, 422] as const)("lists in pages where the watch-list is refused with %i", async (status) => {
    const { client, events, watches } = reflect((c) => {
      c.server.watchList = status;
      for (let n = 0; n < 501; n += 1) c.server.create(CONFIGMAPS, configMap(`c${n}`));
    });
    expect(await events()).toHaveLength(503);
    expect(client.calls).toEqual(["watch configmaps", "list configmaps", "list configmaps", "watch configmaps"]);
    expect(watches[1]?.resourceVersion).toBe(client.server.version);
    client.server.create(CONFIGMAPS, configMap("late"));
    expect(await events()).toEqual(["Changed late"]);
  });

  test("lists in pages where the watch-list is taken for an ordinary watch", async () => {
    const { client, events } = reflect((c) => {
      c.server.watchList = "ignores";
      c.server.create(CONFIGMAPS, configMap("a"));
    });
    expect(await events(29_999)).toEqual(["SnapshotStarted", "Changed a"]);
    expect(await events(1)).toEqual(["SnapshotStarted", "Changed a", "SnapshotEnded"]);
    expect(client.calls).toEqual(["watch configmaps", "list configmaps", "watch configmaps"]);
  });

  test("resumes where it was after the server ended the stream", async () => {
    const { client, server, events, contacts } = reflect();
    await events(20_000);
    server.bookmark();
    server.dropWatches();
    server.create(CONFIGMAPS, configMap("a"));
    expect(await events()).toEqual(["Progressed", "Changed a"]);
    expect(client.calls).toEqual(["watch configmaps", "watch configmaps", "list configmaps"]);
    expect(contacts.every((contact) => contact === true)).toBe(true);
  });

  test("resumes after a broken connection, reports both, and misses nothing", async () => {
    const { client, server, events, contacts } = reflect();
    await events(20_000);
    const error = broken();
    server.dropWatches(error);
    server.create(CONFIGMAPS, configMap("a"));
    expect(await events(249)).toEqual([]);
    expect(contacts.at(-1)).toBe(error);
    expect(await events(1)).toEqual(["Changed a"]);
    expect(contacts.at(-1)).toBe(true);
    // Once the place is taken up again: has the server come so far?
    expect(client.calls).toEqual(["watch configmaps", "watch configmaps", "list configmaps"]);
  });

  test("counts a stream that opened as contact, though nothing happens in it", async () => {
    const { server, events, contacts } = reflect();
    await events(20_000);
    server.dropWatches(broken());
    await events(300);
    expect(contacts.at(-1)).toBe(true);
  });

  test("begins anew when its place in the history is gone", async () => {
    const { server, events, contacts } = reflect();
    server.create(CONFIGMAPS, configMap("a"));
    await events(20_000);
    server.create(CONFIGMAPS, configMap("b"));
    server.delete(CONFIGMAPS, "ns", "a");
    server.compact();
    await events();
    server.dropWatches(broken());
    server.create(CONFIGMAPS, configMap("c"));
    server.compact();
    expect(await events(1_000)).toEqual(["SnapshotStarted", "Changed b", "Changed c", "SnapshotEnded"]);
    expect(contacts.at(-1)).toBe(true);
  });

  test("begins anew after an HTTP 410", async () => {
    let gone = true;
    const { client, server, events } = reflect();
    await events(20_000);
    client.gate = ({ verb, phase }) => {
      if (verb === "watch" && phase === "before" && gone) {
        gone = false;
        throw new ApiError(410, "Expired", "too old resource version");
      }
    };
    server.dropWatches();
    expect(await events(1_000)).toEqual(["SnapshotStarted", "SnapshotEnded"]);
  });

  test("asks less and less often while the server is away, and is back at once when somebody says that it is there", async () => {
    let away = true;
    const { client, reflector, events } = reflect((c) => {
      c.gate = () => {
        if (away) throw new TransportError("ConnectionRefused", "connection refused");
      };
    });
    await events(120_000);
    const tries = client.calls.length;
    expect(tries).toBeGreaterThan(8);
    expect(tries).toBeLessThan(20);
    away = false;
    expect(await events(10)).toEqual([]);
    reflector.retryNow();
    expect(await events()).toEqual(["SnapshotStarted", "SnapshotEnded"]);
  });

  test("stays away for as long as the server asks", async () => {
    let busy = true;
    const { events } = reflect((c) => {
      c.gate = () => {
        if (busy) throw new ApiError(429, "TooManyRequests", "later", { retryAfterMs: 7_000 });
      };
    });
    await events();
    busy = false;
    expect(await events(6_900)).toEqual([]);
    expect(await events(200)).toEqual(["SnapshotStarted", "SnapshotEnded"]);
  });

  test("leaves a connection that says nothing for 90 s", async () => {
    const { client, server, events, contacts } = reflect();
    await events(60_000);
    server.bookmark();
    await events(89_000);
    expect(client.calls).toHaveLength(1);
    await events(1_500);
    expect(client.calls).toEqual(["watch configmaps", "watch configmaps", "list configmaps"]);
    // Kinds of which a server has seen no event send no bookmarks: silence alone is no loss of contact.
    expect(contacts.every((contact) => contact === true)).toBe(true);
  });

  test("begins anew after a pause in which a new list was asked for", async () => {
    const { reflector, server, events } = reflect();
    await events(20_000);
    server.dropWatches(broken());
    await events();
    reflector.relist();
    expect(await events(300)).toEqual(["SnapshotStarted", "SnapshotEnded"]);
  });

  test("does not storm a server that ends each stream at once", async () => {
    const { client, server, events, watches } = reflect();
    await events(20_000);
    client.gate = ({ verb, phase, options }) => {
      if (verb === "watch" && phase === "before") watches.push(options);
      if (verb === "watch" && phase === "after") queueMicrotask(() => server.dropWatches());
    };
    server.dropWatches();
    await events(60_000);
    expect(watches.length).toBeLessThan(20);
  });

  test("reads no more of initial events without an end than it may, and is slow to try again", async () => {
    const { clock, client, watches, contacts, events } = reflect(
      (c) => {
        c.server.watchList = "ignores";
        for (let n = 0; n < 11; n += 1) c.server.create(CONFIGMAPS, configMap(`c${n}`));
      },
      { bounds: { objects: 10, bytes: 1 << 20 } },
    );
    expect(await events()).toHaveLength(11);
    expect(contacts.at(-1)).toMatchObject({
      reason: "TooLarge",
      endpoint: "GET /api/v1/configmaps",
    });
    await events(29_000);
    expect(watches).toHaveLength(1);
    await events(2_000);
    expect(watches).toHaveLength(2);
    client.server.delete(CONFIGMAPS, "ns", "c0");
    client.server.watchList = "served";
    expect(await events(120_000)).toHaveLength(12);
    expect(clock.pending).toBeGreaterThan(0);
  });

  test("does not wait for the end of initial events for ever", async () => {
    const { client, server, events } = reflect((c) => (c.server.watchList = "ignores"));
    for (let n = 0; n < 32; n += 1) {
      server.create(CONFIGMAPS, configMap(`c${n}`));
      await events(10_000);
    }
    expect(client.calls).toContain("list configmaps");
  });

  test("ends when its signal is aborted, and leaves neither watch nor timer", async () => {
    const { clock, server, events, stop } = reflect();
    await events();
    expect(server.watchers.size).toBe(1);
    await stop();
    expect(server.watchers.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("a new run knows nothing of the versions of the last one", async () => {
    const clock = new FakeClock();
    const client = new FakeClient();
    const reflector = new Reflector({ client, type: CONFIGMAPS, clock, logger: createLogger({ level: "silent" }) });
    for (let run = 0; run < 2; run += 1) {
      const first: string[] = [];
      for await (const event of reflector.watch(new AbortController().signal)) {
        first.push(textOf(event));
        if (event.type === "SnapshotEnded") break;
      }
      expect(first).toEqual(["SnapshotStarted", "SnapshotEnded"]);
    }
    expect(client.server.watchers.size).toBe(0);
  });
});
