import { claimed, CLUSTER_FINALIZER, isResponsible, type MemberCluster, unclaimed } from "../../apis/index.ts";
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
import type { Assignments, Observations, ReportReceiver } from "../tables/index.ts";
import {
  awaitsDecision,
  type DeletionStage,
  leftOn,
  reportDeletion,
  whyNotDrained,
  whyNotReleased,
} from "./clusterDeletion.ts";
import type { ConnectedMembers } from "./connectedMembers.ts";
import { type ControllerClasses, RETRY_FINALIZER_MS, setFinalizers } from "../facts/index.ts";
import { recordFinalizer } from "../progress/index.ts";
import { patienceLeft } from "../status/index.ts";

export interface ClusterReconcilerOptions {
  hub: Pick<HubCache, "reportedOn" | "clusters">;
  client: Client;
  clock: Clock;
  events: Pick<EventRecorder, "record">;
  clusters: Informer<MemberCluster>;
  members: Pick<ConnectedMembers, "upsert" | "remove" | "released">;
  reports: Pick<ReportReceiver, "expect" | "forget">;
  assignments: Assignments;
  observations: Observations;
  classes: ControllerClasses;
}

/** Shortest time between two progress reports of a draining cluster. */
const PROGRESS_MS = 5_000;

/**
 * Says which MemberClusters are to be connected, and carries out their deletion. With `Drain`, the member's
 * objects are removed first. With `Orphan`, they lose Meridian's marks and keep running, and a member that does not
 * answer is not waited for. Without a policy the deletion waits for a person.
 */
export class ClusterReconciler implements Reconciler {
  readonly #options: ClusterReconcilerOptions;
  readonly #reportedAt = new Map<string, number>();

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
      from(this.#options.members.released),
      from(this.#options.assignments.changes).map(({ clusters: names }) =>
        [...names].filter((name) => this.#isLeaving(name)),
      ),
    ];
  }

  logFields(name: string): Record<string, string | undefined> {
    return { cluster: name };
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { hub, clusters, classes, assignments, observations } = this.#options;
    const cluster = clusters.get(name);
    if (cluster === undefined) {
      this.#disconnect(name);
      this.#reportedAt.delete(name);
      return done;
    }
    const ownership = classes.ofCluster(cluster);
    const owned = isResponsible(ownership);
    const { finalizers = [], deletionTimestamp } = cluster.metadata;
    const without = unclaimed(CLUSTER_FINALIZER, cluster.metadata, classes.classes);
    if (deletionTimestamp === undefined) {
      this.#connect(cluster, owned);
      if (ownership === "Yielded") return await this.#setFinalizers(cluster, without, signal);
      if (ownership === "Owned" || (ownership === "Claimable" && this.#isKnown(cluster)))
        return await this.#setFinalizers(
          cluster,
          claimed(CLUSTER_FINALIZER, cluster.metadata, classes.classes),
          signal,
        );
      return done;
    }
    const waits = awaitsDecision({ hub, assignments, observations }, cluster);
    const isReported = owned && waits !== "Unknown" && !this.#isUnsettled(cluster);
    const reportAfterMs = isReported ? await this.#report(cluster, waits === "Yes", signal) : undefined;
    if (waits !== "No") {
      this.#connect(cluster, owned);
      return done;
    }
    if (cluster.spec.deletionPolicy === "Drain") {
      this.#connect(cluster, owned);
      // Each manager removes its own objects. The finalizer of the cluster's manager waits until all objects are gone.
      if (!owned) return await this.#setFinalizers(cluster, without, signal);
      if (without.length === finalizers.length) return done;
      if (!this.#isDrained(name)) return reportAfterMs === undefined ? done : requeueAfter(reportAfterMs);
    } else if (owned && without.length < finalizers.length) {
      this.#connect(cluster, owned);
      if (!this.#isReleased(name)) return reportAfterMs === undefined ? done : requeueAfter(reportAfterMs);
    }
    if (owned && without.length === finalizers.length) {
      this.#disconnect(name);
      return done;
    }
    // From here on, nothing is written to the member: every worker has ended its session before the finalizer goes.
    if (!this.#disconnect(name)) return done;
    return await this.#setFinalizers(cluster, without, signal);
  }

  #connect(cluster: MemberCluster, owned: boolean): void {
    const { members, reports } = this.#options;
    reports.expect(cluster.metadata.name);
    members.upsert(cluster, owned);
  }

  /** False while a worker may still write to the cluster. */
  #disconnect(name: string): boolean {
    const { members, reports } = this.#options;
    const isReleased = members.remove(name);
    reports.forget(name);
    return isReleased;
  }

  /** Reports the stage of the deletion. Returns the milliseconds until the next report, if one is due by time. */
  async #report(cluster: MemberCluster, isUndecided: boolean, signal: AbortSignal): Promise<number | undefined> {
    const { name } = cluster.metadata;
    const { client, clusters, events, assignments, observations, clock } = this.#options;
    const now = clock.now();
    const say = (stage: DeletionStage): Promise<void> =>
      reportDeletion({ client, clusters, events }, cluster, stage, now, signal);
    if (isUndecided) {
      await say({ kind: "Undecided" });
      return undefined;
    }
    const late = patienceLeft(cluster, now) === 0;
    if (cluster.spec.deletionPolicy !== "Drain") {
      await say({ kind: "LettingGo", waits: whyNotReleased({ observations }, cluster), late });
      return late ? undefined : PROGRESS_MS;
    }
    if (this.#isDrained(name)) return undefined;
    // Each removed object causes a reconcile, so reports are limited.
    const sinceReport = now - (this.#reportedAt.get(name) ?? -Infinity);
    if (sinceReport < PROGRESS_MS) return PROGRESS_MS - sinceReport;
    const waits = whyNotDrained({ assignments, observations }, cluster);
    await say({ kind: "Draining", left: leftOn(observations, name), waits, late });
    this.#reportedAt.set(name, now);
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

  /** True if another manager's cluster can be claimed: all objects on it are known, or it is not ready anyway. */
  #isKnown(cluster: MemberCluster): boolean {
    return this.#options.observations.contactOf(cluster.metadata.name).synced || !isReady(cluster);
  }

  /** True while a draining cluster is pending: the causes are unknown, and the old condition may still hold. */
  #isUnsettled({ metadata: { name }, spec }: MemberCluster): boolean {
    return spec.deletionPolicy === "Drain" && this.#options.observations.contactOf(name).pending;
  }

  /** True if the member is fully known and has no objects of ours and no rows. Namespaces may stay. */
  #isDrained(name: string): boolean {
    const { observations, assignments } = this.#options;
    if (!observations.contactOf(name).synced) return false;
    for (const { ref } of observations.in(name)) if (ref.kind !== "Namespace") return false;
    for (const { ref } of assignments.in(name)) if (ref.kind !== "Namespace") return false;
    return true;
  }

  /**
   * True if no object has a mark of Meridian and no write under way can add one. Also true if the member does not
   * answer or refuses the change for good: the marks then stay.
   */
  #isReleased(name: string): boolean {
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
