import { describe, expect, onTestFinished, test } from "vitest";
import { refOf } from "../../apis/index.ts";
import type { StateChange } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { PlannerView } from "../../controllers/index.ts";
import { app, placement, statusOn } from "../../controllers/testing/planning.ts";
import { degraded, reporting } from "../../controllers/testing/reporting.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { ALL, query } from "../testing/fleet.ts";
import { follow } from "../testing/reader.ts";
import { Engine } from "../ask/index.ts";
import { Table } from "../table/index.ts";
import {
  type CauseRow,
  type FederatedObjectRow,
  type FleetClusterRow,
  type PlacedObjectRow,
  type TransitionRow,
} from "../types.ts";
import { Feed } from "./feed.ts";

const SHOP = { kind: "DemoApplication", group: "paas.cmft.com", namespace: "default", name: "shop" };

function outsideOf(clock: { now(): number }) {
  return { now: () => clock.now(), random: () => 0.5, randomId: () => "id", pause: () => undefined };
}

/** The feed beside the placement and status controllers. */
async function feeding(...given: Parameters<typeof reporting>) {
  const all = await reporting(...given);
  const { clock, cache: hub, states, assignments, observations, contacts, reconciler: statuses } = all;
  const table = new Table({ now: () => clock.now() });
  const view: Omit<PlannerView, "decisions"> = { states, assignments, observations, contacts, statuses };
  const { logger, lines } = logLines();
  const changes: StateChange[] = [];
  const changed = (change: StateChange): string => `event-${changes.push(change)}`;
  const feed = new Feed({ table, hub, view, clock, logger, changed });
  onTestFinished(() => feed[Symbol.dispose]());
  const engine = new Engine({ table, ...outsideOf(clock) });
  const list = async <T>(
    resource: "federatedobjects" | "placedobjects" | "fleetclusters" | "causes" | "transitions",
  ) => {
    await all.settle(100);
    await feed.caughtUp();
    return (await engine.list(query(resource), ALL)).items as T[];
  };
  return { ...all, table, feed, engine, list, view, feedLines: lines, changes };
}

