import { describe, expect, test } from "vitest";
import { type Commit, Table } from "../table/index.ts";
import { ALL, failing, identity, MINUTE, object, placed, query, T0, tenant, UNPLACED } from "../testing/fleet.ts";
import { listAll } from "../testing/reader.ts";
import { type PlacedObjectRow, QueryError, type Query, type Scope } from "../types.ts";
import { Engine } from "./engine.ts";

function engineOn(commit: Commit = {}, { few, tag = 0.5 }: { few?: number; tag?: number } = {}) {
  const time = { now: T0 };
  const table = new Table({ now: () => time.now });
  table.commit(commit);
  let ids = 0;
  const outside = { now: () => time.now, random: () => tag, randomId: () => `id${ids++}`, pause: () => undefined };
  return { engine: new Engine({ table, ...outside, few }), table, time };
}

const apps = (count: number, namespace = "a") =>
  Array.from({ length: count }, (_, at) =>
    object(`app-${at}`, [placed("eu-1")], { identity: identity(`app-${at}`, { namespace }) }),
  );

const statusOf = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof QueryError ? error.status : error),
  );

const next = (asked: Query, token: string | undefined): Query =>
  token === undefined ? asked : { ...asked, continue: token };

test.each<{ what: string; filter: Query["filter"]; count: number }>([
  { what: "all rows of some objects", filter: { name: "gold" }, count: 8 },
  { what: "some rows of some objects, by state", filter: { name: "gold", state: ["Degraded"] }, count: 4 },
  { what: "some rows, by cluster", filter: { name: "gold", cluster: ["us-1"] }, count: 4 },
  { what: "some rows, by region", filter: { name: "gold", region: ["eu"] }, count: 4 },
  { what: "some rows, by an expression", filter: { name: "gold", cel: "object.cluster == 'eu-1'" }, count: 4 },
  { what: "some rows, by time", filter: { name: "gold", olderThan: { ago: MINUTE } }, count: 4 },
])("totals beyond the first page count $what", async ({ filter, count }) => {
  const rows = [placed("eu-1", { since: T0 - 2 * MINUTE }), placed("us-1", { state: "Degraded", since: T0 })];
  const objects = ["gold-1", "gold-2", "gold-3", "gold-4", "tin"].map((name) => object(name, rows));
  for (const few of [0, 100]) {
    const { engine } = engineOn({ objects }, { few });
    const { totals } = await engine.list(query("placedobjects", { filter, limit: 1 }), ALL);
    expect(totals.count).toBe(count);
  }
});

