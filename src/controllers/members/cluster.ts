import { claimed, CLUSTER_FINALIZER, isResponsible, type MemberCluster, unclaimed } from "../../apis/index.ts";
import type { ClusterPool } from "../../clusters/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { EventRecorder } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  from,
  type Informer,
  MEMBERCLUSTERS,
  type Reconciler,
  requeueAfter,
  type Result,
  type Source,
} from "../../runtime/index.ts";
import { type Assignments, type Observations } from "../tables/index.ts";
import {
  awaitsDecision,
  type DeletionStage,
  leftOn,
  tellOfDeletion,
  whyNotDrained,
  whyNotReleased,
} from "./clusterDeletion.ts";
import { type ControllerClasses, RETRY_FINALIZER_MS, setFinalizers } from "../facts/index.ts";
import { recordFinalizer } from "../progress/index.ts";
import { patienceLeft } from "../status/index.ts";

export interface ClusterReconcilerOptions {
  hub: Pick<HubCache, "reportedOn" | "clusters">;
  client: Client;
  clock: Clock;
  events: Pick<EventRecorder, "record">;
  clusters: Informer<MemberCluster>;
  pool: ClusterPool;
  assignments: Assignments;
  observations: Observations;
  classes: ControllerClasses;
}

/** How far a draining is, is said at most so often. */
const PROGRESS_MS = 5_000;

/**
 * Keeps the pool of connections as the MemberClusters say, and sees their deletion through: with `Drain` the member's objects are removed
 * first; with `Orphan` they are let go of: they keep running, without any mark of Meridian. Where neither is said, and anything of Meridian is
 * there, the deletion waits for somebody who says it. Nobody waits for a member that does not answer.
 */
export class ClusterReconciler implements Reconciler {
  readonly #options: ClusterReconcilerOptions;
  /** When it was last said how far the draining of a cluster is. */
  readonly #told = new Map<string, number>();

