import { CLUSTER_FINALIZER, type MemberCluster } from "../apis/index.ts";
import type { ClusterPool, DesiredStateTable, Members } from "../clusters/index.ts";
import { LOOK_AGAIN_MS, setFinalizer } from "./finalizers.ts";
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
    const { clusters, pool, table, clock } = this.#options;
    const cluster = clusters.get(name);
    if (cluster === undefined) {
      pool.remove(name);
      return done;
    }
    const finalizers = cluster.metadata.finalizers ?? [];
    if (cluster.metadata.deletionTimestamp === undefined) {
      pool.upsert(cluster);
      return finalizers.includes(CLUSTER_FINALIZER) ? done : await this.#setFinalizer(cluster, true, signal);
    }
    if (!finalizers.includes(CLUSTER_FINALIZER)) return done;
    if (cluster.spec.deletionPolicy === "Drain") {
      pool.upsert(cluster);
      if (!this.#isDrained(name)) return done;
    }
    // From here on nothing may be written there: what runs on the member stays as it is.
    pool.remove(name);
    table.forgetCluster(name, clock.monotonic());
    return await this.#setFinalizer(cluster, false, signal);
  }

  async #setFinalizer(cluster: MemberCluster, wanted: boolean, signal: AbortSignal): Promise<Result> {
    const { client, clusters } = this.#options;
    const patched = await setFinalizer(client, MEMBERCLUSTERS, cluster, CLUSTER_FINALIZER, wanted, signal);
    if (patched === undefined) return requeueAfter(LOOK_AGAIN_MS);
    if (patched.metadata.deletionTimestamp === undefined) clusters.observe(patched);
    return done;
  }

  /** Nothing of ours is left or wanted there, as far as a member that answers can tell. */
  #isDrained(name: string): boolean {
    const { table, members } = this.#options;
    if (!members.isSynced(name)) return false;
    for (const _ of table.entriesIn(name)) return false;
    return true;
  }
}
