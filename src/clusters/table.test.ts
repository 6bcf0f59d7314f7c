import { describe, expect, test } from "vitest";
import { refKey } from "../apis/index.ts";
import { isInSync } from "./table.ts";
import { CONFIG_REF, OWNER, OWNER_KEY, row, seen, tableWithLog } from "./testing/builders.ts";

const KEY = refKey(CONFIG_REF);
const OTHER = { ...OWNER, name: "other", uid: "app-2" };
const OTHER_KEY = refKey(OTHER);
const plan = { release: "Delete", monotonic: 0 } as const;

describe("DesiredStateTable", () => {
  test("an object is in sync when its hash is the desired one and its fields are ours", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    const entry = table.get("shanghai-1", KEY);
    expect(entry && isInSync(entry)).toBe(false);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    expect(entry && isInSync(entry)).toBe(true);
  });

  test("who owns the fields is forgotten once an object was found in sync, and not asked again for the same hash", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    const entry = table.get("shanghai-1", KEY);
    expect(entry?.observed?.evidence.managedFields).toBeUndefined();
    table.replace(OWNER_KEY, [row({ mode: "Hold" })], plan);
    table.replace(OWNER_KEY, [row()], plan);
    expect(entry && isInSync(entry)).toBe(true);
  });

  test("an observation that comes before the plan is judged when the plan is there", () => {
    const { table } = tableWithLog();
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    table.replace(OWNER_KEY, [row()], plan);
    const entry = table.get("shanghai-1", KEY);
    expect(entry && isInSync(entry)).toBe(true);
  });

  test("a field that somebody took shows as lost", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    table.observe("shanghai-1", CONFIG_REF, seen({ owns: false }), 1);
    const entry = table.get("shanghai-1", KEY);
    expect(entry && isInSync(entry)).toBe(false);
    expect(entry?.judged?.lost).toHaveLength(1);
  });

  test("an object that no plan asks for any more is kept in view until it is seen gone", () => {
    const { table, owners } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    table.replace(OWNER_KEY, [], { release: "Orphan", monotonic: 2 });
    expect([...table.entriesOf(OWNER_KEY)].map(({ desired, release }) => ({ desired, release }))).toEqual([
      { desired: undefined, release: "Orphan" },
    ]);
    owners.length = 0;
    table.observe("shanghai-1", CONFIG_REF, undefined, 3);
    expect([...table.entriesOf(OWNER_KEY)]).toEqual([]);
    expect(owners).toEqual([OWNER_KEY]);
    expect(table.get("shanghai-1", KEY)).toBeUndefined();
  });

  test("an object whose owner annotation was removed is still waited for", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    table.observe("shanghai-1", CONFIG_REF, seen({ owner: undefined }), 1);
    table.replace(OWNER_KEY, [], plan);
    expect([...table.entriesOf(OWNER_KEY)]).toHaveLength(1);
  });

  test("an object that two applications need stays while one of them does, and changes hands", () => {
    const { table } = tableWithLog();
    const other = row({ owner: OTHER, hash: "h2", role: "dependency" });
    table.replace(OWNER_KEY, [row({ role: "dependency" })], plan);
    table.replace(OTHER_KEY, [other], plan);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    const entry = table.get("shanghai-1", KEY);
    expect(entry?.desired?.hash).toBe("h1");
    table.replace(OWNER_KEY, [], plan);
    expect(entry?.desired?.hash).toBe("h2");
    // The first application is not let go before its name is off the object.
    expect([...table.entriesOf(OWNER_KEY)]).toHaveLength(1);
    table.observe("shanghai-1", CONFIG_REF, seen({ owner: OTHER, hash: "h2" }), 2);
    expect([...table.entriesOf(OWNER_KEY)]).toEqual([]);
  });

  test("a new desired hash clears the failure of the one before", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    const entry = table.get("shanghai-1", KEY);
    if (entry === undefined) throw new Error("no entry");
    table.fail(entry, { reason: "QuotaExceeded", message: "exceeded quota", final: true });
    table.replace(OWNER_KEY, [row()], plan);
    expect(entry.failure?.reason).toBe("QuotaExceeded");
    table.replace(OWNER_KEY, [row({ hash: "h2" })], plan);
    expect(entry.failure).toBeUndefined();
  });

  test("the same plan again tells nobody", () => {
    const { table, entries, owners } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    table.replace(OWNER_KEY, [], plan);
    entries.length = 0;
    owners.length = 0;
    table.replace(OWNER_KEY, [], plan);
    expect({ entries, owners }).toEqual({ entries: [], owners: [] });
  });

  test("a cluster that was unjoined leaves nothing to wait for", () => {
    const { table, owners } = tableWithLog();
    table.replace(OWNER_KEY, [row(), row({ cluster: "frankfurt-1" })], plan);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    owners.length = 0;
    table.forgetCluster("shanghai-1", 2);
    expect(table.get("shanghai-1", KEY)?.observed).toBeUndefined();
    table.replace(OWNER_KEY, [row({ cluster: "frankfurt-1" })], plan);
    expect([...table.entriesOf(OWNER_KEY)].map(({ cluster }) => cluster)).toEqual(["frankfurt-1"]);
    expect(owners).toContain(OWNER_KEY);
  });

  test("what plans ask for outlives the connection, since another cluster of that name may be there already", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    table.forgetCluster("shanghai-1", 2);
    expect(table.get("shanghai-1", KEY)).toMatchObject({ desired: { hash: "h1" }, observed: undefined });
  });

  test("an object that is being written is waited for, though nobody asks for it any more and nobody has seen it", () => {
    const { table, owners } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    const entry = table.get("shanghai-1", KEY);
    if (entry === undefined) throw new Error("no entry");
    table.beginWrite(entry);
    table.replace(OWNER_KEY, [], plan);
    expect([...table.entriesOf(OWNER_KEY)]).toEqual([entry]);
    owners.length = 0;
    table.endWrite(entry);
    expect([...table.entriesOf(OWNER_KEY)]).toEqual([]);
    expect(table.get("shanghai-1", KEY)).toBeUndefined();
    expect(owners).toEqual([OWNER_KEY]);
  });

  test("what is in sync has not failed", () => {
    const { table } = tableWithLog();
    table.replace(OWNER_KEY, [row()], plan);
    const entry = table.get("shanghai-1", KEY);
    if (entry === undefined) throw new Error("no entry");
    table.fail(entry, { reason: "ClusterUnreachable", message: "no answer in time", final: false });
    table.observe("shanghai-1", CONFIG_REF, seen(), 1);
    expect(entry.failure).toBeUndefined();
  });
});