describe("rows of the planner's tables", () => {
  test("say of an object what its status says", async () => {
    const { complete, list, status } = await feeding();
    await complete();
    const [row, ...others] = await list<FederatedObjectRow>("federatedobjects");
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      ...SHOP,
      policy: "Placement/default/everywhere",
      state: "Available",
      ready: status()?.replicas?.ready,
      desired: status()?.replicas?.desired,
      clusters: { ready: 2, total: 2 },
      stale: false,
    });
    const placed = await list<PlacedObjectRow>("placedobjects");
    expect(placed.map(({ cluster, state }) => `${cluster} ${state}`)).toEqual(["a Available", "b Available"]);
  });

  test("say why an object is on no cluster, as a cause of the object itself", async () => {
    const { plan, report, list } = await feeding({ placements: [placement(["gone"])] });
    await plan();
    await report();
    const [cause, ...others] = await list<CauseRow>("causes");
    expect(others).toEqual([]);
    expect(cause).toMatchObject({ reason: "NoClusterFits", objects: 1, clusters: [], sample: { object: SHOP } });
  });

  test("show trouble of a copy before the status is written", async () => {
    const { complete, happens, list, clusterStates } = await feeding();
    await complete();
    happens("b", degraded);
    const [, b] = await list<PlacedObjectRow>("placedobjects");
    expect(b).toMatchObject({ cluster: "b", state: "Degraded" });
    expect(clusterStates()).toEqual(["a Available", "b Available"]);
    const [row] = await list<FederatedObjectRow>("federatedobjects");
    expect(row).toMatchObject({ state: "Degraded", worst: { cluster: "b", reason: b?.reason } });
    expect(await list("causes")).toMatchObject([{ reason: b?.reason, objects: 1, clusters: ["b"] }]);
  });

  test("keep the numbers of a lost cluster, stale, with the last contact", async () => {
    const { complete, contact, list, clock, settle } = await feeding();
    await complete();
    const lastContact = clock.now();
    contact("b", { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact });
    await settle(60_000);
    const rows = await list<PlacedObjectRow>("placedobjects");
    expect(rows).toMatchObject([{ stale: false }, { state: "Unknown", reason: "ClusterUnreachable", stale: true }]);
    expect(Date.parse(rows[1]?.observedAt ?? "")).toBeLessThanOrEqual(lastContact);
    expect(await list("fleetclusters")).toMatchObject([
      { name: "a", state: "Ready", stale: false, objects: 1, unready: 0 },
      { name: "b", state: "Unreachable", stale: true, objects: 1, unready: 1 },
    ]);
    contact("b", { ok: true });
    await settle(1_000);
    expect(await list("placedobjects")).toMatchObject([{ stale: false }, { state: "Available", stale: false }]);
  });

  test("of transitions name their operations events, which say the same", async () => {
    const { complete, happens, list, changes } = await feeding();
    await complete();
    await list("transitions");
    happens("b", degraded);
    const rows = await list<TransitionRow>("transitions");
    const of = (row: TransitionRow | undefined) => changes[Number(row?.eventId?.split("-")[1]) - 1];
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ eventId }) => eventId)).size).toBe(rows.length);
    for (const row of rows) {
      const { from, to, reason, cluster, object } = row;
      expect(of(row)).toMatchObject({ at: Date.parse(row.at), from, to, reason });
      expect([of(row)?.cluster, of(row)?.object]).toEqual([cluster, object]);
    }
    expect(rows).toContainEqual(expect.objectContaining({ cluster: "b", to: "Degraded" }));
  });

  test("follow labels and the region of a cluster", async () => {
    const { complete, server, update, list } = await feeding();
    await complete();
    await update({ metadata: { labels: { tier: "gold" } } });
    server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { labels: { "topology.kubernetes.io/region": "eu" } } });
    const [a] = await list<PlacedObjectRow>("placedobjects");
    expect(a).toMatchObject({ labels: { tier: "gold" }, region: "eu" });
    expect((await list<FleetClusterRow>("fleetclusters"))[0]).toMatchObject({ name: "a", region: "eu" });
  });

  test("go when the object goes", async () => {
    const { complete, server, states, list } = await feeding();
    await complete();
    expect(await list("federatedobjects")).toHaveLength(1);
    server.delete(DEMOAPPLICATIONS, "default", "shop");
    states.forget(`${SHOP.group}/${SHOP.kind}/default/shop`);
    expect(await list("federatedobjects")).toEqual([]);
    expect(await list("placedobjects")).toEqual([]);
  });

  test("are there for an object that is not planned yet", async () => {
    const { list } = await feeding({ apps: [app(), app({ name: "cart" })], placements: [placement(["a"])] });
    const rows = await list<FederatedObjectRow>("federatedobjects");
    expect(rows.map(({ name, state, reason }) => [name, state, reason])).toEqual([
      ["cart", "Progressing", "NotPlanned"],
      ["shop", "Progressing", "NotPlanned"],
    ]);
  });

  test("of an object that cannot be computed stay, and other rows go on", async () => {
    const { complete, view, list, update, feedLines } = await feeding({
      apps: [app(), app({ name: "cart" })],
      placements: [placement(["a", "b"])],
    });
    await complete();
    await list("federatedobjects");
    const { statuses } = view;
    view.statuses = {
      present(owner, unlisted) {
        if (owner.endsWith("/shop")) throw new Error("broken");
        return statuses.present(owner, unlisted);
      },
    };
    await update({ metadata: { labels: { tier: "gold" } } });
    await update({ metadata: { labels: { tier: "tin" } } }, "cart");
    const rows = await list<FederatedObjectRow>("federatedobjects");
    expect(rows.map(({ name, labels }) => [name, labels])).toEqual([
      ["cart", { tier: "tin" }],
      ["shop", {}],
    ]);
    expect(feedLines).toContainEqual(
      expect.objectContaining({ object: expect.stringContaining("shop"), level: "error" }),
    );
  });

  test("a change of one copy is not kept waiting by a cluster that changes as a whole", async () => {
    const { complete, reconcile, contact, settle, list, happens, table, clock } = await feeding({
      apps: [app({ name: "cart" }), app()],
    });
    await complete();
    const cart = `${SHOP.group}/${SHOP.kind}/default/cart`;
    await reconcile(cart);
    await settle();
    await reconcile(cart);
    contact("b", { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact: clock.now() });
    await settle(60_000);
    await list("federatedobjects");
    const { end } = table.log;
    contact("b", { ok: true });
    happens("a", degraded);
    await list("federatedobjects");
    const changed: (string | undefined)[] = [];
    for (let position = end; position < table.log.end; position++) {
      const entry = table.log.at(position);
      if (entry?.of === "object") changed.push(entry.after?.identity.name);
    }
    expect(changed[0]).toBe("shop");
    expect(changed).toContain("cart");
  });

  test("are caught up with what was known, while changes go on without end", async () => {
    const { complete, happens, table, feed, settle } = await feeding();
    await complete();
    await settle(1_000);
    let changes = 0;
    using _ = table.subscribe(() => happens("b", ...(changes++ % 2 === 0 ? [] : [degraded])));
    happens("b", degraded);
    let isCaughtUp = false;
    void feed.caughtUp().then(() => (isCaughtUp = true));
    await settle(5_000);
    expect(changes).toBeGreaterThan(5);
    expect(isCaughtUp).toBe(true);
  });

  test("a burst of changes of one object is one event for a reader", async () => {
    const { complete, happens, list, engine } = await feeding();
    await complete();
    await list("placedobjects");
    await using reader = await follow(engine, query("placedobjects"), ALL);
    const before = engine.watch(query("placedobjects"), ALL, {
      since: (await engine.list(query("placedobjects"), ALL)).resourceVersion,
    });
    for (let times = 0; times < 5; times++) {
      happens("b", degraded);
      happens("b");
    }
    happens("b", degraded);
    await list("placedobjects");
    before.bookmark();
    const events: string[] = [];
    for await (const event of before) {
      if (event.type === "BOOKMARK") break;
      events.push(`${event.type} ${(event.object as PlacedObjectRow).cluster}`);
    }
    expect(events).toEqual(["MODIFIED b"]);
    expect(await reader.rows()).toHaveLength(2);
  });
});

