import { describe, expect, test } from "vitest";
import { CONFIGMAPS } from "../client/resources.ts";
import type { FakeClient } from "../testing/fakeClient.ts";
import { broken, configMap, keep, LABELS, startInformer } from "../testing/informerOfConfigMaps.ts";
import type { KubeObject } from "../../apis/index.ts";
import { ServerHistory } from "../client/serverHistory.ts";
import type { WatchOptions } from "../types.ts";

const EXPIRED = {
  type: "ERROR",
  status: { code: 410, reason: "Expired", message: "too old resource version" },
} as const;

describe("an informer", () => {
  test("holds what the server holds, and hands on every change in order", async () => {
    const { server, informer, events } = startInformer({ objects: 1 });
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
  });

  test("finds objects by index, and forgets values that nothing has any more", async () => {
    const { server, informer, events } = startInformer({ objects: 2 });
    await events();
    expect(informer.byIndex("value", "1").map(({ name }) => name)).toEqual(["c0", "c1"]);
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } });
    server.delete(CONFIGMAPS, "ns", "c1");
    await events();
    expect(informer.byIndex("value", "1")).toEqual([]);
    expect(informer.keysByIndex("value", "2")).toEqual(["ns/c0"]);
    expect(() => informer.byIndex("colour", "red")).toThrow("no index colour");
  });

  test("takes another life of an object for a deletion and an addition", async () => {
    const { server, events, relist } = startInformer({ objects: 1 });
    await events();
    server.delete(CONFIGMAPS, "ns", "c0");
    server.create(CONFIGMAPS, configMap("c0"));
    await relist();
    expect(await events()).toEqual(["Deleted ns/c0", "Added ns/c0"]);
  });

  test("drops what leaves its selection", async () => {
    const { server, events } = startInformer({ objects: 1 });
    await events();
    server.merge(CONFIGMAPS, "ns", "c0", { metadata: { labels: { managed: "no" } } });
    expect(await events()).toEqual(["Deleted ns/c0"]);
    server.merge(CONFIGMAPS, "ns", "c0", { metadata: { labels: LABELS } });
    expect(await events()).toEqual(["Added ns/c0"]);
  });

  test("gives a late handler what is there, and a disposed one nothing", async () => {
    const { server, informer, events } = startInformer({ objects: 1 });
    await events();
    const late: string[] = [];
    const subscription = informer.onEvent(({ type, key, initial }) => void late.push(`${type} ${key} ${initial}`));
    expect(late).toEqual(["Added ns/c0 true"]);
    subscription[Symbol.dispose]();
    server.delete(CONFIGMAPS, "ns", "c0");
    await events();
    expect(late).toHaveLength(1);
  });

  test("a handler that fails, or that changes the store, disturbs neither the others nor the order", async () => {
    const { server, informer, events } = startInformer();
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
  });

  test("keeps the last readable state of an object that cannot be read any more", async () => {
    const { server, informer, events } = startInformer({
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
  });

  test("waits for its first snapshot, or for the signal", async () => {
    const { informer, events } = startInformer();
    await expect(informer.waitForSync(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    const abort = new AbortController();
    const waiting = informer.waitForSync(abort.signal);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await events();
    await informer.waitForSync();
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
    const { server, informer, held, events, relist } = startInformer({ objects });
    await events();
    server.dropWatches(broken());
    vanish(server, 0, gone);
    await relist();
    expect(informer.deletionsHeld).toBe(holds);
    expect(informer.size).toBe(holds ? objects : objects - gone);
    expect(held).toEqual(holds ? [{ held: true, vanished: gone, known: objects }] : []);
  });

  test("deletes once a second, consistent read agrees", async () => {
    const { client, server, informer, held, events, relist } = startInformer({ objects: 12 });
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
  });

  test("deletes nothing when the second read shows the objects again", async () => {
    const { server, informer, held, events, relist } = startInformer({ objects: 12 });
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
  });

  test("keeps holding while the second read fails, and lets everything else flow", async () => {
    const { client, server, informer, events, relist } = startInformer({ objects: 12 });
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
    expect(informer.keys().toSorted()).toEqual(["ns/c11", "ns/c3", "ns/new"]);
  });

  test("deletions that the watch itself shows are not held", async () => {
    const { server, informer, events } = startInformer({ objects: 12 });
    await events();
    vanish(server, 0, 12);
    expect(await events()).toHaveLength(12);
    expect(informer.deletionsHeld).toBe(false);
  });
});

describe("what was known before an informer began", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

  test("is an event when the first snapshot does not show it, and never as it was", async () => {
    const { informer, events } = startInformer({ objects: 1, known: ["c0", "gone"] });
    expect(await events()).toEqual(["Deleted ns/c0 (initial)", "Added ns/c0 (initial)", "Deleted ns/gone (initial)"]);
    expect(informer.keys()).toEqual(["ns/c0"]);
  });

  test("does not vanish at one read when it was most of all", async () => {
    const { informer, held, events } = startInformer({ objects: 1, known: names(12) });
    expect(await events()).toEqual(["Deleted ns/c0 (initial)", "Added ns/c0 (initial)"]);
    expect([informer.synced, informer.deletionsHeld]).toEqual([true, true]);
    expect(held).toEqual([{ held: true, vanished: 11, known: 12 }]);
    expect(await events(2_000)).toHaveLength(11);
    expect(informer.deletionsHeld).toBe(false);
  });
});

describe("asked whether the server shows more than is known", () => {
  test("an informer says no while it is right, and lists anew when it is not", async () => {
    const { server, informer, events } = startInformer({ objects: 3 });
    await events();
    const { signal } = new AbortController();
    expect(await informer.agreesWithServer(signal)).toBe(true);
    server.unseen(() => server.create(CONFIGMAPS, configMap("hidden")));
    expect(await events(1_000)).toEqual([]);
    expect(await informer.agreesWithServer(signal)).toBe(false);
    expect(await events(1_000)).toEqual(["Added ns/hidden"]);
    expect(await informer.agreesWithServer(signal)).toBe(true);
  });
});

/** The question where the server is, before a watch goes on where it was. */
const isCheck = (options: object): boolean => "limit" in options && options.limit === 1;

describe("the answer to one's own write", () => {
  test("is in the store at once, and its watch event changes nothing more", async () => {
    const { server, informer, events } = startInformer();
    await events();
    informer.observe(server.create(CONFIGMAPS, configMap("a")));
    expect(informer.get("ns/a")).toMatchObject({ value: "1" });
    expect(await events()).toEqual(["Added ns/a"]);
  });

  test("is not parsed again when the watch brings it, and counts as read", async () => {
    const { client, server, informer, events } = startInformer({ objects: 1 });
    let known: WatchOptions["known"];
    client.gate = ({ verb, options }) => {
      if (verb === "watch") ({ known } = options as WatchOptions);
    };
    await events();
    expect(known?.size).toBe(0);
    // The answer is faster than the watch.
    const answer = server.unseen(() => server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } }));
    informer.observe(answer);
    const version = answer.metadata.resourceVersion ?? "";
    expect([known?.size, known?.has(version)]).toEqual([1, true]);
    expect(await events()).toEqual(["Updated ns/c0"]);
    for (const { push } of server.watchers) push({ type: "MODIFIED", object: answer });
    expect(await events()).toEqual([]);
    expect(known?.size).toBe(0);
    // What others wrote before that is old.
    informer.observe({ ...answer, metadata: { ...answer.metadata, resourceVersion: "101" } });
    expect(informer.get("ns/c0")).toMatchObject({ value: "2", version });
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "3" } });
    expect(await events()).toEqual(["Updated ns/c0"]);
  });

  test("is read with everything else in a snapshot that is under way", async () => {
    const { client, server, informer, events } = startInformer({ objects: 1 });
    await events();
    let written = false;
    client.gate = ({ verb, phase }) => {
      if (verb !== "watch" || phase !== "before" || written) return;
      written = true;
      informer.observe(server.create(CONFIGMAPS, configMap("own")));
    };
    server.inject(EXPIRED);
    await events(1_000);
    expect(written).toBe(true);
    expect(informer.keys()).toEqual(["ns/c0", "ns/own"]);
  });

  test("does not go back when a later version is known already", async () => {
    const { server, informer, events } = startInformer();
    await events();
    const answer = server.create(CONFIGMAPS, configMap("a"));
    server.merge(CONFIGMAPS, "ns", "a", { data: { value: "2" } });
    await events();
    informer.observe(answer);
    expect(informer.get("ns/a")?.value).toBe("2");
  });

  test("does not bring back what was deleted since, whether the watch or a relist showed it", async () => {
    const { server, informer, events, relist } = startInformer();
    await events();
    const first = server.create(CONFIGMAPS, configMap("a"));
    server.delete(CONFIGMAPS, "ns", "a");
    await events();
    informer.observe(first);
    expect(informer.size).toBe(0);
    const second = server.create(CONFIGMAPS, configMap("b"));
    server.delete(CONFIGMAPS, "ns", "b");
    await relist();
    informer.observe(second);
    expect(informer.size).toBe(0);
  });

  test("survives a relist that was read before it was written", async () => {
    const { client, server, informer, events } = startInformer();
    server.watchList = 422;
    await events();
    client.gate = ({ verb, phase, options }) => {
      if (verb === "list" && phase === "after" && !isCheck(options))
        informer.observe(server.create(CONFIGMAPS, configMap("own")));
    };
    server.dropWatches(broken());
    server.create(CONFIGMAPS, configMap("x"));
    server.compact();
    expect(await events(1_000)).toEqual(["Added ns/own", "Added ns/x"]);
    expect(informer.size).toBe(2);
  });
});

