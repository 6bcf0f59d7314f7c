import {
  type ClusterStatusEntry,
  type Condition,
  type CountedReason,
  defined,
  type DemoApplication,
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  type ReplicaCounts,
  type ResourceBinding,
  type Running,
  type Taint,
} from "../../apis/index.ts";
import {
  byImpact,
  CORDON_TAINT,
  countReasons,
  DELETIONS_HELD_CONDITION,
  DRAIN_TAINT,
  isBinding,
  isUnderWay,
  REGION_LABEL,
  SLOW_CONDITION,
  THROTTLED_CONDITION,
  withoutEntryIn,
  ZONE_LABEL,
} from "../../apis/index.ts";
import { type SaidWait, saidWait, waitsInStatus } from "../../desiredstate/index.ts";
import { compareText } from "../../scheduler/index.ts";
import { deletionText, runningText } from "../../status/index.ts";
import { type ChangeReport, changeIn, lastSeenIn, type WorstReport, worstIn } from "./statusChange.ts";

/** The values that `meridian status` reports; the JSON and YAML outputs are exactly these. Pure. */

export interface ObjectReport {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  /** True if the present generation runs on all its clusters. */
  healthy: boolean;
  reason: string;
  /** The worst for users first. For a healthy object: why copies are held on clusters. */
  reasons: CountedReason[];
  since: string;
  message: string;
  /** `Kind/name` of the policy; empty: none. */
  placement: string;
  /** Absent: none. */
  policy?: { kind: string; namespace?: string; name: string };
  replicas: ReplicaCounts;
  /** Replicas on clusters that are out of contact, from their last reports. */
  staleReplicas?: ReplicaCounts;
  conditions: Condition[];
  /** Absent: the status does not say. `message`: the versions as a sentence. */
  runs?: Running & { message?: string };
  clusters: ClusterStatusEntry[];
  /** Names of the clusters that `clusters` leaves out, as the status of an object on more than a hundred clusters does. */
  unlistedClusters: string[];
  /** Clusters on which all parts of the object have finished. Absent: none. */
  finishedOn?: string[];
  /** Clusters that `clusters` leaves out count, too. */
  clusterCount: number;
  availableClusters: number;
  /** `2/3`, as `kubectl get` shows it. */
  available: string;
  /** Absent: the object has no generation. */
  change?: ChangeReport;
  /** What the object waits for, by its status or the query API. Absent: nothing. */
  waits?: SaidWait[];
  /** The worst reason for users, and the cluster that has had the reason for the longest time. Absent: all is well. */
  worst?: WorstReport;
  /** The oldest last contact of its clusters. Absent: all its clusters report. */
  lastSeen?: string;
  createdAt: string;
}

export interface ClusterReport {
  name: string;
  region: string;
  zone: string;
  provider: string;
  ready: "True" | "False" | "Unknown";
  outOfService: "" | "Cordoned" | "Draining";
  /** Why the cluster is not ready, what waits for a person there, or how its removal goes. */
  reason: string;
  message: string;
  version: string;
  objects: number;
  /** When the cluster became ready, or not ready. */
  since: string;
  /** Last answer of a cluster that does not answer; empty if the cluster answers or never did. */
  lastContact: string;
  /** Approximate response time of a slow cluster: `2.5s`; else empty. */
  latency: string;
  /** The worst for users first. */
  troubles: { reason: string; message: string; since: string }[];
  /** Why copies without a hub object stay on the cluster until a person agrees. Absent: there are none. */
  held?: string;
  deleting: boolean;
  deletedAt: string;
  /** Why the removal of the cluster waits. Absent: it does not wait. */
  removal?: string;
  createdAt: string;
}

export interface StatusReport {
  objects: ObjectReport[];
  clusters: ClusterReport[];
}

const NONE: ReplicaCounts = { desired: 0, updated: 0, ready: 0, available: 0 };

/** In the order of cause and effect: the first unhealthy condition is the cause of the others. */
const MUST_BE_TRUE = ["Scheduled", "Applied", "Available", "Fresh"];