  constructor(options: ClusterReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { clusters, observations } = this.#options;
    return [
      from(clusters),
      from(observations.changes)
        .when(({ cluster }) => this.#isLeaving(cluster))
        .map(({ cluster }) => cluster),
      from(observations.contacts).when((cluster) => this.#isLeaving(cluster) || this.#isClaimable(cluster)),
      from(this.#options.assignments.changes).map(({ clusters: names }) =>
        [...names].filter((name) => this.#isLeaving(name)),
      ),
    ];
  }

  logFields(name: string): Record<string, string | undefined> {
    return { cluster: name };
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { clusters, pool, classes } = this.#options;
    const cluster = clusters.get(name);
    if (cluster === undefined) {
      pool.remove(name);
      this.#told.delete(name);
      return done;
    }
    const ownership = classes.ofCluster(cluster);
    const owned = isResponsible(ownership);
    const { finalizers = [], deletionTimestamp } = cluster.metadata;
    const without = unclaimed(CLUSTER_FINALIZER, cluster.metadata, classes.classes);
    if (deletionTimestamp === undefined) {
      pool.upsert(cluster, owned);
      if (ownership === "Yielded") return await this.#setFinalizers(cluster, without, signal);
      if (ownership === "Owned" || (ownership === "Claimable" && this.#isKnown(cluster)))
        return await this.#setFinalizers(
          cluster,
          claimed(CLUSTER_FINALIZER, cluster.metadata, classes.classes),
          signal,
        );
      return done;
    }
    const waits = awaitsDecision(this.#options, cluster);
    const isTold = owned && waits !== "Unknown" && !this.#isUnsettled(cluster);
    const tellAfterMs = isTold ? await this.#tell(cluster, waits === "Yes", signal) : undefined;
    if (waits !== "No") {
      pool.upsert(cluster, owned);
      return done;
    }
    if (cluster.spec.deletionPolicy === "Drain") {
      pool.upsert(cluster, owned);
      // Each manager removes what it owns there; the finalizer of the cluster's own manager waits for all of it.
      if (!owned) return await this.#setFinalizers(cluster, without, signal);
      if (without.length === finalizers.length) return done;
      if (!this.#isDrained(name)) return tellAfterMs === undefined ? done : requeueAfter(tellAfterMs);
    } else if (owned && without.length < finalizers.length) {
      pool.upsert(cluster, owned);
      if (!this.#isLetGo(name)) return tellAfterMs === undefined ? done : requeueAfter(tellAfterMs);
    }
    if (owned && without.length === finalizers.length) return done;
    // From here on nothing is written there.
    pool.remove(name);
    return await this.#setFinalizers(cluster, without, signal);
  }

  /** Says how far the deletion is. Returns after how many milliseconds to do so again, whatever happens until then. */
  async #tell(cluster: MemberCluster, isUndecided: boolean, signal: AbortSignal): Promise<number | undefined> {
    const { name } = cluster.metadata;
    const now = this.#options.clock.now();
    const say = (stage: DeletionStage): Promise<void> => tellOfDeletion(this.#options, cluster, stage, now, signal);
    if (isUndecided) {
      await say({ kind: "Undecided" });
      return undefined;
    }
    const late = patienceLeft(cluster, now) === 0;
    if (cluster.spec.deletionPolicy !== "Drain") {
      await say({ kind: "LettingGo", waits: whyNotReleased(this.#options, cluster), late });
      return late ? undefined : PROGRESS_MS;
    }
    if (this.#isDrained(name)) return undefined;
    // Each object that goes is a reconcile.
    const sinceTold = now - (this.#told.get(name) ?? -Infinity);
    if (sinceTold < PROGRESS_MS) return PROGRESS_MS - sinceTold;
    const waits = whyNotDrained(this.#options, cluster);
    await say({ kind: "Draining", left: leftOn(this.#options.observations, name), waits, late });
    this.#told.set(name, now);
    return late ? undefined : PROGRESS_MS;
  }

  async #setFinalizers(cluster: MemberCluster, next: readonly string[], signal: AbortSignal): Promise<Result> {
    const { client, clusters, events } = this.#options;
    const { finalizers = [] } = cluster.metadata;
    if (next.join() === (cluster.metadata.finalizers ?? []).join()) return done;
    const patched = await setFinalizers(client, MEMBERCLUSTERS, cluster, next, signal);
    if (patched === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    if (patched.metadata.deletionTimestamp === undefined) clusters.observe(patched);
    if (next.length > finalizers.length)
      recordFinalizer(events, cluster, "the deletion of the MemberCluster waits for what Meridian has put there");
    return done;
  }

  #isLeaving(name: string): boolean {
    return this.#options.clusters.get(name)?.metadata.deletionTimestamp !== undefined;
  }

  #isClaimable(name: string): boolean {
    const cluster = this.#options.clusters.get(name);
    return cluster !== undefined && this.#options.classes.ofCluster(cluster) === "Claimable";
  }

  /** All that is there is known, or nobody hears from the cluster anyway: then another manager's cluster can be claimed. */
  #isKnown(cluster: MemberCluster): boolean {
    return this.#options.observations.contactOf(cluster.metadata.name).synced || !isReady(cluster);
  }

  /** The cluster is drained, and was neither reached nor given up yet: nobody can say what holds it, and what stands there may still be so. */
  #isUnsettled({ metadata: { name }, spec }: MemberCluster): boolean {
    return spec.deletionPolicy === "Drain" && this.#options.observations.contactOf(name).pending;
  }

  /** Nothing of ours is left or wanted there, as far as a member that answers can say. Namespaces may stay. */
  #isDrained(name: string): boolean {
    const { observations, assignments } = this.#options;
    if (!observations.contactOf(name).synced) return false;
    for (const { ref } of observations.in(name)) if (ref.kind !== "Namespace") return false;
    for (const { ref } of assignments.in(name)) if (ref.kind !== "Namespace") return false;
    return true;
  }

  /**
   * Nothing on the member has a mark of Meridian any more, nor will have by a write under way; or the member does not answer, or refuses for
   * good: then it keeps the marks.
   */
  #isLetGo(name: string): boolean {
    const { observations, assignments } = this.#options;
    const contact = observations.contactOf(name);
    if (contact.pending) return false;
    if (!contact.ok) return true;
    for (const { present, writing, failure } of observations.in(name)) {
      if (writing) return false;
      if (present !== undefined && !present.deleting && failure?.final !== true) return false;
    }
    for (const cell of assignments.in(name)) {
      if (cell.effective?.verb === "Apply" || !assignments.isAcknowledged(cell)) return false;
    }
    return true;
  }
}

function isReady({ status }: MemberCluster): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}