describe("a continue token", () => {
  const asked = query("placedobjects", { limit: 2 });

  test.each([
    { what: "its reader", scope: ALL, change: {}, want: 200 },
    { what: "another reader", scope: { ...ALL, subject: "other" }, change: {}, want: 410 },
    { what: "another query", scope: ALL, change: { filter: { name: "app" } }, want: 410 },
    { what: "another order", scope: ALL, change: { sort: { field: "name", descending: true } }, want: 410 },
    { what: "another limit", scope: ALL, change: { limit: 1 }, want: 200 },
  ])("from $what is answered with $want", async ({ scope, change, want }) => {
    for (const few of [0, 100]) {
      const { engine } = engineOn({ objects: apps(5) }, { few });
      const { continue: token } = await engine.list(asked, ALL);
      expect(await statusOf(engine.list({ ...next(asked, token), ...change }, scope))).toBe(want);
    }
  });

  test("expires after two minutes", async () => {
    const { engine, time } = engineOn({ objects: apps(5) });
    const { continue: token } = await engine.list(asked, ALL);
    time.now += 2 * MINUTE - 1;
    expect(await statusOf(engine.list(next(asked, token), ALL))).toBe(200);
    time.now += 1;
    expect(await statusOf(engine.list(next(asked, token), ALL))).toBe(410);
  });

  test("of a reader with many lists expires sooner, and no other reader's token does", async () => {
    const { engine } = engineOn({ objects: apps(5) });
    const other = { ...ALL, subject: "other" };
    const theirs = await engine.list(asked, other);
    const first = await engine.list(asked, ALL);
    for (let times = 0; times < 20; times++) await engine.list(asked, ALL);
    expect(await statusOf(engine.list(next(asked, first.continue), ALL))).toBe(410);
    expect(await statusOf(engine.list(next(asked, theirs.continue), other))).toBe(200);
  });

  test.each([
    "",
    "id0",
    "id0.",
    "id0.x",
    "id0.MQ",
    "id1.MA",
    "id0.eyJhIjoxfQ",
    "id0.LTE",
    "toString.MA",
    "__proto__.MA",
  ])("that nobody was given (%s) shows nothing, whatever it is", async (token) => {
    for (const few of [0, 100]) {
      const { engine } = engineOn({ objects: apps(5) }, { few });
      await engine.list(asked, { ...ALL, subject: "other" });
      expect(await statusOf(engine.list({ ...asked, continue: token || "." }, ALL))).toBe(410);
    }
  });

  test("has the same message for every cause", async () => {
    const { engine } = engineOn({ objects: apps(5) });
    const { continue: token } = await engine.list(asked, ALL);
    const messageOf = (scope: Scope, given: string): Promise<unknown> =>
      engine.list({ ...asked, continue: given }, scope).catch((error: unknown) => (error as Error).message);
    const stolen = await messageOf(tenant(["a"]), token ?? "");
    expect(stolen).toBe(await messageOf(tenant(["a"]), "made-up.MA"));
  });
});

describe("a reader who loses a right between two pages", () => {
  const both = [...apps(3, "a"), ...apps(3, "b")];

  test("sees no row of it on later pages", async () => {
    for (const few of [0, 100]) {
      const { engine } = engineOn({ objects: both }, { few });
      const asked = query("placedobjects", { limit: 2 });
      let page = await engine.list(asked, tenant(["a", "b"]));
      while (page.continue !== undefined) {
        page = await engine.list(next(asked, page.continue), tenant(["a"]));
        for (const item of page.items ?? []) expect(item).toMatchObject({ namespace: "a" });
      }
    }
  });

  test("sees no later page of causes that were computed from it", async () => {
    const objects = ["a", "b"].map((namespace) =>
      object("shop", [failing("eu-1", `Reason${namespace}`)], { identity: identity("shop", { namespace }) }),
    );
    const { engine } = engineOn({ objects });
    const asked = query("causes", { limit: 1 });
    const { continue: token } = await engine.list(asked, tenant(["a", "b"]));
    expect(await statusOf(engine.list(next(asked, token), tenant(["a"])))).toBe(410);
    expect(await statusOf(engine.list(next(asked, token), tenant(["a", "b"])))).toBe(200);
  });
});

