import {
  type ClusterStatusEntry,
  DEFAULT_CLASS,
  defined,
  federatedStatus,
  type FederatedStatus,
  type ReplicaCounts,
  sameValue,
} from "../apis/index.ts";
import type { ClusterTarget, Why } from "../desiredstate/types.ts";
import {
  clustersWithout,
  conditionsOf,
  FAILING_OVER,
  HANDOVER,
  namingObjects,
  statementsOf,
} from "./conditions/index.ts";
import {
  addCounts,
  type ClusterReport,
  finishedBy,
  NONE,
  reportOf,
  runningFacts,
  runningTogether,
} from "./entries/index.ts";
import type { ClusterView, StatusInput } from "./types.ts";

/** With more clusters than this, only entries that are not Available are listed, so that the object stays small. */
const MAX_LISTED = 100;
/** Maximum of listed entries: etcd takes no object above 1.5 MiB, and an entry may take 1 KiB. */
const MAX_UNHEALTHY = 300;

/**
 * Computes the status of a hub object from the facts about its clusters. `now` is in epoch milliseconds.
 *
 * Returns `input.previous` itself if nothing changes, so that the caller writes only a changed status. Clusters out of
 * contact keep their last known numbers, which count in the totals.
 */
export function aggregate(input: StatusInput, now: number): FederatedStatus {
  return aggregated(input, now).status;
}

export interface Aggregated {
  status: FederatedStatus;
  /** The entry of every cluster, also of those that the status leaves out. Sorted by name. */
  entries: readonly ClusterStatusEntry[];
}

/** As {@link aggregate}, with all entries. */
export function aggregated(input: StatusInput, now: number): Aggregated {
  if (input.failure !== undefined && input.target === undefined)
    return { status: unplanned(input, now), entries: input.previous?.clusters ?? [] };
  const reports = reportsOf(input, now);
  const { target, previous, ownerClass } = input;
  const entries = reports.map((report) => report.entry);
  const planned = reports.filter((report) => report.planned);
  const placement = target === undefined ? previous?.placement : target.placement;
  const deletionPolicy = target === undefined ? previous?.deletionPolicy : target.deletionPolicy;
  const departures = (target === undefined ? previous?.departures : target.failover?.departures) ?? [];
  const finished = target === undefined ? previous?.finished : finishedBy(target.finished, input.clusters);
  const statements = statementsOf(input, reports);
  const isAvailable = statements.some(({ type, status }) => type === "Available" && status === "True");
  const available = isAvailable ? planned : planned.filter((report) => report.available === "Yes");
  const status: FederatedStatus = {
    observedGeneration: input.generation,
    ...(ownerClass === DEFAULT_CLASS ? {} : { controllerClass: ownerClass }),
    ...(placement === undefined ? {} : { placement }),
    ...(deletionPolicy === "Orphan" ? { deletionPolicy } : {}),
    replicas: sumOf(reports),
    ...(reports.some(({ fresh }) => !fresh) ? { staleReplicas: sumOf(reports.filter(({ fresh }) => !fresh)) } : {}),
    ...(input.podSelector === undefined ? {} : { selector: input.podSelector }),
    ...(target === undefined || input.deleting ? {} : { availableClusters: `${available.length}/${planned.length}` }),
    conditions: conditionsOf(statements, previous?.conditions, input.generation, now),
    ...defined({ runs: runningOnAll(planned) }),
    ...listed(entries),
    ...defined({ finished }),
    ...(departures.length === 0 ? {} : { departures: [...departures] }),
    ...(input.kinds === undefined || input.kinds.length === 0 ? {} : { kinds: [...input.kinds] }),
  };
  const isSame = previous !== undefined && sameValue(ownPartsOf(previous, status), status);
  return { status: isSame ? previous : status, entries };
}

/** Without a plan, the last status stays, except that the object no longer counts as applied. */
function unplanned(input: StatusInput, now: number): FederatedStatus {
  const { previous, generation } = input;
  const conditions = conditionsOf(statementsOf(input, []), previous?.conditions, generation, now);
  const status: FederatedStatus = { ...previous, observedGeneration: generation, conditions };
  return previous !== undefined && sameValue(previous, status) ? previous : status;
}

function sumOf(reports: readonly ClusterReport[]): ReplicaCounts {
  return reports.reduce((sum, { entry }) => addCounts(sum, entry.replicas), { ...NONE });
}

