import type { Contact } from "../apis/index.ts";
import type { Logger, Metrics, Tracer } from "../observability/index.ts";
import type { Clock } from "../runtime/index.ts";
import type { ReportSink, WorkSource } from "./ports.ts";
import type { MemberSession, PoolListener } from "./types.ts";

export interface FleetOptions {
  source: WorkSource;
  sink: ReportSink;
  /** UID of the hub's kube-system namespace: what Meridian's label says. */
  hubId: string;
  clock: Clock;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
}

/** All members: for each MemberCluster a worker, which lives as long as the MemberCluster does. */
export class Fleet implements PoolListener, AsyncDisposable {
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  sessionStarted(session: MemberSession): void {
    throw new Error(`not yet: ${session.cluster} ${this.#options.hubId}`);
  }

  contactChanged(cluster: string, _contact: Contact): void {
    throw new Error(`not yet: ${cluster}`);
  }

  clusterRemoved(cluster: string): void {
    throw new Error(`not yet: ${cluster}`);
  }

  /** Sets how long ago each cluster was last heard of; a cluster in contact is current. For each scrape. */
  reportStaleness(): void {}

  /** Ends every worker and waits for the writes that are under way. */
  async [Symbol.asyncDispose](): Promise<void> {}
}
