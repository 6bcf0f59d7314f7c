import { describe, expect, test } from "vitest";
import { CONFIGMAPS } from "../client/resources.ts";
import type { FakeClient } from "../testing/fakeClient.ts";
import { broken, configMap, keep, LABELS, startInformer } from "../testing/informerOfConfigMaps.ts";

describe("an informer", () => {
  test("holds what the server holds, and hands on every change in order", async () => {
    const { server, informer, events, stop } = startInformer({ objects: 1 });
    expect(informer.synced).toBe(false);
    expect(await events()).toEqual(["Added ns/c0 (initial)"]);
    expect(informer.synced).toBe(true);
    server.create(CONFIGMAPS, configMap("b"));
    server.merge(CONFIGMAPS, "ns", "b", { data: { value: "2" } });
    server.delete(CONFIGMAPS, "ns", "c0");
    expect(await events()).toEqual(["Added ns/b", "Updated ns/b", "Deleted ns/c0"]);
    expect(informer.list()).toMatchObject([{ name: "b", value: "2" }]);
    expect(informer.get("ns/c0")).toBeUndefined();
    expect(Object.isFrozen(informer.get("ns/b"))).toBe(true);
    await stop();
  });

  test("finds objects by index, and forgets values that nothing has any more", async () => {
    const { server, informer, events, stop } = startInformer({ objects: 2 });
    await events();
    expect(informer.byIndex("value", "1").map(({ name }) => name)).toEqual(["c0", "c1"]);
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } });
    server.delete(CONFIGMAPS, "ns", "c1");
    await events();
    expect(informer.byIndex("value", "1")).toEqual([]);
    expect(informer.keysByIndex("value", "2")).toEqual(["ns/c0"]);
    expect(() => informer.byIndex("colour", "red")).toThrow("no index colour");
    await stop();
  });

  test("takes another life of an object for a deletion and an addition", async () => {
    const { server, events, relist, stop } = startInformer({ objects: 1 });
    await events();
    server.delete(CONFIGMAPS, "ns", "c0");
    server.create(CONFIGMAPS, configMap("c0"));
    await relist();
    expect(await events()).toEqual(["Deleted ns/c0", "Added ns/c0"]);
    await stop();
  });

  test("drops what leaves its selection", async () => {
    const { server, events, stop } = startInformer({ objects: 1 });
    await events();
    server.merge(CONFIGMAPS, "ns", "c0", { metadata: { labels: { managed: "no" } } });
    expect(await events()).toEqual(["Deleted ns/c0"]);
    server.merge(CONFIGMAPS, "ns", "c0", { metadata: { labels: LABELS } });
    expect(await events()).toEqual(["Added ns/c0"]);
    await stop();
  });

  test("gives a late handler what is there, and a disposed one nothing", async () => {
    const { server, informer, events, stop } = startInformer({ objects: 1 });
    await events();
    const late: string[] = [];
    const subscription = informer.onEvent(({ type, key, initial }) => void late.push(`${type} ${key} ${initial}`));
    expect(late).toEqual(["Added ns/c0 true"]);
    subscription[Symbol.dispose]();
    server.delete(CONFIGMAPS, "ns", "c0");
    await events();
    expect(late).toHaveLength(1);
    await stop();
  });

  test("a handler that fails, or that changes the store, disturbs neither the others nor the order", async () => {
    const { server, informer, events, stop } = startInformer();
    await events();
    informer.onEvent(({ object }) => {
      if (object.value === "1") informer.observe(server.merge(CONFIGMAPS, "ns", object.name, { data: { value: "2" } }));
      throw new Error("broken handler");
    });
    const last: string[] = [];
    informer.onEvent(({ object }) => void last.push(object.value));
    server.create(CONFIGMAPS, configMap("a"));
    await events();
    expect(last).toEqual(["1", "2"]);
    await stop();
  });

  test("keeps the last readable state of an object that cannot be read any more", async () => {
    const { server, informer, events, stop } = startInformer({
      objects: 1,
      transform: (object) => {
        const kept = keep(object);
        if (kept.value === "bad") throw new Error("unreadable");
        return kept;
      },
    });
    await events();
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "bad" } });
    await events();
    expect(informer.get("ns/c0")?.value).toBe("1");
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "3" } });
    await events();
    expect(informer.get("ns/c0")?.value).toBe("3");
    await stop();
  });

  test("waits for its first snapshot, or for the signal", async () => {
    const { informer, events, stop } = startInformer();
    await expect(informer.waitForSync(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    const abort = new AbortController();
    const waiting = informer.waitForSync(abort.signal);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await events();
    await informer.waitForSync();
    await stop();
  });
});

