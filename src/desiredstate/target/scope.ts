import {
  counted,
  type FederatedStatus,
  type KubeObject,
  type Message,
  type MessageParts,
  namesText,
  parseApiVersion,
  type Placement,
  type Reason,
  refKey,
  refOf,
  unknownClusterWords,
  withoutEntryIn,
  joinCommand,
} from "../../apis/index.ts";
import { hubKindOf, isRendered } from "../../interpreter/index.ts";
import {
  type ClusterSnapshot,
  type Decision,
  indexOfName,
  schedule,
  type Subject,
  type Verdict,
} from "../../scheduler/index.ts";
import { type Failover, scheduleWithFailover, withRescheduling } from "../failover/index.ts";
import { AWAITING_REPLACEMENT } from "../rows/index.ts";
import type { Target } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";

/** Reason to keep a copy that no record of the hub names, while no policy places the object. */
const COPY_FOUND: Reason = "CopyFound";

/** The clusters that get the object, the clusters that keep it unchanged, and why. */
export interface Scope {
  decision: Decision;
  scheduled: Target["scheduled"];
  /** The affected clusters, sorted by name; without clusters that are being deleted. */
  places: readonly Place[];
  suspended: boolean;
  failover?: Failover;
}

/**
 * Clusters that run the object now, as far as known, with the replicas last given to each. A cluster in state Removing
 * does not count: the removal was decided while a policy placed the object elsewhere. A cluster that serves until the
 * object has arrived elsewhere counts. Otherwise nothing would keep the object there if no other cluster fits.
 */
export function currentClusters(
  { previous, running, clusters }: Snapshot,
  reported: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number | undefined>,
): ReadonlyMap<string, number | undefined> {
  const current = new Map<string, number | undefined>(found);
  const removing = new Set<string>();
  for (const name of withoutEntryIn(previous)) current.set(name, undefined);
  for (const { name, state, reason } of previous?.clusters ?? []) {
    if (state === "Removing" && reason !== AWAITING_REPLACEMENT) removing.add(name);
    else current.set(name, reported.get(name));
  }
  for (const name of running ?? []) if (!removing.has(name)) current.set(name, reported.get(name));
  if (previous?.unlistedClusters === undefined && running === undefined) {
    // An earlier version wrote only a summary by region. Freezing a cluster in vain harms nobody.
    const regions = new Set((previous?.summary ?? []).map(({ region }) => region));
    if (regions.size === 0) return current;
    for (const { name, region } of clusters)
      if (regions.has(region ?? "") && !removing.has(name)) current.set(name, reported.get(name));
  }
  return current;
}

/** Clusters that only their copies name, by the record or by a status entry that says so; undefined if none. */
export function foundClusters(
  { previous, running }: Snapshot,
  found: ReadonlyMap<string, number | undefined>,
): ReadonlySet<string> | undefined {
  const names = new Set(found.keys());
  if (names.size > 0) for (const name of [...(running ?? []), ...withoutEntryIn(previous)]) names.delete(name);
  for (const { name, state, reason } of previous?.clusters ?? []) {
    if (state === "Held" && reason === COPY_FOUND) names.add(name);
    else names.delete(name);
  }
  return names.size === 0 ? undefined : names;
}

/** Replicas by cluster, as copies without a record on the hub ask for. `rendered`: the object's member objects. */
export function foundReplicas(
  { found = [] }: Snapshot,
  rendered: readonly KubeObject[],
): ReadonlyMap<string, number | undefined> {
  const replicas = new Map<string, number | undefined>();
  if (found.length === 0) return replicas;
  const keys = new Set(rendered.map((object) => refKey(refOf(object))));
  for (const copy of found) {
    if (keys.size > 0 && !keys.has(refKey(copy.ref))) continue;
    const before = replicas.get(copy.cluster);
    replicas.set(copy.cluster, copy.replicas === undefined ? before : (before ?? 0) + copy.replicas);
  }
  return replicas;
}

export interface Place {
  cluster: ClusterSnapshot;
  /** True: the cluster runs the object and keeps its copies unchanged. False: the objects are written. */
  frozen: boolean;
  /** The cluster is frozen and no record of the hub names it ({@link COPY_FOUND}). */
  found?: true;
  /** The cluster's share of the replicas; undefined if the replicas are not divided. */
  replicas?: number | undefined;
}

