import { fc, test as prop } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { createLogger } from "../observability/index.ts";
import { TransportError } from "./errors.ts";
import { type DeletionsHeld, Informer } from "./informer.ts";
import { CONFIGMAPS } from "./resources.ts";
import { FakeClient } from "./testing/fakeClient.ts";
import { FakeClock } from "./testing/fakeClock.ts";

interface Kept {
  name: string;
  value: string;
  version: string;
}

const LABELS = { managed: "yes" };
const configMap = (name: string, value = "1", uid?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name, labels: LABELS, ...(uid === undefined ? {} : { uid }) },
  data: { value },
});
const keep = (object: KubeObject): Kept => ({
  name: object.metadata.name,
  value: (object["data"] as { value: string }).value,
  version: object.metadata.resourceVersion ?? "",
});
const broken = (): TransportError => new TransportError("ConnectionReset", "connection reset");

function setUp({ transform = keep, objects = 0 }: { transform?: (object: KubeObject) => Kept; objects?: number } = {}) {
  const clock = new FakeClock();
  const client = new FakeClient();
  const { server } = client;
  for (let n = 0; n < objects; n += 1) server.create(CONFIGMAPS, configMap(`c${n}`));
  const informer = new Informer<Kept>({
    name: "configmaps",
    client,
    type: CONFIGMAPS,
    labelSelector: "managed=yes",
    transform,
    indexers: { value: ({ value }) => [value] },
    clock,
    logger: createLogger({ level: "silent" }),
    random: () => 0,
  });
  const told: string[] = [];
  informer.onEvent(({ type, key, initial }) => void told.push(`${type} ${key}${initial ? " (initial)" : ""}`));
  const held: DeletionsHeld[] = [];
  informer.onDeletionsHeld((state) => void held.push(state));
  const abort = new AbortController();
  const stopped = informer.run(abort.signal);
  const events = async (ms = 0): Promise<string[]> => {
    await clock.advance(ms);
    await clock.advance(0);
    return told.splice(0);
  };
  /** Breaks the watch and forgets its history, so that the informer must list again. */
  const relist = async (): Promise<void> => {
    server.compact();
    server.dropWatches(broken());
    await clock.advance(400);
    await clock.advance(0);
  };
  return { clock, client, server, informer, held, events, relist, stop: () => (abort.abort(new Error("over")), stopped) };
}

