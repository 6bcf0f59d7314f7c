import {
  type FederatedStatus,
  type KubeObject,
  type PlacementSpec,
  type RolloutStatus,
  sameValue,
} from "../../apis/index.ts";
import { assembleSnapshot, computeTarget, copiesOf, type Observation, type Target } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { GateReply } from "../../rollout/index.ts";
import { CONTROLLERREVISIONS, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import type { GatedRun, Gates } from "../facts/gates.ts";
import { resolvedOf } from "../object/plan/objectDependencies.ts";
import { type RolloutPlan, type RolloutRequest, Rollouts, type PlannedRollout } from "../object/rollout/rollouts.ts";
import { observation } from "./builders.ts";
import { APP, app, placement, planning } from "./planning.ts";

/** A step of a rollout. `isDurable`: the hub has held its state before. */
type Staged = PlannedRollout & { isDurable: boolean };

type Policy = NonNullable<PlacementSpec["rollout"]>;

/** A rollout policy with two stages: first the cluster `a`, then the other clusters. */
export const CANARY = {
  stages: [{ name: "canary", targetClusters: { clusterNames: ["a"] } }, { name: "rest" }],
} satisfies Policy;

/** Fake gates. `gateCalls` records their calls as short texts; `replies` holds their answers. */
function fakeGates() {
  const gateCalls: string[] = [];
  const replies = new Map<string, GateReply>();
  const textOf = ({ owner, query, status }: GatedRun): string => `${owner} ${query} ${status?.state}`;
  const gates = {
    replies: (run: GatedRun) => (gateCalls.push(`replies ${textOf(run)}`), replies),
    ask: (run: GatedRun, stages: readonly string[]) => void gateCalls.push(`ask ${textOf(run)}: ${stages.join()}`),
    forget: (owner: string) => void gateCalls.push(`forget ${owner}`),
  } as unknown as Gates;
  return { gates, gateCalls, replies };
}

/** An application that this policy rolls out in stages, on a hub in memory. The test keeps the status. */
export async function rollingOut(rollout?: object, clusters: readonly string[] = ["a", "b"], image = "nginx:1") {
  const all = await planning({
    apps: [app({ uid: "shop-uid" }, { image })],
    placements: [placement(clusters, rollout === undefined ? {} : { rollout })],
    clusters,
  });
  const { shared, cache, clock, observations, server, settle, signal } = all;
  all.hub.serve(CONTROLLERREVISIONS);
  const { gates, gateCalls, replies } = fakeGates();
  /** The index of the last plan. A status without an index gets this index. */
  const index: { of: RolloutStatus["revisions"] } = { of: undefined };
  /** The binding that holds the status of a propagated object. */
  const binding: { of: KubeObject | undefined } = { of: undefined };
  const hub = {
    kindOf: () => ({ propagated: binding.of !== undefined }),
    bindings: { of: () => binding.of },
  } as unknown as HubCache;
  const sources = { ...shared, gates, hub };
  const rollouts = new Rollouts(sources);

  const requestOf = (current?: RolloutStatus, change: Partial<RolloutRequest> = {}): RolloutRequest => {
    const found = cache.object(APP);
    if (found === undefined) throw new Error("the hub has no application");
    const { object } = found;
    const known = resolvedOf(shared, APP, found);
    const snapshot = assembleSnapshot(shared.hubState, object, known);
    const now = clock.now();
    const target = computeTarget(snapshot, now);
    const indexed = index.of === undefined || current === undefined ? current : { ...current, revisions: index.of };
    const status: FederatedStatus | undefined = indexed && { rollout: indexed };
    const seen = (): Observation[] => copiesOf(shared.hubState, APP);
    const placed = known?.choice.placement;
    return { owner: APP, object, placement: placed, snapshot, target, observations: seen, status, now, ...change };
  };
  const plan = async (current?: RolloutStatus, change?: Partial<RolloutRequest>): Promise<RolloutPlan> => {
    const planned = await rollouts.plan(requestOf(current, change), signal);
    if (planned.kind === "Rollout") index.of = planned.status.revisions;
    return planned;
  };
  /** ObjectStates one step of the rollout, and settles the step if the hub has its state. */
  const staged = async (current?: RolloutStatus, change?: Partial<RolloutRequest>): Promise<Staged> => {
    const request = requestOf(current, change);
    const found = await plan(current, change);
    if (found.kind !== "Rollout") throw new Error(`the rollout is ${found.kind}`);
    const isDurable = sameValue(found.status, request.status?.rollout);
    if (isDurable) await rollouts.settle(request, found, signal);
    return { ...found, isDurable };
  };
  /** ObjectStates until the hub holds the status of the step. */
  const durable = async (current?: RolloutStatus): Promise<Staged> => {
    let step = await staged(current);
    for (let more = 10; !step.isDurable && more > 0; more -= 1) step = await staged(step.status);
    return step;
  };
  /** Reports that the cluster has the objects of this target, with this health. */
  const has = (cluster: string, target: Target, state: "Available" | "Failed" = "Available"): void => {
    const { owner, clusters: targets } = target;
    for (const { ref, hash } of targets.find(({ name }) => name === cluster)?.objects ?? [])
      observations.report(cluster, [
        observation({ cluster, ref, inSyncWith: hash, present: { hash, owner, health: { state } } }),
      ]);
  };
  /** Reports the present target on all clusters, and plans until all stages have succeeded. */
  const succeed = async (current?: RolloutStatus): Promise<Staged> => {
    const { target } = requestOf(current);
    for (const name of clusters) has(name, target);
    return await durable(current);
  };
  const change = async (patch: object): Promise<void> => {
    server.merge(DEMOAPPLICATIONS, "default", "shop", patch);
    await settle();
  };
  const setImage = (to: string): Promise<void> => change({ spec: { image: to } });
  return {
    ...all,
    ...{
      sources,
      rollouts,
      gateCalls,
      replies,
      binding,
      index,
      requestOf,
      plan,
      staged,
      durable,
      has,
      succeed,
      change,
      setImage,
    },
  };
}

/** The images that a target's clusters get, as `cluster image`. */
export function imagesOf({ clusters }: Target): string[] {
  return clusters.map(({ name, objects }) => {
    const text = JSON.stringify(objects.map(({ object }) => object));
    return `${name} ${/"image":"([^"]*)"/.exec(text)?.[1] ?? "none"}`;
  });
}
