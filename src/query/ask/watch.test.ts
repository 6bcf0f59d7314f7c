import { describe, expect, test } from "vitest";
import { type Commit, Table } from "../table/index.ts";
import { ALL, failing, identity, object, placed, query, T0, tenant } from "../testing/fleet.ts";
import { follow } from "../testing/reader.ts";
import type { PlacedObjectRow, Query, QueryWatch, Scope, WatchEvent } from "../types.ts";
import { Engine } from "./engine.ts";

function engineOn(commit: Commit = {}, { logCapacity, tag = 0.5 }: { logCapacity?: number; tag?: number } = {}) {
  const time = { now: T0 };
  const table = new Table({ now: () => time.now, ...(logCapacity === undefined ? {} : { logCapacity }) });
  table.commit(commit);
  const outside = { now: () => time.now, random: () => tag, randomId: () => "id", pause: () => undefined };
  return { engine: new Engine({ table, ...outside }), table, time };
}

const shop = (...rows: Parameters<typeof object>[1]) => object("shop", rows);
const asked = query("placedobjects");

/** The events until a bookmark. */
async function untilBookmark(watch: QueryWatch, events = watch[Symbol.asyncIterator]()): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return seen;
    seen.push(value);
    if (value.type === "BOOKMARK") return seen;
  }
}

const texts = (events: readonly WatchEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "BOOKMARK") return [];
    const { name, cluster, state } = event.object as PlacedObjectRow;
    return [`${event.type} ${name} ${cluster} ${state}`];
  });

/** What a watch tells after `since` of the changes so far. */
async function toldSince(engine: Engine, since: string, wanted: Query = asked, scope: Scope = ALL): Promise<string[]> {
  await using watch = engine.watch(wanted, scope, { since });
  watch.bookmark();
  return texts(await untilBookmark(watch));
}