export function scopeOf(
  snapshot: Snapshot,
  placement: Placement | undefined,
  subject: Subject,
  clusters: readonly ClusterSnapshot[],
  now: number,
): Scope {
  const keepable: Place[] = [];
  const current = keptClusters(subject, snapshot);
  for (const cluster of current.size === 0 ? [] : clusters) {
    if (!cluster.deleting && current.has(cluster.name)) {
      const isFound = subject.found?.has(cluster.name) === true;
      keepable.push({ cluster, frozen: true, ...(isFound ? { found: true as const } : {}) });
    }
  }
  if (placement !== undefined) {
    const { failover: rules } = placement.spec;
    const { decision, failover } =
      rules === undefined
        ? { decision: decided(subject, placement, clusters, snapshot, now) }
        : scheduleWithFailover(subject, placement, rules, clusters, snapshot, now);
    if (placement.spec.suspend === true) {
      const scope = suspended(placement, decision, keepable);
      // Nothing moves during the suspension, and earlier departures stay recorded.
      const { departures = [] } = snapshot.previous ?? {};
      return failover === undefined ? scope : { ...scope, failover: { ...failover, departures } };
    }
    const isUndivided = placement.spec.replicaScheduling.mode === "Divided" && subject.replicas === undefined;
    const message = `${selectedMessage(decision, clusters.length)}${isUndivided ? NOTHING_TO_DIVIDE : ""}`;
    const scope = placed(decision, clusters, keepable, "ClustersSelected", message);
    return failover === undefined ? scope : { ...scope, failover };
  }

  const mayBeOnHub = ({ local, deleting }: ClusterSnapshot): boolean =>
    local && !deleting && isRendered(snapshot.object) && !isOffHub(snapshot.object);
  const locals = clusters.filter(mayBeOnHub).map(({ name }) => name);
  if (locals.length > 0 && isUnderDefault(snapshot.previous, current, clusters)) {
    const group = { name: "local", clusterNames: locals };
    const rules = { clusterAffinities: [group], replicaScheduling: { mode: "Duplicated" as const } };
    const decision = schedule(subject, rules, clusters, now);
    return placed(
      decision,
      clusters,
      keepable,
      "DefaultPlacement",
      `no placement selects it; it runs on the local cluster ${locals.join(", ")}`,
    );
  }

  const message = "no placement selects it";
  const verdicts = clusters.map(({ name }): Verdict => ({
    cluster: name,
    fits: false,
    reason: "NoPlacement",
    message,
    steps: [],
  }));
  const remedy =
    keepable.length === 0
      ? "create a Placement that does"
      : `it is kept as it is on ${counted(keepable.length, "cluster")}: create a Placement that does, or delete it`;
  const scheduled = notScheduled("NoPlacement", { what: message, remedy });
  return { decision: { clusters: [], verdicts }, scheduled, places: keepable, suspended: false };
}

function keptClusters({ current }: Subject, { found = [] }: Snapshot): Subject["current"] {
  const foundOnJoin = new Set(found.flatMap(({ cluster, beforeJoin }) => (beforeJoin === true ? [cluster] : [])));
  return foundOnJoin.size === 0 ? current : new Map([...current].filter(([name]) => !foundOnJoin.has(name)));
}

function decided(
  subject: Subject,
  placement: Placement,
  clusters: readonly ClusterSnapshot[],
  { previous }: Snapshot,
  now: number,
): Decision {
  const decide = (who: Subject): Decision => schedule(who, placement.spec, clusters, now);
  return withRescheduling(subject, placement, clusters, previous, now, decide);
}

/** The content of a bundle must not run on the hub unless a policy says so. */
function isOffHub({ apiVersion, kind }: KubeObject): boolean {
  return hubKindOf(parseApiVersion(apiVersion).group, kind)?.holdsManifests === true;
}

/**
 * True if the default policy applies: the object runs nowhere yet, or only on local clusters and never had a policy. An
 * object that lost its policy keeps its copies and does not fall back to the default policy. The reason NoPlacement in
 * the last status shows this.
 */
function isUnderDefault(
  previous: FederatedStatus | undefined,
  current: ReadonlyMap<string, unknown>,
  clusters: readonly ClusterSnapshot[],
): boolean {
  if (current.size === 0) return true;
  if (previous?.placement !== undefined) return false;
  if (previous?.conditions?.some(({ type, reason }) => type === "Scheduled" && reason === "NoPlacement") === true)
    return false;
  const locals = new Set(clusters.filter(({ local }) => local).map(({ name }) => name));
  return [...current.keys()].every((name) => locals.has(name));
}