describe("the answer to one's own write, of a server that then went back to before the write", () => {
  const merge = (server: FakeClient["server"]): KubeObject =>
    server.merge(CONFIGMAPS, "ns", "c0", { data: { value: "2" } });
  const make = (server: FakeClient["server"]): KubeObject => server.create(CONFIGMAPS, configMap("made"));

  /** A change of c0 that the watch does not show before the server forgets it, and makes others of other objects. */
  async function lost(write: (server: FakeClient["server"]) => KubeObject, since: number) {
    const informed = startInformer({ objects: 1 });
    const { server, informer, events } = informed;
    await events(20_000);
    const restore = server.backup();
    server.unseen(() => informer.observe(write(server)));
    restore();
    for (let n = 0; n < since; n += 1)
      server.create(CONFIGMAPS, { ...configMap(`since-${n}`), metadata: { name: `since-${n}` } });
    return informed;
  }

  test.each([0, 1, 20])("is not taken for what the server has, %s writes later", async (since) => {
    const { informer, events } = await lost(merge, since);
    expect(informer.get("ns/c0")?.value).toBe("2");
    await events(1_000);
    expect(informer.get("ns/c0")?.value).toBe("1");
  });

  test.each([0, 1, 20])(
    "which made the object, is not taken for what the server has, %s writes later",
    async (since) => {
      const { informer, events } = await lost(make, since);
      expect(informer.keys()).toEqual(["ns/c0", "ns/made"]);
      await events(1_000);
      expect(informer.keys()).toEqual(["ns/c0"]);
    },
  );

  describe.each(["before", "while"] as const)("%s a snapshot begins that then breaks off", (when) => {
    test.each([0, 20])("is not taken for it either, %s writes later", async (since) => {
      const { client, server, informer, events } = startInformer({ objects: 1 });
      await events(20_000);
      const restore = server.backup();
      if (when === "before") server.unseen(() => informer.observe(merge(server)));
      let lost = false;
      client.gate = ({ verb, phase }) => {
        if (verb !== "watch" || phase !== "before" || lost) return;
        lost = true;
        if (when === "while") informer.observe(merge(server));
        restore();
        for (let n = 0; n < since; n += 1) server.create(CONFIGMAPS, configMap(`since-${n}`));
        throw broken();
      };
      server.inject(EXPIRED);
      await events(20_000);
      expect(lost).toBe(true);
      expect(informer.get("ns/c0")?.value).toBe("1");
    });
  });

  test.each([
    ["whoever reads where the server is", (client) => ServerHistory.of(client).expect()(client.server.version)],
    ["a snapshot that was asked for later", ({ server }) => server.inject(EXPIRED)],
  ] satisfies [string, (client: FakeClient) => void][])(
    "behind a proxy that keeps the streams open, is seen to be lost by %s",
    async (_, look) => {
      const { client, server, informer, events } = startInformer({ objects: 1 });
      await events(20_000);
      const restore = server.backup();
      server.unseen(() => {
        informer.observe(make(server));
        informer.observe(server.merge(CONFIGMAPS, "ns", "made", { data: { value: "2" } }));
        restore();
      });
      look(client);
      await events(1_000);
      expect(informer.keys()).toEqual(["ns/c0"]);
    },
  );
});