/** `objects`: applications and bundles, and the bindings of objects of other kinds. */
export function buildReport(objects: readonly KubeObject[], clusters: readonly KubeObject[]): StatusReport {
  const reports = objects
    .map((object) => (isBinding(object) ? reportBinding(object) : reportObject(object)))
    .sort((a, b) => compareText(keyOf(a), keyOf(b)));
  const counts = new Map<string, number>();
  for (const report of reports)
    for (const entry of report.clusters) counts.set(entry.name, (counts.get(entry.name) ?? 0) + 1);
  return {
    objects: reports,
    clusters: clusters
      .map((cluster) => reportCluster(cluster as unknown as MemberCluster, counts))
      .sort((a, b) => compareText(a.name, b.name)),
  };
}

export function isHealthy(report: StatusReport): boolean {
  return (
    report.objects.every((object) => object.healthy) &&
    report.clusters.every((cluster) => cluster.ready === "True" && !cluster.deleting)
  );
}

/** The binding does not know the object's latest generation, nor if the object is being deleted. */
function reportBinding(object: KubeObject): ObjectReport {
  const { metadata, spec, status = {} } = object as unknown as ResourceBinding;
  const { apiVersion, kind, namespace, name } = spec.resource;
  const { creationTimestamp } = metadata;
  return reportOf({
    apiVersion,
    kind,
    metadata: {
      name,
      ...defined({ namespace, creationTimestamp }),
    },
    status,
  });
}

function reportObject(object: KubeObject): ObjectReport {
  const { apiVersion, kind, metadata, status = {} } = object as unknown as DemoApplication;
  return reportOf({ apiVersion, kind, metadata, status });
}

function reportOf({
  apiVersion,
  kind,
  metadata,
  status,
}: Pick<KubeObject, "apiVersion" | "kind" | "metadata"> & { status: FederatedStatus }): ObjectReport {
  const problem = problemOf(metadata.generation, metadata.deletionTimestamp, status);
  const clusters = status.clusters ?? [];
  const told = problem ?? heldOn(clusters);
  const reasons = told === undefined ? [] : reasonsOf(told.reason, problem === undefined, clusters);
  const { summary = [], finished } = status;
  const finishedOn = (finished?.clusters ?? []).flatMap(({ name, everything }) => (everything === true ? [name] : []));
  const clusterCount = clusters.length + summary.reduce((sum, { clusters: count }) => sum + count, 0);
  const waits = waitsInStatus({ metadata }, status).map(saidWait);
  const available = status.availableClusters ?? `${healthyAmong(status)}/${clusterCount}`;
  return {
    apiVersion,
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    healthy: problem === undefined,
    reason: reasons[0]?.reason ?? "",
    reasons,
    message: told === undefined ? "" : messageOf(reasons[0]?.reason, told, status),
    since: problem === undefined ? "" : sinceOf(metadata, status),
    placement: status.placement === undefined ? "" : `${status.placement.kind}/${status.placement.name}`,
    ...defined({ policy: status.placement }),
    replicas: status.replicas ?? NONE,
    ...defined({ staleReplicas: status.staleReplicas }),
    conditions: status.conditions ?? [],
    ...runsOf(status),
    clusters,
    unlistedClusters: [...withoutEntryIn(status)],
    ...(waits.length === 0 ? {} : { waits }),
    ...(finishedOn.length === 0 ? {} : { finishedOn }),
    clusterCount,
    availableClusters: Number.parseInt(available, 10),
    available,
    ...defined({
      change: changeIn(metadata, status),
      worst: worstIn(reasons, clusters),
      lastSeen: lastSeenIn(clusters),
    }),
    createdAt: metadata.creationTimestamp ?? "",
  };
}

function runsOf(status: FederatedStatus): Pick<ObjectReport, "runs"> {
  if (status.runs === undefined) return {};
  const message = runningText(status);
  return { runs: { ...status.runs, ...defined({ message }) } };
}

