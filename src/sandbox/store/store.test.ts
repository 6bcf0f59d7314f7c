import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../testing/manualClock.ts";
import type { KubeObject } from "../types.ts";
import { FolderInUse, JournalDamaged, RevisionExpired, StaleWrite, Store, type StoreEvent } from "./index.ts";

const CONFIG_MAPS = { group: "", plural: "configmaps" };
const SECRETS = { group: "", plural: "secrets" };

const clock = new ManualClock();

function configMap(name: string, value = "", namespace = "default"): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { value } };
}

const names = (objects: readonly KubeObject[]) =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

describe("a store", () => {
  test("counts one revision through all resources and writes it into the object", () => {
    const store = new Store({ clock });
    expect(store.put(CONFIG_MAPS, configMap("a"), undefined).metadata.resourceVersion).toBe("1");
    const secret = store.put(SECRETS, { ...configMap("a"), kind: "Secret" }, undefined);
    expect(secret.metadata.resourceVersion).toBe("2");
    expect(store.remove(SECRETS, secret).metadata.resourceVersion).toBe("3");
    expect(store.revision).toBe(3);
    expect(store.collection(SECRETS).get("default", "a")).toBeUndefined();
  });

  test("shares one frozen object with everybody who reads", () => {
    const store = new Store({ clock });
    const kept = store.put(CONFIG_MAPS, configMap("a"), undefined);
    expect(store.collection(CONFIG_MAPS).get("default", "a")).toBe(kept);
    expect(store.collection(CONFIG_MAPS).list()[0]).toBe(kept);
    expect(Object.isFrozen(kept)).toBe(true);
    expect(Object.isFrozen(kept["data"])).toBe(true);
  });

  test("lists in the order of the keys, as etcd does", () => {
    const store = new Store({ clock });
    for (const [namespace, name] of [
      ["a", "z"],
      ["a-b", "y"],
      ["b", "x"],
      ["a", "b"],
    ] as const) {
      store.put(CONFIG_MAPS, configMap(name, "", namespace), undefined);
    }
    // A hyphen sorts before the slash that ends a namespace.
    expect(names(store.collection(CONFIG_MAPS).list())).toEqual(["a-b/y", "a/b", "a/z", "b/x"]);
    expect(names(store.collection(CONFIG_MAPS).list("a"))).toEqual(["a/b", "a/z"]);
    expect(store.collection(CONFIG_MAPS).list("none")).toEqual([]);
  });

  test("refuses a write that does not know the latest state", () => {
    const store = new Store({ clock });
    const first = store.put(CONFIG_MAPS, configMap("a"), undefined);
    store.put(CONFIG_MAPS, configMap("a", "2"), first);
    expect(() => store.put(CONFIG_MAPS, configMap("a", "3"), first)).toThrow(StaleWrite);
    expect(() => store.put(CONFIG_MAPS, configMap("a"), undefined)).toThrow(StaleWrite);
    expect(() => store.remove(CONFIG_MAPS, first)).toThrow(StaleWrite);
    expect(store.revision).toBe(2);
  });

  test("gives every listener all events in order, also those that a listener causes", () => {
    const store = new Store({ clock });
    const heard: string[][] = [[], []];
    const note = (index: number) => (event: StoreEvent) => {
      heard[index]?.push(`${event.revision} ${event.type} ${event.object.metadata.name}`);
    };
    store.collection(CONFIG_MAPS).onEvent((event) => {
      if (event.object.metadata.name === "a") store.put(CONFIG_MAPS, configMap("b"), undefined);
    });
    store.collection(CONFIG_MAPS).onEvent(note(0));
    const second = store.collection(CONFIG_MAPS).onEvent(note(1));
    const a = store.put(CONFIG_MAPS, configMap("a"), undefined);
    second[Symbol.dispose]();
    store.collection(CONFIG_MAPS).onEvent(() => undefined);
    store.put(SECRETS, configMap("s"), undefined);
    expect(heard).toEqual([
      ["1 ADDED a", "2 ADDED b"],
      ["1 ADDED a", "2 ADDED b"],
    ]);
    expect(a.metadata.resourceVersion).toBe("1");
  });

  test("knows every former state until it is compacted", () => {
    const store = new Store({ clock });
    const collection = store.collection(CONFIG_MAPS);
    const a = store.put(CONFIG_MAPS, configMap("a", "1"), undefined);
    const b = store.put(CONFIG_MAPS, configMap("b", "1"), undefined);
    store.put(CONFIG_MAPS, configMap("a", "2"), a);
    store.remove(CONFIG_MAPS, b);
    expect(collection.listAt(2)).toEqual([a, b]);
    expect(collection.listAt(0)).toEqual([]);
    expect(collection.history.since(2).map(({ type }) => type)).toEqual(["MODIFIED", "DELETED"]);
    store.compact();
    expect(() => collection.listAt(2)).toThrow(RevisionExpired);
    expect(() => collection.history.since(3)).toThrow("too old resource version: 3 (4)");
    expect(collection.history.since(4)).toEqual([]);
    // Compaction also counts for a resource without objects.
    expect(() => store.collection(SECRETS).history.since(3)).toThrow(RevisionExpired);
  });

  test("forgets what is old once it is quiet, and then has no timer", () => {
    const quiet = new ManualClock();
    const store = new Store({ clock: quiet });
    let last = store.put(CONFIG_MAPS, configMap("a"), undefined);
    for (let count = 0; count < 300; count++) last = store.put(CONFIG_MAPS, configMap("a", String(count)), last);
    expect(store.collection(CONFIG_MAPS).history.length).toBe(301);
    expect(quiet.waiting).toBe(1);
    quiet.advance(quiet.next ?? 0);
    expect(store.collection(CONFIG_MAPS).history.length).toBeLessThan(100);
    expect(quiet.waiting).toBe(0);
  });

  test("replays any history to the state of any revision", () => {
    const step = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), value: fc.string(), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new Store({ clock });
        const states = [store.collection(CONFIG_MAPS).list()];
        for (const { name, value, remove } of steps) {
          const old = store.collection(CONFIG_MAPS).get("default", name);
          if (remove && old === undefined) continue;
          if (remove && old !== undefined) store.remove(CONFIG_MAPS, old);
          else store.put(CONFIG_MAPS, configMap(name, value), old);
          states.push(store.collection(CONFIG_MAPS).list());
        }
        for (const [revision, state] of states.entries()) {
          expect(store.collection(CONFIG_MAPS).listAt(revision)).toEqual(state);
        }
      }),
    );
  });
});