describe("an informer", () => {
  test("holds what the server holds, and tells of every change in order", async () => {
    const { server, informer, events, stop } = setUp({ objects: 1 });
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
    const { server, informer, events, stop } = setUp({ objects: 2 });
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
    const { server, events, relist, stop } = setUp({ objects: 1 });
    await events();
    server.delete(CONFIGMAPS, "ns", "c0");
    server.create(CONFIGMAPS, configMap("c0"));
    await relist();
    expect(await events()).toEqual(["Deleted ns/c0", "Added ns/c0"]);
    await stop();
  });

  test("drops what leaves its selection", async () => {
    const { server, events, stop } = setUp({ objects: 1 });
    await events();
    server.merge(CONFIGMAPS, "ns", "c0", { metadata: { labels: { managed: "no" } } });
    expect(await events()).toEqual(["Deleted ns/c0"]);
    server.merge(CONFIGMAPS, "ns", "c0", { metadata: { labels: LABELS } });
    expect(await events()).toEqual(["Added ns/c0"]);
    await stop();
  });

  test("tells a late handler of what is there, and a disposed one of nothing", async () => {
    const { server, informer, events, stop } = setUp({ objects: 1 });
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
    const { server, informer, events, stop } = setUp();
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
    const { server, informer, events, stop } = setUp({
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
    const { informer, events, stop } = setUp();
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

describe("the answer to one's own write", () => {
  test("is in the store at once, and its watch event changes nothing more", async () => {
    const { server, informer, events, stop } = setUp();
    await events();
    informer.observe(server.create(CONFIGMAPS, configMap("a")));
    expect(informer.get("ns/a")).toMatchObject({ value: "1" });
    expect(await events()).toEqual(["Added ns/a"]);
    await stop();
  });

  test("does not go back when a later version is known already", async () => {
    const { server, informer, events, stop } = setUp();
    await events();
    const answer = server.create(CONFIGMAPS, configMap("a"));
    server.merge(CONFIGMAPS, "ns", "a", { data: { value: "2" } });
    await events();
    informer.observe(answer);
    expect(informer.get("ns/a")?.value).toBe("2");
    await stop();
  });

  test("does not bring back what was deleted since, whether the watch or a relist showed it", async () => {
    const { server, informer, events, relist, stop } = setUp();
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
    await stop();
  });

  test("survives a relist that was read before it was written", async () => {
    const { client, server, informer, events, stop } = setUp();
    server.watchList = 422;
    await events();
    client.gate = ({ verb, phase }) => {
      if (verb === "list" && phase === "after") informer.observe(server.create(CONFIGMAPS, configMap("own")));
    };
    server.dropWatches(broken());
    server.create(CONFIGMAPS, configMap("x"));
    server.compact();
    expect(await events(1_000)).toEqual(["Added ns/own", "Added ns/x"]);
    expect(informer.size).toBe(2);
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
    const { server, informer, held, events, relist, stop } = setUp({ objects });
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
    const { client, server, informer, held, events, relist, stop } = setUp({ objects: 12 });
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
    const { server, informer, held, events, relist, stop } = setUp({ objects: 12 });
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
    const { client, server, informer, events, relist, stop } = setUp({ objects: 12 });
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
    expect(informer.list().map(({ name }) => name).toSorted()).toEqual(["c11", "c3", "new"]);
    await stop();
  });

  test("deletions that the watch itself shows are not held", async () => {
    const { server, informer, events, stop } = setUp({ objects: 12 });
    await events();
    vanish(server, 0, 12);
    expect(await events()).toHaveLength(12);
    expect(informer.deletionsHeld).toBe(false);
    await stop();
  });
});

type Step =
  | { do: "write"; name: string; value: string; observe: "now" | "later" | "never" }
  | { do: "delete" | "relabel"; name: string }
  | { do: "drop" | "compact" | "bookmark" | "restart" | "observe late" }
  | { do: "advance"; ms: number };

const name = fc.constantFrom("a", "b", "c", "d", "e");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), name, value: fc.constantFrom("1", "2", "3"), observe: fc.constantFrom("now" as const, "later" as const, "never" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "relabel" as const), name }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("drop" as const, "compact" as const, "bookmark" as const, "restart" as const, "observe late" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(3_000) }) },
);

describe("under any sequence of changes, breaks, relists and own writes", () => {
  prop.prop([fc.array(step, { maxLength: 60, size: "max" })])("the store ends as the server is, never goes back, and its events tell the same story", async (steps) => {
    const { server, informer, events, stop } = setUp();
    const replica = new Map<string, Kept>();
    // Gathered, since an informer survives what its handlers throw.
    const contradictions: string[] = [];
    informer.onEvent(({ type, key, object, old }) => {
      const known = replica.get(key);
      if ((known !== undefined) !== (type !== "Added")) contradictions.push(`${type} of ${key}, which was ${known === undefined ? "not " : ""}there`);
      if (type === "Updated" && old !== known) contradictions.push(`${key} was updated from a state that was never told`);
      if (type === "Updated" && Number(object.version) <= Number(known?.version)) contradictions.push(`${key} went back from ${known?.version} to ${object.version}`);
      if (type === "Deleted") replica.delete(key);
      else replica.set(key, object);
    });
    const late: KubeObject[] = [];
    for (const now of steps) {
      switch (now.do) {
        case "write": {
          const answer = server.apply(CONFIGMAPS, configMap(now.name, now.value));
          if (now.observe === "now") informer.observe(answer);
          if (now.observe === "later") late.push(answer);
          break;
        }
        case "delete":
          if (server.list(CONFIGMAPS).some((object) => object.metadata.name === now.name)) server.delete(CONFIGMAPS, "ns", now.name);
          break;
        case "relabel":
          if (server.list(CONFIGMAPS).some((object) => object.metadata.name === now.name)) server.merge(CONFIGMAPS, "ns", now.name, { metadata: { labels: { managed: "no" } } });
          break;
        case "drop":
          server.dropWatches();
          break;
        case "restart":
          server.compact();
          server.dropWatches(broken());
          break;
        case "compact":
          server.compact();
          break;
        case "bookmark":
          server.bookmark();
          break;
        case "observe late":
          for (const object of late.splice(0)) informer.observe(object);
          break;
        case "advance":
          await events(now.ms);
          break;
      }
    }
    await events(300_000);
    for (const object of late) informer.observe(object);
    await events();
    expect(contradictions).toEqual([]);
    const truth = server.list(CONFIGMAPS, { labelSelector: "managed=yes" }).map(keep);
    const byName = (a: Kept, b: Kept): number => a.name.localeCompare(b.name);
    expect(informer.list().toSorted(byName)).toEqual(truth.toSorted(byName));
    expect([...replica.values()].toSorted(byName)).toEqual(truth.toSorted(byName));
    for (const value of ["1", "2", "3"]) expect(informer.byIndex("value", value).toSorted(byName)).toEqual(truth.filter((kept) => kept.value === value).toSorted(byName));
    await stop();
  });
});
