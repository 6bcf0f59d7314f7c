import { describe, expect, test } from "vitest";
import { WentBackError } from "../informer/reflector.ts";
import { CONFIGMAPS } from "./resources.ts";
import { ServerHistory } from "./serverHistory.ts";
import type { FakeClient } from "../testing/fakeClient.ts";
import { broken, configMap } from "../testing/informerOfConfigMaps.ts";
import { reflect } from "../testing/reflecting.ts";

describe("a reflector of a server that goes back in time", () => {
  test("begins anew at once when the server comes back at an earlier version", async () => {
    const { server, events, contacts } = reflect();
    const restore = server.backup();
    server.create(CONFIGMAPS, configMap("a"));
    server.create(CONFIGMAPS, configMap("b"));
    await events(20_000);
    restore();
    server.create(CONFIGMAPS, configMap("c"));
    expect(await events(300)).toEqual(["SnapshotStarted", "Changed c", "SnapshotEnded at an earlier state"]);
    expect(contacts.some((contact) => contact instanceof WentBackError)).toBe(true);
  });

  test("begins anew when somebody else reads that the server is at an earlier version", async () => {
    const { client, server, events } = reflect();
    const restore = server.backup();
    server.create(CONFIGMAPS, configMap("a"));
    await events(20_000);
    const read = ServerHistory.of(client).expect();
    server.unseen(restore);
    expect(await events(10_000)).toEqual([]);
    read(server.version);
    expect(await events()).toEqual(["SnapshotStarted", "SnapshotEnded at an earlier state"]);
  });

  test("does not take an answer for old that was asked for before the latest event", async () => {
    const { client, server, events } = reflect();
    await events(20_000);
    const read = ServerHistory.of(client).expect();
    const { version } = server;
    server.create(CONFIGMAPS, configMap("a"));
    await events();
    read(version);
    expect(await events(1_000)).toEqual([]);
  });

  test("of an API with a history of its own does not begin anew for ever", async () => {
    const { client, server, events } = reflect((c) => c.server.create(CONFIGMAPS, configMap("a")));
    await events();
    for (let probe = 0; probe < 10; probe += 1) {
      ServerHistory.of(client).expect()("5");
      await events(5_000);
    }
    expect(server.watchers.size).toBe(1);
    expect(client.calls.length).toBeLessThanOrEqual(3);
  });

  test("begins anew when an event is older than one before", async () => {
    const { server, events } = reflect();
    await events();
    server.create(CONFIGMAPS, configMap("a"));
    server.inject({ type: "MODIFIED", object: { ...configMap("b"), metadata: { name: "b", resourceVersion: "3" } } });
    expect(await events()).toEqual(["Changed a", "SnapshotStarted", "Changed a", "SnapshotEnded at an earlier state"]);
  });

  /** What a server writes of its own while it starts: enough to be where it was before. */
  const catchUp = (client: FakeClient, version: string): void => {
    for (let index = 0; client.server.version < version; index += 1)
      client.server.create(CONFIGMAPS, configMap(`own-${index}`));
  };

  test("begins anew when the server has caught up, by the object that changed last", async () => {
    const { client, server, events, contacts } = reflect((c) => c.server.create(CONFIGMAPS, configMap("a")));
    await events(20_000);
    const restore = server.backup();
    server.merge(CONFIGMAPS, "ns", "a", { data: { value: "2" } });
    await events();
    const { version } = server;
    restore();
    catchUp(client, version);
    expect(await events(300)).toEqual([
      "SnapshotStarted",
      "Changed a",
      "Changed own-0",
      "SnapshotEnded at an earlier state",
    ]);
    expect(contacts.find((contact) => contact instanceof WentBackError)?.message).toBe(
      "the server has a at resourceVersion 101, and had it at 102 before",
    );
    expect(client.calls).toEqual(["watch configmaps", "watch configmaps", "list configmaps", "watch configmaps"]);
  });

  test("begins anew when an object is there again that was removed last", async () => {
    const { client, server, events, contacts } = reflect((c) => {
      c.server.create(CONFIGMAPS, configMap("a"));
      c.server.create(CONFIGMAPS, configMap("b"));
    });
    await events(20_000);
    const restore = server.backup();
    server.delete(CONFIGMAPS, "ns", "a");
    await events();
    const { version } = server;
    restore();
    catchUp(client, version);
    expect((await events(300)).at(-1)).toBe("SnapshotEnded at an earlier state");
    expect(contacts.find((contact) => contact instanceof WentBackError)?.message).toBe(
      "the server has a at resourceVersion 101, and removed it at 103 before",
    );
  });

  test("reads anew when the object that changed last is not there, which may be a deletion or a loss", async () => {
    const { client, server, events } = reflect();
    await events(20_000);
    const restore = server.backup();
    server.create(CONFIGMAPS, configMap("lost"));
    await events();
    const { version } = server;
    restore();
    catchUp(client, version);
    expect(await events(300)).toEqual(["SnapshotStarted", "Changed own-0", "SnapshotEnded"]);
  });

  test("goes on where it was when the server has what changed last, removed or not", async () => {
    const { client, server, events } = reflect((c) => {
      c.server.create(CONFIGMAPS, configMap("a"));
      // Later than a, though it comes first in the list of no order.
      c.server.create(CONFIGMAPS, configMap("b"));
    });
    const lists: unknown[] = [];
    client.gate = ({ verb, phase, options }) => {
      if (verb === "list" && phase === "before") lists.push(options);
    };
    await events(20_000);
    const drop = async (): Promise<string[]> => (server.dropWatches(broken()), events(20_000));
    expect(await drop()).toEqual([]);
    server.merge(CONFIGMAPS, "ns", "a", { data: { value: "2" } });
    await events();
    expect(await drop()).toEqual([]);
    server.delete(CONFIGMAPS, "ns", "b");
    await events();
    expect(await drop()).toEqual([]);
    expect(lists).toMatchObject(
      ["b", "a", "a", "b"].map((name) => ({ namespace: "ns", fieldSelector: `metadata.name=${name}`, limit: 1 })),
    );
  });

  test("reads anew when the object that changed last was removed, and others are there", async () => {
    const { server, events } = reflect((c) => {
      c.server.create(CONFIGMAPS, configMap("a"));
      c.server.create(CONFIGMAPS, configMap("b"));
    });
    await events(20_000);
    server.delete(CONFIGMAPS, "ns", "b");
    await events();
    server.dropWatches(broken());
    expect(await events(300)).toEqual(["SnapshotStarted", "Changed a", "SnapshotEnded"]);
  });

  test("asks for a strange name within the selection's own fields", async () => {
    const { client, server, events } = reflect((c) => c.server.create(CONFIGMAPS, configMap("a,b=c")), {
      fieldSelector: "type!=x",
    });
    const selectors: unknown[] = [];
    client.gate = ({ verb, phase, options }) => {
      if (verb === "list" && phase === "before") selectors.push((options as { fieldSelector?: string }).fieldSelector);
    };
    await events(20_000);
    server.dropWatches(broken());
    await events(300);
    expect(selectors[0]).toBe(String.raw`type!=x,metadata.name=a\,b\=c`);
  });

  test("tells all who follow the server", async () => {
    const { client, server, events } = reflect((c) => c.server.create(CONFIGMAPS, configMap("a")));
    await events(20_000);
    const restore = server.backup();
    server.merge(CONFIGMAPS, "ns", "a", { data: { value: "2" } });
    await events();
    const { version } = server;
    const told: string[] = [];
    using _follower = ServerHistory.of(client).follow({ highest: undefined, doubt: (why) => void told.push(why) });
    restore();
    catchUp(client, version);
    await events(300);
    expect(told).toEqual(["the server has a at resourceVersion 101, and had it at 102 before"]);
  });
});