describe("one object", () => {
  const { engine } = engineOn({
    objects: [object("shop", [placed("eu-1")])],
    clusters: [{ name: "eu-1", state: "Ready", stale: false, labels: {} }],
    transitions: [{ at: T0, object: identity("shop"), from: "", to: "Available", reason: "Available" }],
  });
  const failure = (ask: () => unknown): unknown => {
    try {
      return ask();
    } catch (error) {
      return error instanceof QueryError ? `${error.status}: ${error.message}` : error;
    }
  };

  test("is found by its identity", () => {
    expect(engine.get("federatedobjects", { object: identity("shop") }, ALL)).toMatchObject({ name: "shop" });
    const key = { object: identity("shop"), cluster: "eu-1" };
    expect(engine.get("placedobjects", key, ALL)).toMatchObject({ name: "shop", cluster: "eu-1" });
    expect(engine.get("fleetclusters", { cluster: "eu-1" }, ALL)).toMatchObject({ objects: 1, unready: 0 });
    expect(engine.history(identity("shop"), ALL)).toMatchObject([{ to: "Available" }]);
  });

  test("is answered with the same refusal, whether or not it is there", () => {
    const ask = (name: string): unknown =>
      failure(() => engine.get("federatedobjects", { object: identity(name) }, tenant(["b"])));
    expect(ask("shop")).toBe(ask("other"));
    expect(ask("shop")).toContain("403: you may not read DemoApplication.paas.cmft.com in namespace a");
    const history = (name: string): unknown => failure(() => engine.history(identity(name), tenant(["b"])));
    expect(history("shop")).toBe(history("other"));
    expect(failure(() => engine.get("fleetclusters", { cluster: "eu-1" }, tenant(["a"])))).toContain("403");
  });

  test("that is not there is named", () => {
    const key = { object: identity("cart") };
    expect(failure(() => engine.get("federatedobjects", key, ALL))).toContain("404: there is no DemoApplication cart");
    const elsewhere = { object: identity("shop"), cluster: "us-1" };
    expect(failure(() => engine.get("placedobjects", elsewhere, ALL))).toContain("404: DemoApplication shop is not on");
    expect(failure(() => engine.get("fleetclusters", { cluster: "us-1" }, ALL))).toContain("404");
  });
});

describe("causes", () => {
  test("count objects, name the clusters, and follow the change that came before", async () => {
    const changed = { generation: 7, at: T0 - MINUTE };
    const rows = ["eu-1", "us-1"].map((cluster) => failing(cluster, "ImagePullBackOff", { since: T0 }));
    const { engine } = engineOn({
      objects: [
        object("shop", rows, { changed }),
        object("cart", [failing("eu-1", "ImagePullBackOff", { since: T0 + MINUTE })]),
        object("web", [failing("eu-1", "QuotaExceeded"), placed("us-1")]),
      ],
    });
    const { items, totals } = await listAll(engine, query("causes"), ALL);
    expect(items).toEqual([
      {
        reason: "ImagePullBackOff",
        shape: "ImagePullBackOff there",
        objects: 2,
        clusters: ["eu-1", "us-1"],
        since: "2026-05-01T12:00:00Z",
        sample: { object: identity("shop"), cluster: "eu-1", message: "ImagePullBackOff there" },
        change: { object: identity("shop"), generation: 7, at: "2026-05-01T11:59:00Z" },
      },
      expect.objectContaining({ reason: "QuotaExceeded", objects: 1, clusters: ["eu-1"] }),
    ]);
    expect(totals).toEqual({ count: 2, ready: 0, desired: 8 });
  });

  test("name objects that are placed nowhere, on no cluster", async () => {
    const { engine } = engineOn({
      objects: ["shop", "cart"].map((name) => object(name, [], { ...UNPLACED, since: T0 })),
    });
    const { items, totals } = await listAll(engine, query("causes"), ALL);
    expect(items).toEqual([
      {
        reason: "NoPlacement",
        shape: "no Placement selects it",
        objects: 2,
        clusters: [],
        since: "2026-05-01T12:00:00Z",
        sample: { object: identity("cart"), cluster: "", message: "no Placement selects it" },
      },
    ]);
    expect(totals.count).toBe(1);
    const { items: there } = await listAll(engine, query("causes", { filter: { cluster: ["eu-1"] } }), ALL);
    expect(there).toEqual([]);
  });

  test.each([
    [{ cluster: ["us-1"] }, ["ImagePullBackOff"]],
    [{ cluster: ["us-1"], policy: ["near"] }, ["ImagePullBackOff"]],
    [{ policy: ["far"] }, []],
    [{ reason: ["QuotaExceeded"] }, ["QuotaExceeded"]],
    [{ name: "we" }, ["QuotaExceeded"]],
    [{ cel: "object.objects > 1" }, ["ImagePullBackOff"]],
  ])("of %j", async (filter, want) => {
    const { engine } = engineOn({
      objects: [
        object("shop", [failing("us-1", "ImagePullBackOff")], { policy: "Placement/a/near" }),
        object("cart", [failing("us-1", "ImagePullBackOff")], { policy: "Placement/a/near" }),
        object("web", [failing("eu-1", "QuotaExceeded")]),
      ],
    });
    const { items } = await listAll(engine, query("causes", { filter }), ALL);
    expect(items.map((row) => (row as { reason: string }).reason)).toEqual(want);
  });
});