describe("while nobody asks", () => {
  test("changes are gathered for longer, and the first reader finds them all", async () => {
    const { complete, happens, table, feed, settle } = await feeding();
    await complete();
    await settle(1_000);
    let commits = 0;
    using _ = table.subscribe(() => commits++);
    for (let times = 0; times < 20; times++) {
      happens("b", ...(times % 2 === 0 ? [degraded] : []));
      await settle(50);
    }
    expect(commits).toBeLessThanOrEqual(3);
    happens("b", degraded);
    using _reader = await feed.read();
    const worst = [...table.places.with("cluster", ["b"])].flatMap(({ rows }) => [...rows]);
    expect(worst.map(({ entry }) => entry.value?.placed.map(({ state }) => state))).toEqual([
      ["Available", "Degraded"],
    ]);
  });

  test("and nobody reads operations events, a change waits seconds and keeps its time", async () => {
    const { complete, happens, cache: hub, view, clock, settle } = await feeding();
    await complete();
    const table = new Table({ now: () => clock.now() });
    using feed = new Feed({ table, hub, view, clock, logger: logLines().logger });
    await feed.caughtUp();
    let commits = 0;
    using _ = table.subscribe(() => commits++);
    happens("b", degraded);
    const happenedAt = clock.now();
    await settle(4_000);
    expect(commits).toBe(0);
    using _reader = await feed.read();
    const engine = new Engine({ table, ...outsideOf(clock) });
    expect((await engine.list(query("transitions"), ALL)).items).toContainEqual(
      expect.objectContaining({ cluster: "b", to: "Degraded", at: new Date(happenedAt).toISOString() }),
    );
  });

  test("a reader, and whoever asked lately, sees changes at once", async () => {
    const { complete, happens, table, feed, settle } = await feeding();
    await complete();
    const isFast = async (): Promise<boolean> => {
      let commits = 0;
      using _ = table.subscribe(() => commits++);
      happens("b", degraded);
      await settle(60);
      happens("b");
      await settle(60);
      return commits >= 2;
    };
    const reader = await feed.read();
    await settle(120_000);
    expect(await isFast()).toBe(true);
    reader[Symbol.dispose]();
    await settle(30_000);
    expect(await isFast()).toBe(true);
    await settle(60_000);
    expect(await isFast()).toBe(false);
  });
});

