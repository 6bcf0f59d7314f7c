import { setTimeout as sleep } from "node:timers/promises";
import { collectionPath } from "../../e2e/objects.ts";
import type { FloorFigures, RoundFigures, UsageFigures } from "../figures.ts";
import type { BenchOptions } from "../options.ts";
import { cpuSeconds, residentMiB } from "../processUsage.ts";
import { HUB, memberWrites, type Requests } from "../requests.ts";
import { meanOf, middleOf, roundOf } from "../rounds.ts";
import type { Stage } from "../stage.ts";
import { applicationNames, FLOOR_NAMESPACE, NAMESPACE, WARM_UP } from "../workload.ts";
import { KindFloor } from "./floor.ts";
import { KindRollouts } from "./rollouts.ts";
import { type KindWorkload, placementOf } from "./workload.ts";

/** For how long a restarted manager is watched for writes, from when it is ready. */
const RESTART_WATCH_MS = 10_000;

/** Objects of one kind beside their floor. */
export interface KindFigures extends RoundFigures, UsageFigures {
  title: string;
  objects: number;
  members: number;
  /** What each becomes on a member, and how many of these an update changes. */
  copies: number;
  changes: number;
  rounds: RoundFigures[];
  /** Of a manager that starts while everything is in sync. */
  restart: { hubWrites: number; memberWrites: number };
  /** Objects left anywhere after everything was deleted in the end. */
  left: number;
  loadAverage: Record<string, number>;
  requests: Record<string, Requests>;
}

/**
 * Creates, updates and deletes the objects as often as is asked, with the floor before and after each time, and starts the manager anew in the
 * middle of the last time.
 */
export async function measureKinds(
  workload: KindWorkload,
  { apps, members, rounds: count }: BenchOptions,
  stage: Stage,
): Promise<KindFigures> {
  const { names } = stage;
  const few = applicationNames(WARM_UP).map((name) => `warm-${name}`);
  const rounds: RoundFigures[] = [];
  const usages: UsageFigures[] = [];
  let restart = { hubWrites: Number.NaN, memberWrites: Number.NaN };
  stage.say("warming up");
  await floorOf(workload, stage, names.slice(0, WARM_UP));
  let before = await floorOf(workload, stage, names);
  await stage.startManager();
  await stage.federate([placementOf(workload)]);
  for (let round = 1; round <= count; round++) {
    using rollouts = new KindRollouts(workload, stage.hub, stage.fleet);
    await rollouts.create(few, 1);
    await rollouts.update(few, 2);
    await rollouts.deleteAll(few);
    await stage.settle();
    const cpuBefore = await cpuSeconds(stage.pid);
    const create = ofObjects(await stage.rollout("create", () => rollouts.create(names, 1)), "create", stage);
    const update = ofObjects(await stage.rollout("update", () => rollouts.update(names, 2)), "update", stage);
    usages.push({ rssMiB: await residentMiB(stage.pid), cpuSeconds: (await cpuSeconds(stage.pid)) - cpuBefore });
    if (round === count) restart = await restarted(stage);
    const deleted = await stage.deletion("delete", { deleteAll: () => rollouts.deleteAll(names) });
    const deletion = ofObjects(deleted, "delete", stage);
    await stage.stopManager();
    const after = await floorOf(workload, stage, names);
    rounds.push(roundOf(meanOf(before, after), create, update, deletion));
    before = after;
    if (round < count) await stage.startManager();
  }
  const [usage] = usages;
  if (usage === undefined) throw new Error("the bench needs a round");
  const copies = workload.copies(NAMESPACE, "any", 1).flat();
  return {
    title: workload.title,
    objects: apps,
    members,
    copies: copies.length,
    changes: copies.filter(({ kind }) => workload.changes.includes(kind)).length,
    ...middleOf(rounds),
    rounds,
    ...usage,
    restart,
    left: await leftOf(workload, stage),
    loadAverage: stage.load,
    requests: stage.requests,
  };
}

/** Without the one or two writes in which the Placement says how many objects it has: these are none of an object's. */
function ofObjects<T extends { hubWritesPerApp: number }>(measured: T, phase: string, stage: Stage): T {
  const own = (stage.requests[phase]?.rows ?? []).filter(
    ({ cluster, resource, verb }) => cluster === HUB && resource === "placements/status" && verb === "APPLY",
  );
  const count = own.reduce((sum, row) => sum + row.count, 0);
  return { ...measured, hubWritesPerApp: measured.hubWritesPerApp - count / stage.names.length };
}

async function floorOf(workload: KindWorkload, stage: Stage, names: readonly string[]): Promise<FloorFigures> {
  const { hub, fleet, members } = stage;
  // The floor carries the same measuring equipment as what is measured against it.
  using _watches = new KindRollouts(workload, hub, fleet, FLOOR_NAMESPACE);
  const clients = new Map(members.map((client) => [client.name, client]));
  const pairs = fleet.members.map((member) => {
    const client = clients.get(member.name);
    if (client === undefined) throw new Error(`the bench has no client of ${member.name}`);
    return { member, client };
  });
  await stage.begin("floors");
  return await new KindFloor(workload, hub, pairs).measure(names);
}

async function restarted(stage: Stage): Promise<KindFigures["restart"]> {
  await stage.stopManager();
  await stage.begin("restart");
  await stage.startManager();
  await sleep(RESTART_WATCH_MS);
  const requests = await stage.log.now();
  stage.requests["restart"] = requests;
  return { hubWrites: requests.writes[HUB] ?? 0, memberWrites: memberWrites(requests) };
}

/** Objects of the bench's namespace on hub and members; what an API server puts into each namespace by itself is not counted. */
async function leftOf({ kind, told, copies }: KindWorkload, { fleet }: Stage): Promise<number> {
  const ofMembers = new Set(copies(NAMESPACE, "any", 1).flatMap((phase) => phase.map((copy) => copy.kind)));
  const collections = [
    ...[...new Set([kind, told.kind])].map((one) => ({ api: fleet.hub.api, kind: one })),
    ...fleet.members.flatMap(({ plane }) => [...ofMembers].map((one) => ({ api: plane.api, kind: one }))),
  ];
  let left = 0;
  for (const { api, kind: one } of collections) {
    const found = await api.list(collectionPath(one, NAMESPACE));
    left += found.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt").length;
  }
  return left;
}
