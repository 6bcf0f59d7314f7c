import {
  claimed,
  type Classes,
  CLUSTER_FINALIZER,
  isResponsible,
  type MemberCluster,
  unclaimed,
} from "../apis/index.ts";
import type { ClusterPool, DesiredStateTable, Members } from "../clusters/index.ts";
import type { Custody } from "./custody.ts";
import { LOOK_AGAIN_MS, setFinalizers } from "./finalizers.ts";
import {
  type Client,
  type Clock,
  done,
  type Informer,
  MEMBERCLUSTERS,
  requeueAfter,
  type Result,
} from "../runtime/index.ts";

export interface ClusterReconcilerOptions {
  client: Client;
  clusters: Informer<MemberCluster>;
  pool: ClusterPool;
  members: Members;
  table: DesiredStateTable;
  custody: Custody;
  /** That this manager serves. */
  classes: Classes;
  clock: Clock;
}

/**
 * Keeps the pool of connections as the MemberClusters say, and sees their deletion through: with `Drain` the member's objects are removed
 * first; otherwise they are left running, untouched.
 */
export class ClusterReconciler {
  readonly #options: ClusterReconcilerOptions;

  constructor(options: ClusterReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { clusters, pool, table, custody, classes, clock } = this.#options;
    const cluster = clusters.get(name);
    if (cluster === undefined) {
      pool.remove(name);
      return done;
    }
    const standing = custody.clusterStanding(cluster);
    const carried = isResponsible(standing);
    const { finalizers = [], deletionTimestamp } = cluster.metadata;
    const without = unclaimed(CLUSTER_FINALIZER, cluster.metadata, classes);
    if (deletionTimestamp === undefined) {
      pool.upsert(cluster, carried);
      if (standing === "Release") return await this.#setFinalizers(cluster, without, signal);
      if (standing === "Carry" || (standing === "TakeOver" && this.#isKnown(cluster)))
        return await this.#setFinalizers(cluster, claimed(CLUSTER_FINALIZER, cluster.metadata, classes), signal);
      return done;
    }
    if (cluster.spec.deletionPolicy === "Drain") {
      pool.upsert(cluster, carried);
      // Each manager removes what it carries there; the cluster's own waits for all of it.
      if (!carried) return await this.#setFinalizers(cluster, without, signal);
      if (without.length === finalizers.length || !this.#isDrained(name)) return done;
    }
    if (carried && without.length === finalizers.length) return done;
    // From here on nothing may be written there: what runs on the member stays as it is.
    pool.remove(name);
    table.forgetCluster(name, clock.monotonic());
    return await this.#setFinalizers(cluster, without, signal);
  }

  async #setFinalizers(cluster: MemberCluster, next: readonly string[], signal: AbortSignal): Promise<Result> {
    const { client, clusters } = this.#options;
    if (next.join() === (cluster.metadata.finalizers ?? []).join()) return done;
    const patched = await setFinalizers(client, MEMBERCLUSTERS, cluster, next, signal);
    if (patched === undefined) return requeueAfter(LOOK_AGAIN_MS);
    if (patched.metadata.deletionTimestamp === undefined) clusters.observe(patched);
    return done;
  }

  /** All that is there is known, or nobody hears from it anyway: then another manager's cluster can be ours. */
  #isKnown({ metadata, status }: MemberCluster): boolean {
    const isReady = status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
    return this.#options.members.isSynced(metadata.name) || isReady !== true;
  }

  /** Nothing of ours is left or wanted there, as far as a member that answers can tell. */
  #isDrained(name: string): boolean {
    const { table, members } = this.#options;
    if (!members.isSynced(name)) return false;
    for (const _ of table.entriesIn(name)) return false;
    return true;
  }
}
