import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { arbitraryCommit, failing, identity, MINUTE, object, placed, T0 } from "../testing/fleet.ts";
import { Model } from "../testing/model.ts";
import { oldestIn } from "./cells.ts";
import { ChangeLog } from "./changeLog.ts";
import { objectsFrom } from "./order.ts";
import { Table } from "./table.ts";
import { Transitions } from "./transitions.ts";
import { type ObjectValue } from "./values.ts";
import { compareIdentity } from "../types.ts";

const table = (): Table => new Table({ now: () => T0 });
const names = (objects: Iterable<ObjectValue>): string[] => [...objects].map((value) => value.identity.name);

describe("a table", () => {
  test.prop([fc.array(arbitraryCommit)])(
    "has the objects of all commits in order, and the sums of their rows",
    (commits) => {
      const [rows, model] = [table(), new Model()];
      for (const commit of commits) {
        rows.commit(commit);
        model.commit(commit);
      }
      const want = model.objects();
      expect([...objectsFrom(rows.snapshot())].map((value) => value.identity)).toEqual(
        want.map((facts) => facts.identity),
      );
      const placedFacts = want.flatMap((facts) => facts.placed);
      for (const index of [rows.placed, rows.places]) {
        const cells = [...index.all()];
        expect(cells.reduce((sum, cell) => sum + cell.rows.length, 0)).toBe(placedFacts.length);
        expect(cells.reduce((sum, { ready }) => sum + ready, 0)).toBe(
          placedFacts.reduce((sum, { ready }) => sum + ready, 0),
        );
        for (const cell of cells) {
          const since = cell.rows.flatMap((row) => row.since ?? []);
          expect(oldestIn(cell)).toBe(since.length === 0 ? undefined : Math.min(...since));
        }
      }
      expect([...rows.pairs()].reduce((sum, pair) => sum + pair.objects, 0)).toBe(want.length);
    },
  );

  test.prop([fc.array(arbitraryCommit), fc.array(arbitraryCommit)])("leaves a snapshot as it was", (before, after) => {
    const rows = table();
    for (const commit of before) rows.commit(commit);
    const snapshot = rows.snapshot();
    const was = JSON.stringify(
      [...objectsFrom(snapshot)].map((value) => [value.identity, value.state, value.placed.length]),
    );
    for (const commit of after) rows.commit(commit);
    expect(
      JSON.stringify([...objectsFrom(snapshot)].map((value) => [value.identity, value.state, value.placed.length])),
    ).toBe(was);
  });

  test("keeps thousands of objects in order, whatever the order of their arrival", () => {
    const rows = table();
    const all = Array.from({ length: 3_000 }, (_, at) => `app-${(at * 7_919) % 3_000}`);
    for (const name of all) rows.commit({ objects: [object(name, [])] });
    rows.commit({ deleted: all.filter((_, at) => at % 3 === 0).map((name) => identity(name)) });
    const want = all.filter((_, at) => at % 3 !== 0).toSorted();
    expect(names(objectsFrom(rows.snapshot()))).toEqual(want);
    const [from] = want.slice(1_000);
    expect(names(objectsFrom(rows.snapshot(), identity(from ?? ""))).slice(0, 3)).toEqual(want.slice(1_000, 1_003));
    // The identity in between is not there.
    expect(names(objectsFrom(rows.snapshot(), identity(`${from}!`)))[0]).toBe(want[1_001]);
  });

  test("logs no commit that changes nothing, and wakes nobody", () => {
    const rows = table();
    rows.commit({ objects: [object("shop", [failing("eu-1", "X")])] });
    const { end } = rows.log;
    let woken = 0;
    using _subscription = rows.subscribe(() => void woken++);
    rows.commit({
      objects: [object("shop", [failing("eu-1", "X")])],
      deleted: [identity("other")],
      deletedClusters: ["x"],
    });
    expect([rows.log.end, woken]).toEqual([end, 0]);
  });

  test("keeps the row of a cluster that did not change", () => {
    const rows = table();
    rows.commit({ objects: [object("shop", [placed("eu-1"), placed("us-1")])] });
    const before = rows.object(identity("shop"))?.placed;
    rows.commit({ objects: [object("shop", [placed("eu-1"), failing("us-1", "X")])] });
    const after = rows.object(identity("shop"))?.placed;
    expect([after?.[0] === before?.[0], after?.[1] === before?.[1]]).toEqual([true, false]);
  });

  test("lists all rows of an object under its new policy", () => {
    const rows = table();
    for (const policy of ["one", "two"]) rows.commit({ objects: [object("shop", [placed("eu-1")], { policy })] });
    expect([...rows.placed.all()].map(({ policy, rows: { length } }) => `${policy} ${length}`)).toEqual(["two 1"]);
  });
});

