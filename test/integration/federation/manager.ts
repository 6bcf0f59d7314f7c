import { type Classes } from "../../../src/apis/index.ts";
import { ClusterPool } from "../../../src/clusters/index.ts";
import { type AskGate, createFederation } from "../../../src/controllers/index.ts";
import { HubCache, MemberSecrets } from "../../../src/hub/index.ts";
import {
  type AuditTrail,
  type EventSink,
  type Logger,
  type Metrics,
  RecoveryRecorder,
  type Tracer,
} from "../../../src/observability/index.ts";
import { byteLink } from "../ports/byteLink.ts";
import { type Client, type Clock, type ClusterConfig, Discovery } from "../../../src/runtime/index.ts";

/** What a manager of these tests runs on. */
export interface ManagerParts {
  client: Client;
  hubId: string;
  systemNamespace: string;
  /** Undefined: the default class alone. */
  classes?: Classes;
  /** Undefined: no Prometheus. */
  askGate?: AskGate;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  events: EventSink;
  /** Undefined: writes to members are not recorded. */
  audit?: AuditTrail;
  clientFor: (config: ClusterConfig) => Client;
  /** Numbers in [0, 1) for jitter. Default: always 0.5. */
  random?: () => number;
  /** Gets the tables of the manager, its cache of the hub, and its connections, before it runs. */
  onStart?: (view: FederationView, hub: HubCache, pool: () => ClusterPool | undefined) => void;
}

/** The tables of a running manager, to read. */
export type FederationView = ReturnType<typeof createFederation>["view"];

/** Runs the federation as the manager does, until the signal: the one place of these tests that knows how it is put together. */
export async function runManager(parts: ManagerParts, signal: AbortSignal): Promise<void> {
  const { systemNamespace, clientFor, onStart, random = () => 0.5, ...shared } = parts;
  const { client, hubId, clock, logger, metrics } = parts;
  const hub = new HubCache({ client, clock, random, logger, metrics });
  using recoveries = new RecoveryRecorder({
    events: parts.events,
    after: (ms, callback) => clock.after(ms, callback),
  });
  const members: { pool?: ClusterPool } = {};
  const federation = createFederation({
    ...shared,
    hub,
    epoch: Math.floor(clock.now()),
    identity: "manager",
    random,
    recoveries,
    ...(process.env["MERIDIAN_PORTS"] === "bytes" ? { link: (ports) => byteLink(ports) } : {}),
    pool: (poolParts) =>
      (members.pool = new ClusterPool({
        ...poolParts,
        credentials: new MemberSecrets({ client, namespace: systemNamespace, clock, logger }),
        hubLocal: { client, discovery: new Discovery(client, clock), clusterUid: hubId },
        allowExec: false,
        clock,
        logger,
        metrics,
        random,
        clientFor,
      })),
  });
  onStart?.(federation.view, hub, () => members.pool);
  await Promise.all([hub.run(signal), federation.run(signal)]);
}