function placed(
  decision: Decision,
  clusters: readonly ClusterSnapshot[],
  keepable: readonly Place[],
  reason: string,
  message: Message,
): Scope {
  if (decision.clusters.length > 0) {
    const scheduled = { status: "True" as const, reason, message };
    return { decision, scheduled, places: chosenPlaces(decision, clusters), suspended: false };
  }
  // The lack of a fitting cluster is no reason to remove copies: running copies stay.
  const kept = keepable.length === 0 ? undefined : `it is kept as it is on ${counted(keepable.length, "cluster")}`;
  const refusal = mostFrequentRefusal(decision.verdicts);
  const remedy = [refusal.remedy, kept].filter((text) => text !== undefined).join("; ");
  return {
    decision,
    scheduled: notScheduled("NoClusterFits", { ...refusal, ...(remedy === "" ? {} : { remedy }) }),
    places: keepable,
    suspended: false,
  };
}

function chosenPlaces(decision: Decision, clusters: readonly ClusterSnapshot[]): Place[] {
  const places: Place[] = [];
  for (const { name, replicas } of decision.clusters) {
    const cluster = clusters[indexOfName(clusters, name)];
    // A cluster that is being deleted gets nothing, whatever was decided.
    if (cluster !== undefined && !cluster.deleting) places.push({ cluster, frozen: false, replicas });
  }
  return places;
}

function suspended(placement: Placement, decision: Decision, keepable: readonly Place[]): Scope {
  const what = `${placement.kind} ${placement.metadata.name} is suspended`;
  return {
    decision,
    scheduled:
      keepable.length === 0
        ? notScheduled("Suspended", `${what}, and it runs nowhere yet`)
        : {
            status: "True",
            reason: "Suspended",
            message: { what, remedy: `it is kept as it is on ${counted(keepable.length, "cluster")}` },
          },
    places: keepable,
    suspended: true,
  };
}

function notScheduled(reason: string, message: Message): Target["scheduled"] {
  return { status: "False", reason, message };
}

function selectedMessage(decision: Decision, clusters: number): string {
  const unknown: string[] = [];
  for (const { cluster, reason } of decision.verdicts) if (reason === "UnknownCluster") unknown.push(cluster);
  // The author of the policy reads unmet demands in the policy's status; the owner of the object reads them here.
  const notes = [...(unknown.length === 0 ? [] : [unknownText(unknown)]), ...(decision.notes ?? [])];
  return [`${decision.clusters.length} of ${counted(clusters, "cluster")} selected`, ...notes].join("; ");
}

/** A Service that is propagated with its Deployment has no replicas, nor has an object with an unset replica field. */
const NOTHING_TO_DIVIDE = "; it has no replicas to divide: each gets the whole";

function unknownText(names: readonly string[]): string {
  return `${unknownClusterWords(names)}${namesText(names)}`;
}

/** Refusals that the policy's author intended, or that say nothing about the cluster. */
const MEANT: ReadonlySet<string> = new Set(["NotInAffinity", "Excluded", "UnknownCluster"]);

/**
 * The most frequent refusal, in the words of its first verdict; among equally frequent ones the first by name. A
 * refusal of a cluster that the policy names says more than a cluster that the policy does not name, so intended
 * refusals come last.
 */
function mostFrequentRefusal(verdicts: readonly Verdict[]): MessageParts {
  const byReason = Map.groupBy(verdicts, ({ reason }) => reason);
  const rank = (reason: string): number => (MEANT.has(reason) ? 1 : 0);
  const [, worst] =
    [...byReason].toSorted(
      ([a, one], [b, two]) => rank(a) - rank(b) || two.length - one.length || (a < b ? -1 : 1),
    )[0] ?? [];
  // An unmet spread constraint keeps the object from all clusters, however many clusters other filters refuse before.
  const [first] = byReason.get("SpreadNotMet") ?? worst ?? [];
  if (worst === undefined || first === undefined)
    return { lead: "no cluster fits: ", what: "there is none", remedy: `join one with \`${joinCommand()}\`` };
  const unknown = byReason.get("UnknownCluster")?.map(({ cluster }) => cluster) ?? [];
  if (first.reason === "UnknownCluster") return { lead: "no cluster fits: ", what: unknownText(unknown) };
  const lead = `no cluster fits${unknown.length === 0 ? "" : ` (${unknownText(unknown)})`}: `;
  if (first.reason === "SpreadNotMet") return { lead, what: first.message };
  return {
    lead,
    what: `${first.message} (${worst.length} of ${counted(verdicts.length - unknown.length, "cluster")})`,
  };
}