describe("a store in a folder", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "meridian-store-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const filled = () => {
    const store = new Store({ clock, directory });
    const a = store.put(CONFIG_MAPS, configMap("a", "1"), undefined);
    store.put(CONFIG_MAPS, configMap("b", "ä\n"), undefined);
    store.put(CONFIG_MAPS, configMap("a", "2"), a);
    return store;
  };

  test("is there again after a restart, and does not claim to know what was before", () => {
    const before = filled();
    const list = before.collection(CONFIG_MAPS).list();
    before[Symbol.dispose]();
    using after = new Store({ clock, directory });
    expect(after.revision).toBe(3);
    expect(after.collection(CONFIG_MAPS).list()).toEqual(list);
    expect(() => after.collection(CONFIG_MAPS).history.since(2)).toThrow(RevisionExpired);
    expect(after.collection(CONFIG_MAPS).history.since(3)).toEqual([]);
    expect(Object.isFrozen(after.collection(CONFIG_MAPS).list()[0])).toBe(true);
  });

  test("keeps what was deleted deleted", () => {
    const before = filled();
    const b = before.collection(CONFIG_MAPS).get("default", "b");
    if (b === undefined) throw new Error("b is missing");
    before.remove(CONFIG_MAPS, b);
    before[Symbol.dispose]();
    using after = new Store({ clock, directory });
    expect(names(after.collection(CONFIG_MAPS).list())).toEqual(["default/a"]);
    expect(after.revision).toBe(4);
  });

  test("drops the line that a crash tore, and nothing else", async () => {
    filled()[Symbol.dispose]();
    await appendFile(join(directory, "journal"), '{"v":4,"r":"/configmaps","o":{"apiVers');
    const after = new Store({ clock, directory });
    expect(names(after.collection(CONFIG_MAPS).list())).toEqual(["default/a", "default/b"]);
    after.put(CONFIG_MAPS, configMap("c"), undefined);
    after[Symbol.dispose]();
    using again = new Store({ clock, directory });
    expect(names(again.collection(CONFIG_MAPS).list())).toEqual(["default/a", "default/b", "default/c"]);
  });

  test("survives a crash between the two steps of a rewriting", async () => {
    const before = filled();
    const journal = await readFile(join(directory, "journal"));
    before[Symbol.dispose]();
    // The snapshot was written, and the journal not yet emptied.
    const snapshot = [{ v: 3 }, { v: 3, r: "/configmaps", o: configMap("only") }];
    await writeFile(join(directory, "snapshot"), snapshot.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await writeFile(join(directory, "journal"), journal);
    using after = new Store({ clock, directory });
    expect(names(after.collection(CONFIG_MAPS).list())).toEqual(["default/only"]);
    expect(after.revision).toBe(3);
  });

  test("says which line is damaged", async () => {
    filled()[Symbol.dispose]();
    await writeFile(join(directory, "journal"), "not json\n");
    expect(() => new Store({ clock, directory })).toThrow(JournalDamaged);
    expect(() => new Store({ clock, directory })).toThrow("line 1 is not JSON");
  });

  test("belongs to one store at a time, and to nobody after the process has ended", async () => {
    const first = new Store({ clock, directory });
    expect(() => new Store({ clock, directory })).toThrow(FolderInUse);
    first[Symbol.dispose]();
    // This number is above the highest process id.
    await writeFile(join(directory, "lock"), "4194305");
    new Store({ clock, directory })[Symbol.dispose]();
    // The parent process is alive.
    await writeFile(join(directory, "lock"), String(process.ppid));
    expect(() => new Store({ clock, directory })).toThrow(FolderInUse);
  });

  test("rewrites a long journal into a snapshot and loses nothing", async () => {
    const store = new Store({ clock, directory });
    const long = "x".repeat(1024 * 1024);
    let last: KubeObject | undefined;
    for (let count = 0; count < 20; count++) {
      last = store.put(CONFIG_MAPS, configMap("a", `${count}${long}`), last);
    }
    store[Symbol.dispose]();
    const journal = await readFile(join(directory, "journal"));
    expect(journal.length).toBeLessThan(10 * 1024 * 1024);
    using after = new Store({ clock, directory });
    expect(after.revision).toBe(20);
    expect(after.collection(CONFIG_MAPS).get("default", "a")).toEqual(last);
  });
});
