import type { ClusterPool } from "./connection/index.ts";
import { Fleet, type FleetOptions } from "./fleet.ts";
import type { PoolListener } from "./types.ts";

export interface MembersOptions extends FleetOptions {
  /** Creates the connection pool, which reports sessions and contact to the listener. */
  pool: (listener: PoolListener) => Pick<ClusterPool, "run">;
}

export interface Members {
  /** Connects the clusters and works for them until the signal, then finishes the running writes. */
  run(signal: AbortSignal): Promise<void>;
}

/** The members' half of the pipeline: the connections, and a worker for each cluster. It knows the ports and no hub. */
export function createMembers({ pool: createPool, ...options }: MembersOptions): Members {
  const fleet = new Fleet(options);
  const pool = createPool(fleet);
  return {
    async run(signal) {
      await using _workers = fleet;
      using _staleness = options.metrics.beforeScrape(() => fleet.reportMembers());
      using _ages = fleet.sampleAges();
      await pool.run(signal);
    },
  };
}
