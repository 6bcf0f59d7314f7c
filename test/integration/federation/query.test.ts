import { expect, onTestFinished, test } from "vitest";
import type { FederatedStatus } from "../../../src/apis/index.ts";
import { saidWait, waitsInStatus } from "../../../src/desiredstate/index.ts";
import { Engine, Feed, Table } from "../../../src/query/index.ts";
import { ALL, query } from "../../../src/query/testing/fleet.ts";
import { type Follower, follow, listAll } from "../../../src/query/testing/reader.ts";
import type { CauseRow, FleetClusterRow, PlacedObjectRow, Resource, RowOf } from "../../../src/query/types.ts";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { breakAll, mendAll } from "./fiveFaults.ts";
import { TestFederation } from "./harness.ts";

const FAULTS = { quota: "r03", stuck: "r01", slow: "r02", silent: "r04" };

/** A federation whose manager feeds a table. */
async function asked(...names: string[]) {
  const federation = await TestFederation.prepare(...names);
  const { clock } = federation;
  const state: { table?: Table } = {};
  federation.onStart = (view, hub) => {
    const table = new Table({ now: () => clock.now() });
    const logger = { error: (...line: unknown[]) => expect.fail(JSON.stringify(line)) };
    const feed = new Feed({ table, hub, view, clock, logger });
    onTestFinished(() => feed[Symbol.dispose]());
    state.table = table;
  };
  await federation.startManager();
  await federation.apply(PLACEMENTS, placement("all"));
  const { table } = state;
  if (table === undefined) throw new Error("the manager did not start");
  const outside = { now: () => clock.now(), random: () => 0.5, randomId: () => "id", pause: () => undefined };
  const engine = new Engine({ table, ...outside });
  const list = async <R extends Resource>(resource: R): Promise<RowOf[R][]> =>
    (await listAll(engine, query(resource, { limit: 500 }), ALL)).items as RowOf[R][];
  return { federation, engine, list };
}

type Line = [name: string, cluster: string, state: string, reason: string | undefined, ready: number, desired: number];

/** What the statuses on the hub say of each object and cluster. */
function written(federation: TestFederation): Line[] {
  return federation.hub.list(DEMOAPPLICATIONS).flatMap(({ metadata, ...object }) => {
    const { clusters = [] } = (object["status"] ?? {}) as FederatedStatus;
    return clusters.map(({ name, state, reason, replicas }): Line => [
      metadata.name,
      name,
      state,
      reason,
      replicas.ready,
      replicas.desired,
    ]);
  });
}

const linesOf = (rows: readonly PlacedObjectRow[]): Line[] =>
  rows.map(({ name, cluster, state, reason, ready, desired }) => [name, cluster, state, reason, ready, desired]);

test("rows say what statuses say, through a bad night, and readers of watches have the same", async () => {
  const { federation, engine, list } = await asked("r01", "r02", "r03", "r04");
  await using stack = new AsyncDisposableStack();
  stack.use(federation);
  const followers: [Resource, Follower][] = [];
  for (const resource of ["federatedobjects", "placedobjects", "fleetclusters", "causes"] as const)
    followers.push([resource, stack.use(await follow(engine, query(resource), ALL))]);
  const agree = async (): Promise<void> => {
    await federation.pass(20_000);
    expect(linesOf(await list("placedobjects"))).toEqual(written(federation));
    for (const [resource, follower] of followers) {
      const rows = (await list(resource)).map(withoutObservation);
      const seen = (await follower.rows()).map((text) => withoutObservation(JSON.parse(text) as object));
      expect(seen.toSorted()).toEqual(rows.toSorted());
    }
  };

  for (const name of ["billing", "old", "shop"])
    await federation.apply(DEMOAPPLICATIONS, demoApplication(name).replica(2));
  for (const name of ["billing", "old", "shop"]) await federation.untilAvailable(name);
  await agree();
  expect(await list("federatedobjects")).toMatchObject(
    ["billing", "old", "shop"].map((name) => ({
      name,
      state: "Available",
      clusters: { ready: 4, total: 4 },
      ready: 8,
      stale: false,
    })),
  );
  expect(await list("causes")).toEqual([]);

  await breakAll(federation, FAULTS);
  await federation.pass(30_000);
  await agree();
  const causes: CauseRow[] = await list("causes");
  expect(causes.map(({ reason, clusters, objects }) => [reason, clusters.join(), objects])).toEqual(
    expect.arrayContaining([
      ["ClusterUnreachable", "r04", 3],
      ["ImagePullBackOff", "r01,r02", 1],
      ["QuotaExceeded", "r03", 1],
      ["Terminating", "r01", 1],
    ]),
  );
  const clusters: FleetClusterRow[] = await list("fleetclusters");
  expect(clusters.map(({ name, state, reason }) => [name, state, reason])).toEqual([
    ["r01", "Ready", undefined],
    ["r02", "Ready", "SlowAnswers"],
    ["r03", "Ready", undefined],
    ["r04", "Unreachable", "ClusterUnreachable"],
  ]);
  const pull = causes.find(({ reason }) => reason === "ImagePullBackOff");
  expect(pull?.change).toMatchObject({ object: { name: "billing" }, generation: 2 });
  const shop = (await list("federatedobjects")).find(({ name }) => name === "shop");
  expect(shop).toMatchObject({ stale: true, worst: { cluster: "r04", reason: "ClusterUnreachable" } });
  expect(Date.parse(shop?.observedAt ?? "")).toBeLessThan(federation.clock.now() - 20_000);
  expect((await list("transitions")).filter(({ because }) => because?.cluster === "r04")).not.toEqual([]);

  await mendAll(federation, FAULTS);
  await federation.pass(180_000);
  await agree();
  expect((await list("federatedobjects")).map(({ name, state }) => [name, state])).toEqual([
    ["billing", "Available"],
    ["shop", "Available"],
  ]);
  expect(await list("causes")).toEqual([]);
}, 120_000);

/** A row is observed anew with each answer. */
function withoutObservation(row: object): string {
  const { observedAt: _, ...rest } = row as { observedAt?: string };
  return JSON.stringify(rest);
}

test("a row says of a rollout that waits for a person what the status shows a reader of the hub", async () => {
  const { federation, list } = await asked("r01", "r02");
  await using _ = federation;
  const stages = ["r01", "r02"].map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
  const [first, ...others] = stages;
  if (first === undefined) throw new Error("there is no stage");
  const rollout = { stages: [{ ...first, approval: "Manual" as const }, ...others] };
  await federation.apply(PLACEMENTS, placement("all").rollout(rollout));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2));
  const object = () => federation.hub.get(DEMOAPPLICATIONS, "default", "shop");
  const status = (): FederatedStatus | undefined => object()["status"] as FederatedStatus | undefined;
  await federation.until(() => status()?.rollout?.state === "Paused");
  await federation.pass(5_000);
  const [row] = await list("federatedobjects");
  const approval = row?.waits.find((wait) => wait.for === "approval");
  expect(approval?.message).toMatch(/^for a person to approve stage r01 since /);
  expect(waitsInStatus(object(), status()).map(saidWait)).toEqual([approval]);
});