describe("a watch", () => {
  test("begins with the rows and a bookmark", async () => {
    const { engine } = engineOn({ objects: [shop(placed("eu-1"), placed("us-1"))] });
    const events = await untilBookmark(engine.watch(asked, ALL));
    expect(texts(events)).toEqual(["ADDED shop eu-1 Available", "ADDED shop us-1 Available"]);
    expect(events.at(-1)?.type).toBe("BOOKMARK");
  });

  test.each([
    { what: "a row that enters the filter", before: placed("eu-1"), after: failing("eu-1", "X"), want: "ADDED" },
    { what: "a row that leaves the filter", before: failing("eu-1", "X"), after: placed("eu-1"), want: "DELETED" },
    {
      what: "a row that stays in the filter",
      before: failing("eu-1", "X"),
      after: failing("eu-1", "Y"),
      want: "MODIFIED",
    },
    { what: "a row outside of the filter", before: placed("eu-1"), after: placed("eu-1", { ready: 1 }), want: "" },
  ])("tells of $what: $want", async ({ before, after, want }) => {
    const { engine, table } = engineOn({ objects: [shop(before)] });
    const filtered = query("placedobjects", { filter: { state: ["Degraded"] } });
    const { resourceVersion } = await engine.list(filtered, ALL);
    table.commit({ objects: [shop(after)] });
    const told = await toldSince(engine, resourceVersion, filtered);
    expect(told.map((text) => text.split(" ")[0])).toEqual(want === "" ? [] : [want]);
  });

  test("tells of the rows of a deleted object, as they were", async () => {
    const { engine, table } = engineOn({ objects: [shop(placed("eu-1"), failing("us-1", "X"))] });
    const { resourceVersion } = await engine.list(asked, ALL);
    table.commit({ deleted: [identity("shop")] });
    expect(await toldSince(engine, resourceVersion)).toEqual([
      "DELETED shop eu-1 Available",
      "DELETED shop us-1 Degraded",
    ]);
  });

  test("that is resumed within a commit gets all of it again", async () => {
    const { engine, table } = engineOn({ objects: [shop(placed("eu-1"), placed("us-1"))] });
    const { resourceVersion } = await engine.list(asked, ALL);
    table.commit({ objects: [shop(failing("eu-1", "X"), failing("us-1", "X"))] });
    await using watch = engine.watch(asked, ALL, { since: resourceVersion });
    watch.bookmark();
    const [first, last] = await untilBookmark(watch);
    expect(await toldSince(engine, first?.resourceVersion ?? "")).toHaveLength(2);
    expect(await toldSince(engine, last?.resourceVersion ?? "")).toEqual([]);
  });

  test("that breaks off within its first rows cannot be resumed", async () => {
    const { engine } = engineOn({ objects: [shop(placed("eu-1"), placed("us-1"))] });
    const { value } = await engine.watch(asked, ALL)[Symbol.asyncIterator]().next();
    const { resourceVersion = "" } = value ?? {};
    expect(() => engine.watch(asked, ALL, { since: resourceVersion })).toThrow(
      expect.objectContaining({ status: 410 }),
    );
  });

  test("of a reader that is slower than the log ends with 410", async () => {
    const { engine, table } = engineOn({ objects: [shop(placed("eu-1"))] }, { logCapacity: 4 });
    const watch = engine.watch(asked, ALL);
    const events = watch[Symbol.asyncIterator]();
    await untilBookmark(watch, events);
    for (let ready = 0; ready < 20; ready++) table.commit({ objects: [shop(placed("eu-1", { ready }))] });
    await expect(untilBookmark(watch, events)).rejects.toMatchObject({ status: 410, reason: "Expired" });
  });

  test("whose first rows are read too slowly ends with 410, too", async () => {
    const { engine, table } = engineOn({ objects: [shop(placed("eu-1"), placed("us-1"))] }, { logCapacity: 4 });
    const watch = engine.watch(asked, ALL);
    const events = watch[Symbol.asyncIterator]();
    await events.next();
    for (let ready = 0; ready < 20; ready++) table.commit({ objects: [shop(placed("eu-1", { ready }))] });
    await expect(untilBookmark(watch, events)).rejects.toMatchObject({ status: 410 });
  });

  test.each([
    { since: "1", status: 410 },
    { since: "0", status: 410 },
    { since: `${T0 - 1}500000`, status: 410 },
    { since: `${T0 + 60_000}500000`, status: 410 },
    { since: "abc", status: 400 },
    { since: "-1", status: 400 },
    { since: "1".repeat(20), status: 400 },
  ])("from a version of nowhere ($since) is refused with $status", ({ since, status }) => {
    const { engine } = engineOn();
    expect(() => engine.watch(asked, ALL, { since })).toThrow(expect.objectContaining({ status }));
  });

  test("from a version of another process is refused", async () => {
    const { engine } = engineOn({}, { tag: 0.1 });
    const { engine: other } = engineOn({}, { tag: 0.2 });
    const { resourceVersion } = await other.list(asked, ALL);
    expect(() => engine.watch(asked, ALL, { since: resourceVersion })).toThrow(
      expect.objectContaining({ status: 410 }),
    );
  });

  test.each(["signal", "disposal"])("waits for changes, and ends with its %s", async (end) => {
    const { engine, table } = engineOn();
    const controller = new AbortController();
    const watch = engine.watch(asked, ALL, { signal: controller.signal });
    const events = watch[Symbol.asyncIterator]();
    await untilBookmark(watch, events);
    const waiting = events.next();
    table.commit({ objects: [shop(placed("eu-1"))] });
    expect(await waiting).toMatchObject({ value: { type: "ADDED" } });
    const last = events.next();
    if (end === "signal") controller.abort();
    else await watch[Symbol.asyncDispose]();
    expect(await last).toMatchObject({ done: true });
  });

  test("whose signal was aborted before shows nothing", async () => {
    const { engine } = engineOn({ objects: [shop(placed("eu-1"))] });
    expect(await untilBookmark(engine.watch(asked, ALL, { signal: AbortSignal.abort() }))).toEqual([]);
  });

  test.each(["groupBy", "sort", "continue"] as const)("takes no %s", (name) => {
    const { engine } = engineOn();
    const value = { groupBy: "reason", sort: { field: "name", descending: false }, continue: "x" }[name];
    expect(() => engine.watch({ ...asked, [name]: value } as Query, ALL)).toThrow(`a watch takes no ${name}`);
  });

  test("has the fields that were asked for", async () => {
    const { engine } = engineOn({ objects: [shop(placed("eu-1"))] });
    const [event] = await untilBookmark(engine.watch(query("placedobjects", { fields: ["state"] }), ALL));
    expect(event).toMatchObject({ object: { ...identity("shop"), cluster: "eu-1", state: "Available" } });
    expect(event).not.toHaveProperty("object.ready");
  });

  test("of transitions brings each one once", async () => {
    const transition = { at: T0, object: identity("shop"), from: "", to: "Available", reason: "Available" };
    const { engine, table } = engineOn({ objects: [shop(placed("eu-1"))], transitions: [transition] });
    const watch = engine.watch(query("transitions"), tenant(["a"]));
    const events = watch[Symbol.asyncIterator]();
    expect(await untilBookmark(watch, events)).toHaveLength(2);
    table.commit({
      transitions: [
        { ...transition, to: "Degraded" },
        { ...transition, object: identity("x", { namespace: "b" }) },
      ],
    });
    watch.bookmark();
    expect(await untilBookmark(watch, events)).toMatchObject([
      { type: "ADDED", object: { to: "Degraded" } },
      { type: "BOOKMARK" },
    ]);
  });
});

