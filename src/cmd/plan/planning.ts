import { type KubeObject, type Placement } from "../../apis/index.ts";
import {
  assembleRemovalFacts,
  assembleSnapshot,
  type ClusterChange,
  computeTarget,
  copiesToPlan,
  differenceOf,
  knownCopies,
  leftBehind,
  type Observation,
  recordedClusters,
  type Row,
  step,
  type Target,
} from "../../desiredstate/index.ts";
import { type PlannerHubState } from "./state/index.ts";
import { lostOf, whyItStays, withLoss } from "./loss.ts";

export interface Candidate {
  key: string;
  object: KubeObject;
  before: Target | undefined;
  after: Target;
  /** As the members report them, or as the hub knows them. */
  copies: readonly Observation[];
  lost: readonly string[];
}

export interface PlannedObject extends Candidate {
  changes: readonly ClusterChange[];
}

export interface Comparison {
  before: PlannerHubState;
  after: PlannerHubState;
  lost: ReadonlySet<string>;
  /** Epoch milliseconds. */
  now: number;
}

/** Compares plans by the manager's own functions, and finds the objects whose plans differ. */
export class Comparing {
  readonly candidates: readonly Candidate[];
  /** Objects whose plans would differ, but which are being deleted: the change has no effect on them. */
  readonly departing: readonly KubeObject[];
  readonly #comparison: Comparison;

  constructor(comparison: Comparison) {
    const { before, after, lost, now } = comparison;
    this.#comparison = comparison;
    const candidates: Candidate[] = [];
    const departing: KubeObject[] = [];
    const [targetsBefore, targetsAfter] = [new Map<string, Target>(), new Map<string, Target>()];
    for (const [key, object] of after.objects) {
      const old = before.objects.get(key);
      const was = old === undefined ? undefined : targetIn(before, old, now);
      const is = targetIn(after, object, now);
      const gone = lostOf(was, lost);
      const isDeparting = object.metadata.deletionTimestamp !== undefined;
      if (was !== undefined && old?.metadata.deletionTimestamp === undefined) targetsBefore.set(key, was);
      if (!isDeparting) targetsAfter.set(key, is);
      if (was !== undefined && gone.length === 0 && isSameTarget(was, is)) continue;
      if (isDeparting) {
        departing.push(object);
        continue;
      }
      const copies = was === undefined || old === undefined ? [] : knownCopies(was, before.statusOf(old));
      candidates.push({ key, object, before: was, after: is, copies, lost: gone });
    }
    before.plan(targetsBefore);
    after.plan(targetsAfter);
    for (const candidate of candidates) this.#observe(candidate, candidate.copies, false);
    this.candidates = candidates;
    this.departing = departing;
  }

  get before(): PlannerHubState {
    return this.#comparison.before;
  }

  get after(): PlannerHubState {
    return this.#comparison.after;
  }

  /** With the copies that members report. Call it for every candidate before the first {@link planned}. */
  observed(candidate: Candidate, copies: readonly Observation[]): Candidate {
    const { before, after, now } = this.#comparison;
    this.#observe(candidate, copies, true);
    const old = before.object(candidate.key);
    return {
      ...candidate,
      before: candidate.before === undefined || old === undefined ? undefined : targetIn(before, old, now),
      after: targetIn(after, candidate.object, now),
      copies,
    };
  }

  planned(candidate: Candidate): PlannedObject {
    const { key, before, after, lost, copies } = candidate;
    const { before: hubBefore, after: hubAfter, lost: allLost } = this.#comparison;
    const changes = differenceOf({
      before,
      after,
      rowsBefore: before === undefined ? [] : this.#rows(hubBefore, key, before),
      rowsAfter: this.#rows(hubAfter, key, after),
      observations: copies.filter(({ cluster }) => !allLost.has(cluster)),
      writersOf: (cluster, ref) => hubAfter.writersOf(cluster, ref),
    });
    const why = whyItStays(placementOf(hubAfter, after), after.failover);
    return { ...candidate, changes: withLoss(changes, lost, { on: lostOf(after, allLost), why }) };
  }

  #observe({ key, before: standing }: Candidate, copies: readonly Observation[], fromMembers: boolean): void {
    const { before, after } = this.#comparison;
    before.observe(key, copies, fromMembers);
    after.observe(key, copies, fromMembers);
    if (standing === undefined) return;
    // A row goes out only after the record names its cluster.
    const recorded = recordedClusters(before, key);
    const rows = rowsOf(before, standing, []).filter(({ cluster }) => recorded.has(cluster));
    before.stand(key, rows);
    after.stand(key, rows);
  }

  #rows(hub: PlannerHubState, key: string, target: Target): readonly Row[] {
    const { lost } = this.#comparison;
    // Copies on a lost cluster are no longer observed.
    const copies = copiesToPlan(hub, key, target).filter(({ cluster }) => !lost.has(cluster));
    return rowsOf(hub, target, copies);
  }
}

function targetIn(hub: PlannerHubState, object: KubeObject, now: number): Target {
  return computeTarget(assembleSnapshot(hub, object, { dependencies: hub.dependencies }), now);
}

function rowsOf(hub: PlannerHubState, target: Target, observations: readonly Observation[]): Row[] {
  const removal = assembleRemovalFacts(hub, observations, leftBehind(target.owner));
  return step({ target, observations, removal }).rows;
}

/** True if both write the same to the same clusters. */
export function isSameTarget(a: Target, b: Target): boolean {
  if (a.clusters.length !== b.clusters.length || a.conflictResolution !== b.conflictResolution) return false;
  return a.clusters.every((one, i) => {
    const other = b.clusters[i];
    return (
      other !== undefined &&
      one.name === other.name &&
      one.frozen === other.frozen &&
      one.replicas === other.replicas &&
      (one.problem === undefined) === (other.problem === undefined) &&
      one.objects.length === other.objects.length &&
      one.objects.every(({ hash }, j) => hash === other.objects[j]?.hash)
    );
  });
}

export function placementOf(hub: PlannerHubState, target: Target | undefined): Placement | undefined {
  const chosen = target?.placement;
  if (chosen === undefined) return undefined;
  return hub.placements.find(
    ({ kind, metadata }) =>
      kind === chosen.kind && metadata.name === chosen.name && metadata.namespace === chosen.namespace,
  );
}