/** Reasons of work under way are left out if there is any other. `isHeld`: the only problem is that copies are held. */
function reasonsOf(reason: string, isHeld: boolean, clusters: readonly ClusterStatusEntry[]): CountedReason[] {
  const entries = clusters.filter((entry) => (isHeld ? entry.state === "Held" : entry.state !== "Available"));
  const counted = countReasons(entries.flatMap((entry) => entry.reason ?? []));
  // A number is useless for an object on a single cluster.
  const known: CountedReason[] = clusters.length === 1 ? counted.map((one) => ({ reason: one.reason })) : counted;
  const all = [...known, ...(known.some((one) => one.reason === reason) ? [] : [{ reason }])].toSorted(byImpact);
  const own = all.filter((one) => one.reason === reason);
  const troubles = all.filter((one) => !isUnderWay(one.reason));
  // The deletion of the object comes first, then the reasons that delay it.
  if (reason === DELETING) return [...own, ...troubles];
  return troubles.length > 0 ? troubles : own;
}

/** The message of this reason. The object's own message may belong to another, less important condition. */
function messageOf(
  reason: string | undefined,
  told: Told,
  { conditions = [], clusters = [] }: FederatedStatus,
): string {
  if (reason === told.reason) return told.message;
  const condition = conditions.find((one) => one.status !== "True" && one.reason === reason && one.message !== "");
  const entry = clusters.find((one) => one.reason === reason);
  return condition?.message ?? (entry === undefined ? told.message : `${entry.name}: ${entry.message ?? entry.state}`);
}

const DELETING = "Deleting";

/** The time of the condition Ready; from an older manager, the time of the first unhealthy condition. */
function sinceOf(
  { deletionTimestamp, creationTimestamp }: KubeObject["metadata"],
  { conditions = [] }: FederatedStatus,
): string {
  if (deletionTimestamp !== undefined) return deletionTimestamp;
  const wrong = ["Ready", ...MUST_BE_TRUE].flatMap((type) =>
    conditions.filter((condition) => condition.type === type && condition.status !== "True"),
  );
  return wrong[0]?.lastTransitionTime ?? creationTimestamp ?? "";
}

/** For an object that is being deleted, the status does not have this number. */
function healthyAmong({ clusters = [], summary = [] }: FederatedStatus): number {
  return (
    clusters.filter(({ state }) => state === "Available").length +
    summary.reduce(
      (sum, { clusters: count, states }) => sum + (states === undefined ? count : (states.Available ?? 0)),
      0,
    )
  );
}

type Told = Pick<Condition, "reason" | "message">;

function problemOf(
  generation: number | undefined,
  deletedAt: string | undefined,
  status: FederatedStatus,
): Told | undefined {
  const deletion = deletionText(status, deletedAt);
  if (deletion !== undefined) return { reason: DELETING, message: deletion };
  if (status.conditions === undefined) return { reason: "NotReported", message: "no manager has reported on it yet" };
  if ((status.observedGeneration ?? 0) < (generation ?? 0)) {
    // NotObserved is about a cluster, and its next step names one.
    return { reason: "NotReported", message: "the manager has not seen the last change of its spec yet" };
  }
  for (const type of MUST_BE_TRUE) {
    const condition = status.conditions.find((candidate) => candidate.type === type);
    if (condition === undefined) return { reason: "NotReported", message: `the condition ${type} is missing` };
    if (condition.status !== "True") return condition;
  }
  return rolloutProblem(status) ?? notReady(status);
}

/** Only Ready says that a change has reached every cluster. An older manager does not write Ready. */
function notReady({ conditions = [] }: FederatedStatus): Told | undefined {
  return conditions.find(({ type, status }) => type === "Ready" && status !== "True");
}

/** A copy that waits for a person, although all wanted copies run. */
function heldOn(clusters: readonly ClusterStatusEntry[]): Told | undefined {
  const held = clusters.find(({ state, reason = "" }) => state === "Held" && reason !== "");
  if (held?.reason === undefined) return undefined;
  return { reason: held.reason, message: `${held.name}: ${held.message ?? "held"}` };
}