describe("transitions", () => {
  test("name what changed where, and because of what; the first fill is no news", async () => {
    const { complete, happens, update, plan, list, engine, contact, settle } = await feeding();
    await complete();
    await list("federatedobjects");
    const first = (await list<{ to: string }>("transitions")).length;
    happens("b", degraded);
    const after = await list<object>("transitions");
    expect(after.length).toBeGreaterThan(first);
    expect(after).toContainEqual(
      expect.objectContaining({ object: SHOP, cluster: "b", from: "Available", to: "Degraded" }),
    );
    await update({ metadata: { generation: 2 }, spec: { image: "nginx:1.28" } });
    await plan();
    expect(engine.history(SHOP, ALL)[0] ?? (await list("transitions"))[0]).toBeDefined();
    expect(await list("transitions")).toContainEqual(
      expect.objectContaining({ object: SHOP, because: { generation: 2 } }),
    );
    contact("a", { ok: false, reason: "ClusterUnreachable", message: "no answer", lastContact: 0 });
    await settle(60_000);
    const lost = await list("transitions");
    expect(lost).toContainEqual(expect.objectContaining({ cluster: "a", from: "Ready", to: "Unreachable" }));
    expect(lost).toContainEqual(expect.objectContaining({ object: SHOP, cluster: "a", because: { cluster: "a" } }));
  });
});

test("an object that is made later begins, even if its status is there before its row", async () => {
  const { complete, server, list, clock } = await feeding();
  await complete();
  await list("federatedobjects");
  const creationTimestamp = new Date(clock.now() + 1_000).toISOString();
  server.create(DEMOAPPLICATIONS, { ...app({ name: "late", creationTimestamp }), ...statusOn("a") });
  const late = expect.objectContaining({ object: { ...SHOP, name: "late" }, from: "" });
  expect(await list("transitions")).toContainEqual(late);
});

test("a feed that begins reports no transitions of what was there before", async () => {
  const {
    complete,
    cache: hub,
    states,
    assignments,
    observations,
    contacts,
    reconciler: statuses,
    clock,
    settle,
  } = await reporting();
  await complete();
  const table = new Table({ now: () => clock.now() });
  const view = { states, assignments, observations, contacts, statuses };
  using feed = new Feed({ table, hub, view, clock, logger: logLines().logger });
  await settle(100);
  await feed.caughtUp();
  expect([table.size, table.transitions.fleet()]).toEqual([1, []]);
});

test("a feed has caught up when every object of the hub has its row", async () => {
  const names = ["cart", "shop", "web"];
  const { feed, table, clock } = await feeding({ apps: names.map((name) => app({ name })) });
  const caughtUp = feed.caughtUp();
  await clock.advance(1_000);
  await caughtUp;
  expect(names.map((name) => table.object({ ...SHOP, name })?.identity.name)).toEqual(names);
});

test("keys of the table are keys of the planner", async () => {
  const { complete, list, table, onHub } = await feeding();
  await complete();
  await list("federatedobjects");
  const { kind, namespace, name } = refOf(onHub());
  expect(table.object({ ...SHOP, kind, ...(namespace === undefined ? {} : { namespace }), name })).toBeDefined();
});