describe("an answer", () => {
  const lost = {
    name: "eu-1",
    region: "eu",
    state: "Unreachable",
    reason: "ClusterUnreachable",
    stale: true,
    labels: {},
  };

  test("names the clusters out of contact that may be wrong in it, and no others", async () => {
    const { engine } = engineOn({
      objects: [
        object("shop", [placed("eu-1")]),
        object("cart", [placed("us-1")], { identity: identity("cart", { namespace: "b" }) }),
      ],
      clusters: [
        { ...lost, lastContact: T0 },
        { ...lost, name: "ap-1", region: "ap" },
      ],
    });
    const partialOf = async (asked: Query, scope: Scope): Promise<string[]> =>
      (await engine.list(asked, scope)).partial.map(({ cluster }) => cluster);
    expect(await partialOf(query("placedobjects"), ALL)).toEqual(["eu-1"]);
    expect(await partialOf(query("placedobjects"), tenant(["b"]))).toEqual([]);
    expect(await partialOf(query("placedobjects", { filter: { cluster: ["us-1"] } }), ALL)).toEqual([]);
    expect(await partialOf(query("fleetclusters"), ALL)).toEqual(["ap-1", "eu-1"]);
    expect((await engine.list(query("federatedobjects"), ALL)).partial).toEqual([
      { cluster: "eu-1", lastContact: "2026-05-01T12:00:00Z", reason: "ClusterUnreachable" },
    ]);
  });

  test("has the fields that were asked for, and the identity", async () => {
    const { engine } = engineOn({
      objects: [object("shop", [placed("eu-1")], { labels: { tier: "gold", app: "x" } })],
    });
    const asked = query("federatedobjects", { fields: ["labels.tier", "clusters"] });
    expect((await engine.list(asked, ALL)).items).toEqual([
      { ...identity("shop"), labels: { tier: "gold" }, clusters: { ready: 1, total: 1 } },
    ]);
  });

  test("counts no unready object of a namespace that its reader may not read", async () => {
    const { engine } = engineOn({
      objects: [
        object("shop", [placed("eu-1")]),
        object("cart", [failing("eu-1", "QuotaExceeded")], { identity: identity("cart", { namespace: "b" }) }),
      ],
      clusters: [{ ...lost, state: "Ready", stale: false }],
    });
    const scope = { ...tenant(["a"]), mayReadClusters: true };
    expect((await engine.list(query("fleetclusters"), scope)).items).toMatchObject([{ objects: 1, unready: 0 }]);
    expect(await statusOf(engine.list(query("fleetclusters"), tenant(["a"])))).toBe(403);
  });

  test("shows transitions of readable objects, and of clusters to readers of clusters", async () => {
    const transition = { at: T0, from: "Available", to: "Degraded", reason: "QuotaExceeded" };
    const { engine } = engineOn({
      objects: [object("shop", [placed("eu-1")])],
      transitions: [
        { ...transition, object: identity("shop"), cluster: "eu-1" },
        { ...transition, object: identity("gone", { namespace: "b" }) },
        { ...transition, cluster: "eu-1", to: "Unreachable" },
      ],
    });
    const of = async (scope: Scope, filter: Query["filter"] = {}): Promise<number> =>
      (await listAll(engine, query("transitions", { filter }), scope)).items.length;
    expect([await of(ALL), await of(tenant(["a"])), await of(tenant(["b"])), await of(tenant([]))]).toEqual([
      3, 1, 1, 0,
    ]);
    expect(await of(ALL, { name: "s" })).toBe(1);
    expect(await of(ALL, { state: ["Unreachable"] })).toBe(1);
  });

  test("evaluates CEL on more than 100,000 rows", async () => {
    const { engine } = engineOn({ objects: apps(100_020) });
    const cel = "object.name.startsWith('app-1000')";
    const asked = query("federatedobjects", { filter: { cel } });
    // app-1000 and app-10000 to app-10009, and app-100000 to app-100019.
    expect((await engine.list(asked, ALL)).totals.count).toBe(31);
    expect((await engine.list({ ...asked, groupBy: "namespace" }, ALL)).groups).toMatchObject([{ count: 31 }]);
  });

  test("refuses CEL that takes too long, and says what to narrow", async () => {
    let ms = 0;
    const table = new Table({ now: () => T0 });
    table.commit({ objects: apps(40_000) });
    const outside = { now: () => T0, random: () => 0, randomId: () => "id", pause: () => undefined };
    const engine = new Engine({ table, ...outside, monotonic: () => (ms += 5) });
    const asked = query("federatedobjects", { filter: { cel: "object.ready > 100" } });
    await expect(engine.list(asked, ALL)).rejects.toThrow(/^cel has taken 10 s for 3\d{4} rows.*; filter by namespace/);
    const narrow = { ...asked, filter: { ...asked.filter, name: "app-39" } };
    expect(await statusOf(engine.list(narrow, ALL))).toBe(200);
  });

  test("says where a CEL expression is wrong", async () => {
    const { engine } = engineOn();
    const asked = query("placedobjects", { filter: { cel: "object.name.matches('a')" } });
    await expect(engine.list(asked, ALL)).rejects.toThrow(
      "cel: column 1: matches() is not there for queries; use contains, startsWith or endsWith; the row is `object`",
    );
  });

  test("pauses while it reads many rows, and is of the moment of the question", async () => {
    const { engine, table } = pausing(2_000);
    const rows = listAll(engine, query("placedobjects", { limit: 500, filter: { name: "app" } }), ALL);
    table.commit({ deleted: [identity("app-0"), identity("app-1999")] });
    expect((await rows).totals.count).toBe(2_000);
    expect((await rows).items).toHaveLength(2_000);
  });
});

