import {
  counted,
  type FederatedStatus,
  firstFitting,
  type KubeObject,
  listedAfter,
  parseApiVersion,
  type Placement,
  type Reason,
  refKey,
  refOf,
  shortMessage,
  shortName,
  unknownClusterWords,
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

/** Why a copy stays as it is of which the hub has no record, while nothing says where the object belongs. */
const COPY_FOUND: Reason = "CopyFound";

/** Where an object goes, where it stays as it is, and why. */
export interface Scope {
  decision: Decision;
  scheduled: Target["scheduled"];
  /** The clusters that are concerned, sorted by name; none that is being deleted. */
  places: readonly Place[];
  suspended: boolean;
  /** Set where the placement asks for failover. */
  failover?: Failover;
}

/**
 * Clusters that run the object now, as far as anybody knows, and how many replicas each was last asked for. One that it is being removed
 * from does not count: that was decided while a policy said where else it belongs. One that serves until the object has arrived elsewhere
 * counts, or nothing would keep the object there once there is nowhere else to go.
 */
export function currentClusters(
  { previous, running, clusters }: Snapshot,
  reported: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number | undefined>,
): ReadonlyMap<string, number | undefined> {
  const current = new Map<string, number | undefined>(found);
  const removing = new Set<string>();
  for (const name of previous?.unlistedClusters ?? []) current.set(name, undefined);
  for (const { name, state, reason } of previous?.clusters ?? []) {
    if (state === "Removing" && reason !== AWAITING_REPLACEMENT) removing.add(name);
    else current.set(name, reported.get(name));
  }
  for (const name of running ?? []) if (!removing.has(name)) current.set(name, reported.get(name));
  if (previous?.unlistedClusters === undefined && running === undefined) {
    // Of an earlier version, whose summary only counts: each cluster of its regions may be meant, and to freeze one in vain harms nobody.
    const regions = new Set((previous?.summary ?? []).map(({ region }) => region));
    if (regions.size === 0) return current;
    for (const { name, region } of clusters)
      if (regions.has(region ?? "") && !removing.has(name)) current.set(name, reported.get(name));
  }
  return current;
}

/**
 * Of the clusters that run the object now, those of which only copies there say so: no record of the hub names them, or the record names them for no
 * other reason. Undefined where there are none.
 */
export function foundClusters(
  { previous, running }: Snapshot,
  found: ReadonlyMap<string, number | undefined>,
): ReadonlySet<string> | undefined {
  const names = new Set(found.keys());
  if (names.size > 0)
    for (const name of [...(running ?? []), ...(previous?.unlistedClusters ?? [])]) names.delete(name);
  for (const { name, state, reason } of previous?.clusters ?? []) {
    if (state === "Held" && reason === COPY_FOUND) names.add(name);
    else names.delete(name);
  }
  return names.size === 0 ? undefined : names;
}

/** By cluster, the replicas that copies ask for of which the hub has no record. `rendered`: what the object comes to there. */
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
  /** True: it runs the object and is left as it is. False: its objects are made so. */
  frozen: boolean;
  /** Frozen, and no record of the hub names it ({@link COPY_FOUND}). */
  found?: true;
  /** Its share; undefined where the replicas are not divided. */
  replicas?: number | undefined;
}

/** Decides where the object goes. Clusters are sorted by name. */
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
      // Nothing moves meanwhile, and what the object has left before it has left still.
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
  return {
    decision: { clusters: [], verdicts },
    scheduled: notScheduled(
      "NoPlacement",
      keepable.length === 0
        ? `${message}; create a Placement that does`
        : `${message}; it is kept as it is on ${counted(keepable.length, "cluster")}: create a Placement that does, or delete it`,
    ),
    places: keepable,
    suspended: false,
  };
}