describe("a relist that misses most objects (safety rule 2)", () => {
  const vanish = (server: FakeClient["server"], from: number, to: number): void => {
    for (let n = from; n < to; n += 1) server.delete(CONFIGMAPS, "ns", `c${n}`);
  };

  test.each([
    { name: "9 of 9 vanish", objects: 9, gone: 9, holds: false },
    { name: "10 of 10 vanish", objects: 10, gone: 10, holds: true },
    { name: "10 of 20 vanish", objects: 20, gone: 10, holds: false },
    { name: "11 of 20 vanish", objects: 20, gone: 11, holds: true },
  ])("$name: held is $holds", async ({ objects, gone, holds }) => {
    const { server, informer, held, events, relist, stop } = startInformer({ objects });
    await events();
    server.dropWatches(broken());
    vanish(server, 0, gone);
    await relist();
    expect(informer.deletionsHeld).toBe(holds);
    expect(informer.size).toBe(holds ? objects : objects - gone);
    expect(held).toEqual(holds ? [{ held: true, vanished: gone, known: objects }] : []);
    await stop();
  });

  test("deletes once a second, consistent read agrees", async () => {
    const { client, server, informer, held, events, relist, stop } = startInformer({ objects: 12 });
    await events();
    server.dropWatches(broken());
    vanish(server, 0, 12);
    await relist();
    expect(await events()).toEqual([]);
    client.calls.length = 0;
    expect(await events(2_000)).toHaveLength(12);
    expect(client.calls).toEqual(["list configmaps"]);
    expect(informer.size).toBe(0);
    expect(held.at(-1)).toMatchObject({ held: false, vanished: 12 });
    await stop();
  });

  test("deletes nothing when the second read shows the objects again", async () => {
    const { server, informer, held, events, relist, stop } = startInformer({ objects: 12 });
    await events();
    const restore = server.backup();
    server.dropWatches(broken());
    vanish(server, 0, 12);
    await relist();
    expect(informer.deletionsHeld).toBe(true);
    restore();
    await events(40_000);
    expect(informer.deletionsHeld).toBe(false);
    expect(informer.size).toBe(12);
    expect(held.at(-1)).toMatchObject({ held: false, vanished: 0 });
    server.create(CONFIGMAPS, configMap("new"));
    expect(await events(1_000)).toContain("Added ns/new");
    await stop();
  });

  test("keeps holding while the second read fails, and lets everything else flow", async () => {
    const { client, server, informer, events, relist, stop } = startInformer({ objects: 12 });
    await events();
    server.dropWatches(broken());
    vanish(server, 0, 11);
    await relist();
    client.gate = ({ verb }) => {
      if (verb === "list") throw broken();
    };
    server.merge(CONFIGMAPS, "ns", "c11", { data: { value: "2" } });
    server.create(CONFIGMAPS, configMap("c3", "back"));
    server.create(CONFIGMAPS, configMap("new"));
    expect(await events(60_000)).toEqual(["Updated ns/c11", "Deleted ns/c3", "Added ns/c3", "Added ns/new"]);
    expect(informer.deletionsHeld).toBe(true);
    expect(informer.get("ns/c4")).toBeDefined();
    client.gate = () => undefined;
    expect(await events(60_000)).toHaveLength(10);
    expect(
      informer
        .list()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["c11", "c3", "new"]);
    await stop();
  });

  test("deletions that the watch itself shows are not held", async () => {
    const { server, informer, events, stop } = startInformer({ objects: 12 });
    await events();
    vanish(server, 0, 12);
    expect(await events()).toHaveLength(12);
    expect(informer.deletionsHeld).toBe(false);
    await stop();
  });
});

describe("what was known before an informer began", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

  test("is an event when the first snapshot does not show it, and never as it was", async () => {
    const { informer, events, stop } = startInformer({ objects: 1, known: ["c0", "gone"] });
    expect(await events()).toEqual(["Deleted ns/c0 (initial)", "Added ns/c0 (initial)", "Deleted ns/gone (initial)"]);
    expect(informer.keys()).toEqual(["ns/c0"]);
    await stop();
  });

  test("does not vanish at one read when it was most of all", async () => {
    const { informer, held, events, stop } = startInformer({ objects: 1, known: names(12) });
    expect(await events()).toEqual(["Deleted ns/c0 (initial)", "Added ns/c0 (initial)"]);
    expect([informer.synced, informer.deletionsHeld]).toEqual([true, true]);
    expect(held).toEqual([{ held: true, vanished: 11, known: 12 }]);
    expect(await events(2_000)).toHaveLength(11);
    expect(informer.deletionsHeld).toBe(false);
    await stop();
  });
});

describe("asked whether the server shows more than is known", () => {
  test("an informer says no while it is right, and lists anew when it is not", async () => {
    const { server, informer, events, stop } = startInformer({ objects: 3 });
    await events();
    const { signal } = new AbortController();
    expect(await informer.agreesWithServer(signal)).toBe(true);
    // A server whose watch keeps something from us.
    const { watchers } = server;
    const open = [...watchers];
    watchers.clear();
    server.create(CONFIGMAPS, configMap("hidden"));
    for (const watcher of open) watchers.add(watcher);
    expect(await events(1_000)).toEqual([]);
    expect(await informer.agreesWithServer(signal)).toBe(false);
    expect(await events(1_000)).toEqual(["Added ns/hidden"]);
    expect(await informer.agreesWithServer(signal)).toBe(true);
    await stop();
  });
});