function pausing(count: number) {
  const table = new Table({ now: () => T0 });
  table.commit({ objects: apps(count) });
  const outside = { now: () => T0, random: () => 0, randomId: () => "id", pause: () => Promise.resolve() };
  return { engine: new Engine({ table, ...outside, few: 0 }), table };
}

test("the pairs for reviews are those of the objects that the filter lets through", () => {
  const { engine } = engineOn({
    objects: [
      ...apps(3, "a"),
      ...apps(2, "b"),
      object("x", [], { identity: { kind: "Namespace", group: "", name: "x" } }),
    ],
  });
  expect([...engine.pairs({})]).toEqual([
    { namespace: "a", kindKey: "paas.cmft.com/DemoApplication" },
    { namespace: "b", kindKey: "paas.cmft.com/DemoApplication" },
    { namespace: undefined, kindKey: "/Namespace" },
  ]);
  expect([...engine.pairs({ namespace: ["b"], name: "none" })]).toHaveLength(1);
  expect([...engine.pairs({ kind: ["Namespace"] })]).toHaveLength(1);
});

test("a row without `since` is neither old nor changed", async () => {
  const { engine } = engineOn({ objects: [object("shop", [placed("eu-1"), failing("us-1", "QuotaExceeded")])] });
  const { items } = await listAll(engine, query("placedobjects", { filter: { olderThan: { ago: 0 } } }), ALL);
  expect(items.map((row) => (row as PlacedObjectRow).cluster)).toEqual(["us-1"]);
});
