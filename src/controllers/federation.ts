import { DEFAULT_SYSTEM_NAMESPACE } from "../apis/index.ts";
import { type ClusterPool, createMembers, type PoolListener } from "../clusters/index.ts";
import type { AuditTrail } from "../observability/index.ts";
import type { ClusterReport, ConnectionSource, Liveness, ReportSink, WorkSource } from "../ports/index.ts";
import { createPlanner, type PlannerOptions, type PlannerView } from "./planner.ts";

/** The ports between the planner and the members. */
export interface Ports {
  source: WorkSource;
  sink: ReportSink;
  reports: ClusterReport;
  connections: ConnectionSource;
}

/** What the pool of connections gets from the two halves. */
export interface PoolParts extends Pick<Ports, "connections" | "reports"> {
  /** Takes sessions and contact. */
  listener: PoolListener;
  identity: string;
  liveness: Liveness | undefined;
}

export interface FederationOptions extends PlannerOptions {
  /** Records the writes to members. Absent: they are not recorded. */
  audit?: Pick<AuditTrail, "wrote">;
  /** Unique for this process. */
  identity: string;
  /** Creates the connection pool. */
  pool: (parts: PoolParts) => Pick<ClusterPool, "run">;
  /** Carries the messages between the two halves. Default: direct calls. */
  link?: (ports: Ports) => Ports;
}

export interface Federation {
  /** Runs both halves until the signal, then finishes what is under way. */
  run(signal: AbortSignal): Promise<void>;
  view: PlannerView;
}

/**
 * The pipeline of the leader, with both halves in one process:
 *
 *     hub -> target -> rows (assignments) -> workers -> members -> watches -> observations -> status -> hub
 */
export function createFederation(options: FederationOptions): Federation {
  const { hubId, systemNamespace = DEFAULT_SYSTEM_NAMESPACE, identity, liveness, audit } = options;
  const { clock, random, logger, metrics, tracer, link = (ports: Ports) => ports } = options;
  const planner = createPlanner(options);
  const { source, sink, reports, connections } = link(planner);
  const members = createMembers({
    ...{ source, sink, identity, liveness, hubId, systemNamespace, clock, random, logger, metrics, tracer, audit },
    pool: (listener) => options.pool({ listener, connections, reports, identity, liveness }),
  });

  async function run(signal: AbortSignal): Promise<void> {
    await using _reports = planner;
    // A term that ends before the hub was read has asked the members nothing.
    if (!(await planner.hasSynced(signal))) return;
    const end = new AbortController();
    const running = members.run(AbortSignal.any([signal, end.signal]));
    try {
      await planner.run(signal);
    } finally {
      end.abort(new Error("planning has ended"));
      await running;
    }
  }

  return { run, view: planner.view };
}