/** Clusters that keep the object while nothing says where it belongs. */
function keptClusters({ current }: Subject, { found = [] }: Snapshot): Subject["current"] {
  const letGo = new Set(found.flatMap(({ cluster, beforeJoin }) => (beforeJoin === true ? [cluster] : [])));
  return letGo.size === 0 ? current : new Map([...current].filter(([name]) => !letGo.has(name)));
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

/** What a bundle holds must not be on the hub unless somebody says so. */
function isOffHub({ apiVersion, kind }: KubeObject): boolean {
  return hubKindOf(parseApiVersion(apiVersion).group, kind)?.holdsManifests === true;
}

/**
 * Whether the object is the default policy's: it runs nowhere yet, or only on local clusters without ever having had a
 * policy. One that a policy had placed there is kept as it is, and stays so: that the last status reports NoPlacement says it.
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
  message: string,
): Scope {
  if (decision.clusters.length > 0) {
    const scheduled = { status: "True" as const, reason, message: shortMessage(message) };
    return { decision, scheduled, places: chosenPlaces(decision, clusters), suspended: false };
  }
  // Nothing to go to is no reason to go: what runs stays until there is.
  const kept = keepable.length === 0 ? "" : `; it is kept as it is on ${counted(keepable.length, "cluster")}`;
  const { what, of = "", others = "" } = mostFrequentRefusal(decision.verdicts);
  const said = `no cluster fits: ${what}`;
  // The reason says that none fits; why comes before how many, and before what is well known.
  const texts = [
    `${said}${of}${others}${kept}`,
    `${said}${of}${kept}`,
    `${what}${of}${kept}`,
    `${what}${kept}`,
    `${what}${of}`,
  ] as const;
  return {
    decision,
    scheduled: notScheduled("NoClusterFits", firstFitting([...texts, what])),
    places: keepable,
    suspended: false,
  };
}

function chosenPlaces(decision: Decision, clusters: readonly ClusterSnapshot[]): Place[] {
  const places: Place[] = [];
  for (const { name, replicas } of decision.clusters) {
    const cluster = clusters[indexOfName(clusters, name)];
    // A cluster that is being removed never gets anything, whatever was decided.
    if (cluster !== undefined && !cluster.deleting) places.push({ cluster, frozen: false, replicas });
  }
  return places;
}

function suspended(placement: Placement, decision: Decision, keepable: readonly Place[]): Scope {
  const message = `${placement.kind} ${shortName(placement.metadata.name)} is suspended`;
  return {
    decision,
    scheduled:
      keepable.length === 0
        ? notScheduled("Suspended", `${message}, and it runs nowhere yet`)
        : {
            status: "True",
            reason: "Suspended",
            message: shortMessage(`${message}; it is kept as it is on ${counted(keepable.length, "cluster")}`),
          },
    places: keepable,
    suspended: true,
  };
}

function notScheduled(reason: string, message: string): Target["scheduled"] {
  return { status: "False", reason, message: shortMessage(message) };
}

function selectedMessage(decision: Decision, clusters: number): string {
  const unknown: string[] = [];
  for (const { cluster, reason } of decision.verdicts) if (reason === "UnknownCluster") unknown.push(cluster);
  // What the policy could not have, its author reads there; whoever owns the object reads it here.
  const notes = [...(unknown.length === 0 ? [] : [unknownText(unknown)]), ...(decision.notes ?? [])];
  return [`${decision.clusters.length} of ${counted(clusters, "cluster")} selected`, ...notes].join("; ");
}

/** A Service that goes with its Deployment has none, and neither has an object whose field for them is not set. */
const NOTHING_TO_DIVIDE = "; it has no replicas to divide: each gets the whole";

/** Within a sentence of 120 characters. */
const LONGEST_LIST = 80;

function unknownText(names: readonly string[]): string {
  return listedAfter(unknownClusterWords(names), names, ", ", LONGEST_LIST);
}

/** Refusals that the policy's author asked for, or that say nothing of the cluster. */
const MEANT: ReadonlySet<string> = new Set(["NotInAffinity", "Excluded", "UnknownCluster"]);

/**
 * The reason that most clusters share, in the words of the first of them; of equally frequent ones the first by name. What keeps the object
 * from a cluster that the policy names says more than that the policy does not name the others.
 */
function mostFrequentRefusal(verdicts: readonly Verdict[]): { what: string; of?: string; others?: string } {
  const byReason = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    const same = byReason.get(verdict.reason);
    if (same === undefined) byReason.set(verdict.reason, [verdict]);
    else same.push(verdict);
  }
  const rank = (reason: string): number => (MEANT.has(reason) ? 1 : 0);
  const [, worst] =
    [...byReason].toSorted(
      ([a, one], [b, two]) => rank(a) - rank(b) || two.length - one.length || (a < b ? -1 : 1),
    )[0] ?? [];
  // A spread that cannot be met is what keeps the object from everywhere, however many clusters are refused before that.
  const [first] = byReason.get("SpreadNotMet") ?? worst ?? [];
  if (worst === undefined || first === undefined) return { what: `there is none; join one with \`${joinCommand()}\`` };
  const unknown = byReason.get("UnknownCluster")?.map(({ cluster }) => cluster) ?? [];
  if (first.reason === "UnknownCluster") return { what: unknownText(unknown) };
  const others = unknown.length === 0 ? "" : `; ${unknownText(unknown)}`;
  if (first.reason === "SpreadNotMet") return { what: first.message, others };
  return {
    what: first.message,
    of: ` (${worst.length} of ${counted(verdicts.length - unknown.length, "cluster")})`,
    others,
  };
}