/** Counts planned clusters only, since clusters that the object leaves will soon run nothing. */
function runningOnAll(planned: readonly ClusterReport[]): FederatedStatus["runs"] {
  const having = planned.filter(({ entry }) => entry.observedHash !== undefined);
  return runningTogether(
    planned.flatMap(({ running }) => running ?? []),
    having.length,
  );
}

/** One report for each cluster that is chosen or still has member objects, sorted by name. */
function reportsOf(input: StatusInput, now: number): ClusterReport[] {
  const { target } = input;
  const before = new Map(input.previous?.clusters?.map((entry) => [entry.name, entry]));
  const targets = new Map<string, ClusterTarget>(
    input.deleting ? [] : target?.clusters.map((cluster) => [cluster.name, cluster]),
  );
  const views = new Map(input.clusters.map((view) => [view.name, view]));
  for (const name of targets.keys()) if (!views.has(name)) views.set(name, notReported(name));

  const withoutIt = clustersWithout(input.rollout);
  const isUnchanged = input.previous?.observedGeneration === input.generation;
  const running = runningFacts(input.rollout, input.previous);
  const isPlaced = target?.placement !== undefined;
  const frozenFor: Why =
    target === undefined || target.suspended
      ? { reason: "Suspended", message: "" }
      : { reason: target.scheduled.reason, message: target.scheduled.message };
  return [...views.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .flatMap(
      (view) =>
        reportOf({
          view: input.isBundle === true ? namingObjects(view, target?.owner.namespace) : view,
          target: targets.get(view.name),
          previous: before.get(view.name),
          isBrief: views.size > MAX_LISTED,
          frozenFor,
          isUnchanged,
          isHeldBack: withoutIt.has(view.name),
          isPlaced,
          running,
          isEmpty: input.isBundle === true && targets.get(view.name)?.objects.length === 0,
          ...(input.deleting ? { isOverdue: input.isOverdue?.(view.name) === true } : {}),
          watchesHealth: target?.failover?.watchesHealth === true,
          watchesNodes: target?.reschedules === true,
          now,
        }) ?? [],
    );
}

function notReported(name: string): ClusterView {
  return { name, contact: { ok: false }, rows: [] };
}

/** The entries, sorted by name: listed as far as the object stays small, the rest as a summary with names. */
function listed(all: ClusterStatusEntry[]): Pick<FederatedStatus, "clusters" | "summary" | "unlistedClusters"> {
  if (all.length === 0) return {};
  if (all.length <= MAX_LISTED) return { clusters: all };
  const clusters: ClusterStatusEntry[] = [];
  const unlisted: ClusterStatusEntry[] = [];
  for (const entry of all)
    (entry.state === "Available" || clusters.length === MAX_UNHEALTHY ? unlisted : clusters).push(entry);
  return {
    ...(clusters.length === 0 ? {} : { clusters }),
    ...(unlisted.length === 0
      ? {}
      : { summary: summaryOf(unlisted), unlistedClusters: unlisted.map(({ name }) => name) }),
  };
}

type Summary = NonNullable<FederatedStatus["summary"]>[number];

function summaryOf(unlisted: readonly ClusterStatusEntry[]): Summary[] {
  return [...Map.groupBy(unlisted, ({ region = "" }) => region)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([region, entries]) => {
      const states = [...Map.groupBy(entries, ({ state }) => state)].map(([state, some]) => [state, some.length]);
      const areAvailable = entries.every(({ state }) => state === "Available");
      const replicas = entries.reduce((sum, entry) => addCounts(sum, entry.replicas), { ...NONE });
      const sum = { region, clusters: entries.length, replicas };
      return areAvailable ? sum : { ...sum, states: Object.fromEntries(states) as NonNullable<Summary["states"]> };
    });
}

/** Fields that this function writes. Fields of other writers and empty lists are no reason to write. */
function ownPartsOf(stored: FederatedStatus, status: FederatedStatus): Record<string, unknown> {
  const { rollout: _, plannedClusters: __, ...reported } = stored;
  const ours = new Set([HANDOVER, FAILING_OVER, ...(status.conditions ?? []).map((condition) => condition.type)]);
  const conditions = stored.conditions?.filter((condition) => ours.has(condition.type));
  const parts = Object.entries({ ...reported, conditions }).filter(
    ([field, value]) => field in federatedStatus.shape && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(parts);
}