describe("versions", () => {
  test("grow with the time, whether or not something changes that the reader may not read", async () => {
    const one = engineOn({ objects: [shop(placed("eu-1"))] });
    const other = engineOn({ objects: [shop(placed("eu-1"))] });
    for (const { time } of [one, other]) time.now += 1_000;
    other.table.commit({ objects: [object("x", [placed("eu-1")], { identity: identity("x", { namespace: "b" }) })] });
    for (const { time } of [one, other]) time.now += 1_000;
    const versionOf = async (engine: Engine): Promise<string> =>
      (await engine.list(asked, tenant(["a"]))).resourceVersion;
    expect(await versionOf(other.engine)).toBe(await versionOf(one.engine));
    const before = await versionOf(one.engine);
    one.time.now += 1;
    expect(BigInt(await versionOf(one.engine))).toBeGreaterThan(BigInt(before));
  });

  test("of a list do not cover a change of the same millisecond", async () => {
    const { engine, table } = engineOn({ objects: [shop(placed("eu-1"))] });
    const { resourceVersion } = await engine.list(asked, ALL);
    table.commit({ objects: [shop(failing("eu-1", "X"))] });
    expect(await toldSince(engine, resourceVersion)).toEqual(["MODIFIED shop eu-1 Degraded"]);
  });

  test("go on when the clock is set back", async () => {
    const { engine, table, time } = engineOn({ objects: [shop(placed("eu-1"))] });
    const { resourceVersion } = await engine.list(asked, ALL);
    time.now -= 60_000;
    table.commit({ objects: [shop(failing("eu-1", "X"))] });
    expect(await toldSince(engine, resourceVersion)).toEqual(["MODIFIED shop eu-1 Degraded"]);
  });
});

test("a review that finds the same rights brings no event", async () => {
  const { engine } = engineOn({ objects: [shop(placed("eu-1"))] });
  for (const resource of ["placedobjects", "causes", "transitions"] as const) {
    await using reader = await follow(engine, query(resource), tenant(["a"]));
    reader.watch.review(tenant(["a"]));
    reader.watch.bookmark();
    expect(texts(await untilBookmark(reader.watch, reader.events))).toEqual([]);
  }
});
