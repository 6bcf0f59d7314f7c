import {
  type ClusterStatusEntry,
  defined,
  durationMs,
  type FederatedStatus,
  isOutOfContact,
  type KubeObject,
  type Reason,
  type RolloutStatus,
} from "../../apis/index.ts";
import { policyOfStage, type RolloutPolicy } from "../../rollout/index.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Target } from "../types.ts";
import { awaitsAnyCluster, waitsOfRoom, waitsOfRun } from "./planWaits.ts";
import type { WaitFor, WaitReason } from "./types.ts";

/** A wait that objects of the hub show. `since` is undefined if no object there has the start of the wait. */
export interface ShownWait extends WaitFor {
  /** Epoch milliseconds. */
  since?: number;
}

/**
 * The waits of an object that a reader of the hub can derive: from its status, and from the target that follows from
 * the same objects. The hub does not show the waits of the manager for its own caches, for reads, or for copies that
 * the status does not name. `rules`: the rollout section of its placement.
 */
export function waitsOnHub(
  { object, previous }: Pick<Snapshot, "object" | "previous">,
  target: Target,
  rules: RolloutPolicy | undefined,
): ShownWait[] {
  const shown = waitsInStatus(object, previous, rules);
  if (object.metadata.deletionTimestamp !== undefined) return shown;
  const anyCluster: ShownWait[] = awaitsAnyCluster(target) ? [{ for: "contact" }] : [];
  const time: ShownWait[] = target.recheckAt === undefined ? [] : [{ for: "window", until: target.recheckAt }];
  return distinct([...shown, ...waitsOfRoom(target), ...anyCluster, ...time]);
}

/** The waits that the status of an object shows. Without `rules`, the end of a soak is unknown. */
export function waitsInStatus(
  { metadata }: Pick<KubeObject, "metadata">,
  status: FederatedStatus | undefined,
  rules?: RolloutPolicy,
): ShownWait[] {
  const run = metadata.deletionTimestamp === undefined ? waitsOfRollout(status?.rollout, rules) : [];
  return distinct([...run, ...(status?.clusters ?? []).flatMap(waitsOfEntry)]);
}

/** The first wait for each thing counts. */
function distinct(waits: readonly ShownWait[]): ShownWait[] {
  return [...Map.groupBy(waits, (wait) => `${wait.for} ${wait.of ?? ""}`).values()].flatMap(([first]) => first ?? []);
}

/** Besides its stop, a run waits for the clusters that change, and for the end of a soak. */
function waitsOfRollout(status: RolloutStatus | undefined, rules: RolloutPolicy | undefined): ShownWait[] {
  if (status === undefined || IS_OVER.has(status.state)) return [];
  const stops = waitsOfRun(status).map((wait) => ({ ...wait, ...sinceOf(status.since) }));
  const stages = status.stages ?? [];
  const changing = stages.flatMap(({ clusters = [] }) => clusters.filter(({ state }) => CHANGING.has(state)));
  const reports = changing.map(({ name, since }): ShownWait => ({ for: "contact", of: name, ...sinceOf(since) }));
  const soaks = stages.flatMap(({ name, state, soakingSince }): ShownWait[] => {
    const { soak } = rules === undefined ? {} : policyOfStage(rules, name);
    const begun = sinceOf(soakingSince);
    if (state !== "Soaking" || soak === undefined || begun.since === undefined) return [];
    return [{ for: "window", of: name, ...begun, until: begun.since + durationMs(soak) }];
  });
  return [...stops, ...reports, ...soaks];
}

const IS_OVER: ReadonlySet<RolloutStatus["state"]> = new Set(["RolledBack", "Superseded"]);
/** States of clusters whose reports a run waits for. */
const CHANGING: ReadonlySet<string> = new Set(["Applying", "Verifying"]);

/** The wait of the copies on one cluster: for contact, or for the obstacle to a removal. */
function waitsOfEntry({ name, state, reason, since, observedAt }: ClusterStatusEntry): ShownWait[] {
  if (isOutOfContact({ state, ...defined({ reason }) })) return [{ for: "contact", of: name, ...sinceOf(observedAt) }];
  const obstacle = OBSTACLES[reason ?? ""];
  if (obstacle !== undefined) return [{ for: obstacle, ...sinceOf(since) }];
  return state === "Removing" ? [{ for: "contact", of: name, ...sinceOf(since) }] : [];
}

/** Who ends a hold of a removal or a replacement. The reasons of other holds name the cluster. */
const OBSTACLES: Readonly<Record<string, WaitReason>> = {
  HubNotSynced: "hubSync",
  PlanningIncomplete: "hubSync",
  DeletionsHeld: "hubSync",
  NeededByOthers: "others",
  OtherOwner: "others",
  OwnerUnconfirmed: "others",
  AwaitingReplacement: "contact",
  HubWentBack: "approval",
  HoldsData: "approval",
  CustomObjectsExist: "approval",
} satisfies Partial<Record<Reason, WaitReason>>;

function sinceOf(time: string | undefined): { since?: number } {
  const since = Date.parse(time ?? "");
  return Number.isNaN(since) ? {} : { since };
}
