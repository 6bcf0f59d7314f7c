import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { type Commit, Table } from "../table/index.ts";
import { ALL, arbitraryCommit, arbitraryRowQuery, arbitraryScope, query, T0 } from "../testing/fleet.ts";
import { Model, naivePartial, naiveRows, naiveTotals } from "../testing/model.ts";
import { follow, listAll } from "../testing/reader.ts";
import { GROUPINGS, type Query, type Resource, type Scope } from "../types.ts";
import { Engine } from "./engine.ts";

function fleet(commits: readonly Commit[] = [], few?: number) {
  // Versions follow the time; the rows show whole seconds.
  let now = T0;
  const table = new Table({ now: () => now });
  const model = new Model();
  const commit = (one: Commit): void => {
    now += 10;
    table.commit(one);
    model.commit(one);
  };
  for (const one of commits) commit(one);
  let id = 0;
  const outside = { now: () => T0, random: () => 0.5, randomId: () => `id${id++}`, pause: () => undefined };
  const engine = new Engine({ table, ...outside, few });
  return { table, model, engine, commit };
}

const commits = fc.array(arbitraryCommit, { minLength: 1, maxLength: 6 });
/** Whether all rows are found for the first page, or read page by page. */
const size = fc.constantFrom(0, 20_000);
const derived = fc.constantFrom<Resource>("causes", "fleetclusters");

describe("any fleet", () => {
  test.prop([commits, arbitraryRowQuery, arbitraryScope, size])(
    "a list has what a walk over all rows finds, page by page, and its totals",
    async (changes, asked, scope, few) => {
      const { engine, model } = fleet(changes, few);
      const want = naiveRows(model.objects(), asked, scope);
      const { items, totals } = await listAll(engine, asked, scope);
      expect(items).toEqual(want);
      expect(totals).toEqual(naiveTotals(want));
    },
  );

  test.prop([commits, arbitraryRowQuery, fc.array(arbitraryCommit), size])(
    "later pages are of the moment of the first page",
    async (changes, asked, later, few) => {
      const { engine, model, commit } = fleet(changes, few);
      const want = naiveRows(model.objects(), asked, ALL);
      const next = (): void => {
        const change = later.shift();
        if (change !== undefined) commit(change);
      };
      const { items, totals } = await listAll(engine, asked, ALL, next);
      expect(items).toEqual(want);
      expect(totals).toEqual(naiveTotals(want));
    },
  );

  test.prop([commits, arbitraryRowQuery, arbitraryScope])(
    "partial names the clusters out of contact that readable objects are on, on every page",
    async (changes, asked, scope) => {
      const { engine, model } = fleet(changes);
      const want = naivePartial(model, asked, scope);
      expect((await engine.list(asked, scope)).partial).toEqual(want);
      expect((await listAll(engine, asked, scope)).partial).toEqual(want);
    },
  );

  test.prop([commits, arbitraryRowQuery, fc.constantFrom(...GROUPINGS), arbitraryScope])(
    "groups have the sums of their readable rows",
    async (changes, asked, groupBy, scope) => {
      const { engine, model } = fleet(changes);
      const { sort: _, ...unsorted } = asked;
      const isOfPlaces = groupBy === "cluster" || groupBy === "region";
      const rest = isOfPlaces ? { ...unsorted, resource: "placedobjects" as const } : unsorted;
      const rows = naiveRows(model.objects(), rest, scope);
      const { groups = [], totals } = await engine.list({ ...rest, groupBy }, scope);
      const valueOf = (row: (typeof rows)[number]): string => {
        if (groupBy === "kind") return `${row.group}/${row.kind}`;
        return (row as Partial<Record<typeof groupBy, string>>)[groupBy] ?? "";
      };
      const want = [...Map.groupBy(rows, valueOf)].map(([value, some]) => {
        const since = some.flatMap((row) => row.since ?? []).toSorted()[0];
        return { value, ...naiveTotals(some), ...(since === undefined ? {} : { since }) };
      });
      expect(totals).toEqual(naiveTotals(rows));
      expect(groups.toSorted((a, b) => (a.value < b.value ? -1 : 1))).toEqual(
        want.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
      );
    },
  );

  test.prop([commits, fc.array(arbitraryCommit, { maxLength: 4 }), arbitraryRowQuery])(
    "the events of a watch make of a list the list of later",
    async (first, later, asked) => {
      await expectFollowed(first, later, asked, ALL);
    },
  );

  test.prop([commits, fc.array(arbitraryCommit, { maxLength: 4 }), derived])(
    "the events of causes and clusters do, too",
    async (first, later, resource) => {
      await expectFollowed(first, later, query(resource, { limit: 500 }), ALL);
    },
  );

  test.prop([commits, fc.array(arbitraryCommit, { maxLength: 4 }), arbitraryRowQuery, arbitraryScope])(
    "events tell of readable rows alone",
    async (first, later, asked, scope) => {
      await expectFollowed(first, later, asked, scope);
    },
  );

  test.prop([
    commits,
    arbitraryScope,
    fc.oneof(
      arbitraryRowQuery,
      derived.map((resource) => query(resource)),
    ),
  ])("an answer is the answer of a fleet of readable rows alone", async (changes, scope, asked) => {
    const whole = fleet(changes);
    const readable = fleet(changes.map((change) => readablePart(change, scope)));
    const answer = (engine: Engine): Promise<unknown> => listAll(engine, asked, scope).catch((error: unknown) => error);
    expect(await answer(whole.engine)).toEqual(await answer(readable.engine));
  });

  test.prop([
    commits,
    arbitraryScope,
    arbitraryScope,
    fc.oneof(
      arbitraryRowQuery,
      derived.map((resource) => query(resource)),
    ),
  ])(
    "a changed scope brings the rows that are readable now, and takes the others",
    async (changes, before, after, asked) => {
      const scope = { ...before, mayReadClusters: true };
      const { engine } = fleet(changes);
      const { sort: _, ...unsorted } = { ...asked, limit: 500 };
      await using reader = await follow(engine, unsorted, scope);
      reader.watch.review({ ...after, mayReadClusters: true });
      const { items } = await listAll(engine, unsorted, { ...after, mayReadClusters: true });
      expect(await reader.rows()).toEqual(sorted(items));
    },
  );
});

/** Changes of rows that a reader may read. */
function readablePart({ objects = [], deleted = [], ...rest }: Commit, scope: Scope): Commit {
  const isReadable = ({ namespace, group, kind }: { namespace?: string; group: string; kind: string }): boolean =>
    scope.mayRead(namespace, `${group}/${kind}`);
  return {
    ...rest,
    objects: objects.filter(({ identity }) => isReadable(identity)),
    deleted: deleted.filter(isReadable),
  };
}

async function expectFollowed(
  first: readonly Commit[],
  later: readonly Commit[],
  asked: Query,
  scope: Scope,
): Promise<void> {
  const { engine, commit } = fleet(first);
  const { sort: _, ...unsorted } = { ...asked, limit: 500 };
  await using reader = await follow(engine, unsorted, scope);
  const before = await engine.list(unsorted, scope);
  expect(await reader.rows()).toEqual(sorted(before.items ?? []));
  for (const change of later) commit(change);
  const { items, resourceVersion } = await listAll(engine, unsorted, scope);
  expect(await reader.rows()).toEqual(sorted(items));
  // A reader that was away comes to the same rows.
  await using resumed = await follow(engine, unsorted, scope, before);
  expect(await resumed.rows()).toEqual(sorted(items));
  expect(resumed.version).toBe(resourceVersion);
}

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}