test.prop([fc.array(fc.string()), fc.string()])("the order of identities is total", (texts, last) => {
  const identities = [...texts, last].map((name) => identity(name));
  const sorted = identities.toSorted(compareIdentity);
  for (const [at, one] of sorted.entries())
    for (const other of sorted.slice(at)) expect(compareIdentity(one, other)).toBeLessThanOrEqual(0);
});

describe("the log of changes", () => {
  const entry = (version: number) =>
    ({ of: "cluster", name: "x", before: undefined, after: undefined, version }) as const;

  test("says where the changes after a version begin, as long as it has them", () => {
    const log = new ChangeLog(0, 3);
    for (let version = 1; version <= 5; version++) log.append(entry(version));
    expect([1, 2, 3, 4, 5, 9].map((version) => log.after(version))).toEqual([undefined, 2, 3, 4, 5, 5]);
    expect([1, 2, 4, 5].map((position) => log.at(position)?.version)).toEqual([undefined, 3, 5, undefined]);
  });

  test("stays bounded, and its positions go on", () => {
    const log = new ChangeLog(0, 10);
    for (let version = 1; version <= 10_000; version++) log.append(entry(version));
    expect([log.end, log.first]).toEqual([10_000, 9_990]);
    expect(log.at(9_990)?.version).toBe(9_991);
  });

  test("holds fewer changes of objects with many clusters", () => {
    const log = new ChangeLog(0, 100);
    const rows = table();
    rows.commit({
      objects: [
        object(
          "shop",
          Array.from({ length: 160 }, (_, at) => placed(`c-${1_000 + at}`)),
        ),
      ],
    });
    const before = rows.object(identity("shop"));
    for (let version = 1; version <= 50; version++) log.append({ of: "object", before, after: undefined, version });
    expect(log.end - log.first).toBe(9);
  });
});

describe("transitions", () => {
  const bounds = { ofObject: 3, ofFleet: 4, objects: 2 };
  const transition = (name: string, at: number) => ({ at, object: identity(name), from: "", to: "x", reason: "r" });

  test("are in the order of their times, in whatever order their rows were computed", () => {
    const transitions = new Transitions(bounds);
    for (const at of [2, 1, 3]) transitions.add(transition("a", at * MINUTE));
    expect(transitions.of(identity("a")).map(({ at }) => at / MINUTE)).toEqual([3, 2, 1]);
    expect(transitions.fleet().map(({ at }) => at / MINUTE)).toEqual([3, 2, 1]);
  });

  test("are kept for each object and for the fleet, within bounds, the newest first", () => {
    const transitions = new Transitions(bounds);
    for (let at = 0; at < 10; at++) transitions.add(transition(at % 2 === 0 ? "a" : "b", at * MINUTE));
    expect(transitions.of(identity("a")).map(({ at }) => at / MINUTE)).toEqual([8, 6, 4]);
    expect(transitions.fleet().map(({ at }) => at / MINUTE)).toEqual([9, 8, 7, 6]);
  });

  test("of the object with the oldest last transition go first", () => {
    const transitions = new Transitions(bounds);
    for (const name of ["a", "b", "a", "c"]) transitions.add(transition(name, 0));
    expect(["a", "b", "c"].map((name) => transitions.of(identity(name)).length)).toEqual([2, 0, 1]);
  });
});