function rolloutProblem({ rollout, conditions = [] }: FederatedStatus): Told | undefined {
  if (rollout === undefined || rollout.state === "Succeeded" || rollout.state === "Superseded") return undefined;
  return conditions.find(({ type }) => type === "Progressing");
}

function reportCluster({ metadata, spec, status }: MemberCluster, counts: ReadonlyMap<string, number>): ClusterReport {
  const labels = metadata.labels ?? {};
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const held = status?.conditions?.find(({ type, status: is }) => type === DELETIONS_HELD_CONDITION && is === "True");
  const deleting = metadata.deletionTimestamp !== undefined;
  const removed = deleting ? status?.conditions?.find(({ type }) => type === "Removed") : undefined;
  const troubles = troublesOf(status?.conditions);
  const [trouble] = troubles;
  return {
    name: metadata.name,
    region: labels[REGION_LABEL] ?? "",
    zone: labels[ZONE_LABEL] ?? "",
    provider: spec.provider ?? "",
    ready: ready?.status ?? "Unknown",
    outOfService: outOfService(spec.taints),
    reason: deleting ? DELETING : ready === undefined ? "NotReported" : (trouble?.reason ?? ""),
    message: removed?.message ?? (trouble ?? ready)?.message ?? "no manager has reported on it yet",
    version: status?.kubernetesVersion ?? "",
    objects: counts.get(metadata.name) ?? 0,
    since: ready?.lastTransitionTime ?? "",
    lastContact: status?.lastContact ?? "",
    latency: ready?.status === "True" ? (status?.latency ?? "") : "",
    troubles,
    ...defined({ held: held?.message }),
    deleting,
    deletedAt: metadata.deletionTimestamp ?? "",
    ...defined({ removal: removed?.reason }),
    createdAt: metadata.creationTimestamp ?? "",
  };
}

/** Warnings of a cluster that is not ready are out of date, so only its lasting conditions count. */
function troublesOf(conditions: readonly Condition[] = []): ClusterReport["troubles"] {
  const ready = conditions.find(({ type }) => type === "Ready");
  const isReady = ready?.status === "True";
  const wrong = conditions.filter(({ type, status }) => status === "True" && (isReady ? WARNINGS : LASTING).has(type));
  return [...(ready === undefined || isReady ? [] : [ready]), ...wrong]
    .map(({ reason, message, lastTransitionTime }) => ({ reason, message, since: lastTransitionTime }))
    .toSorted(byImpact);
}

const LASTING: ReadonlySet<string> = new Set([DELETIONS_HELD_CONDITION]);
const WARNINGS: ReadonlySet<string> = new Set([...LASTING, SLOW_CONDITION, THROTTLED_CONDITION]);

function outOfService(taints: readonly Taint[] = []): ClusterReport["outOfService"] {
  const has = (wanted: string): boolean => taints.some(({ key }) => key === wanted);
  return has(DRAIN_TAINT) ? "Draining" : has(CORDON_TAINT) ? "Cordoned" : "";
}

function keyOf({ namespace, name, kind }: ObjectReport): string {
  return `${namespace}/${name}/${kind}`;
}

/** Name of an object in a table of several kinds, as in kubectl. A name without a kind means an application. */
export function nameOf({ kind, name }: Pick<ObjectReport, "kind" | "name">): string {
  return kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
}

/** The name, with the namespace before it. */
export function fullNameOf(object: Pick<ObjectReport, "kind" | "namespace" | "name">): string {
  return object.namespace === "" ? nameOf(object) : `${object.namespace}/${nameOf(object)}`;
}

/** The object's name for a command; with `-n` if the object is in another namespace than the shown one. */
export function nameOnCommandLine(
  { kind, namespace: own, name }: Pick<ObjectReport, "kind" | "namespace" | "name">,
  { namespace }: { namespace: string | undefined },
): string {
  const called = nameOf({ kind, name });
  return own === "" || own === namespace ? called : `${called} -n ${own}`;
}
