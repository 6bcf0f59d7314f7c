import { CLUSTER_FINALIZER, type MemberCluster } from "../apis/index.ts";
import type { ClusterPool, DesiredStateTable, Members } from "../clusters/index.ts";
import { type Client, type Clock, done, type Informer, isConflict, isNotFound, MEMBERCLUSTERS, type Result } from "../runtime/index.ts";

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
      if (!finalizers.includes(CLUSTER_FINALIZER)) await this.#setFinalizers(cluster, [...finalizers, CLUSTER_FINALIZER], signal);
      return done;
    }
    if (!finalizers.includes(CLUSTER_FINALIZER)) return done;
    if (cluster.spec.deletionPolicy === "Drain") {
      pool.upsert(cluster);
      if (!this.#isDrained(name)) return done;
    }
    // From here on nothing may be written there: what runs on the member stays as it is.
    pool.remove(name);
    table.forgetCluster(name, clock.monotonic());
    await this.#setFinalizers(
      cluster,
      finalizers.filter((finalizer) => finalizer !== CLUSTER_FINALIZER),
      signal,
    );
    return done;
  }

  /** Nothing of ours is left or wanted there, as far as a member that answers can tell. */
  #isDrained(name: string): boolean {
    const { table, members } = this.#options;
    if (!members.isSynced(name)) return false;
    for (const _ of table.entriesIn(name)) return false;
    return true;
  }

  async #setFinalizers(cluster: MemberCluster, finalizers: string[], signal: AbortSignal): Promise<void> {
    const { client, clusters } = this.#options;
    const { name, uid, resourceVersion } = cluster.metadata;
    try {
      const patched = await client.patch(
        MEMBERCLUSTERS,
        undefined,
        name,
        "application/merge-patch+json",
        { metadata: { uid, resourceVersion, finalizers } },
        { signal },
      );
      if (patched.metadata.deletionTimestamp === undefined) clusters.observe(patched);
    } catch (error) {
      // Somebody changed it meanwhile: the watch brings that, and with it the next look.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}
