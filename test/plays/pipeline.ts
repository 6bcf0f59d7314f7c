import { type KubeObject, type Message, type ObjectRef, fullMessage } from "../../src/apis/index.ts";
import { createLogger, createMetrics, createTracing, EventRecorder } from "../../src/observability/index.ts";
import type { Client, Clock, ClusterConfig } from "../../src/runtime/index.ts";
import { type FederationView, runManager } from "../integration/federation/manager.ts";

/** Namespace of Meridian on the hub. */
export const SYSTEM = "meridian-system";

/** One decision of planning about one member object: what the worker of the cluster shall do with it. */
export interface Decision {
  owner: ObjectRef;
  cluster: string;
  ref: ObjectRef;
  verb: "Apply" | "Hold" | "Delete" | "Release";
  /** Hash of the content to apply. */
  hash?: string;
  /** UID of the member object to delete or release. */
  uid?: string;
  /** Reason code of every verb but Apply. */
  reason?: string;
  message?: string;
}

export interface PipelineParts {
  client: Client;
  clientFor: (config: ClusterConfig) => Client;
  hubId: string;
  clock: Clock;
  /** Numbers in [0, 1) for jitter. */
  random: () => number;
  /** Controller classes of the manager; empty for the default class. */
  classes: readonly string[];
  onEvent: (event: KubeObject) => void;
  /** Gets each line that the manager logs at the level `error`. */
  onErrorLog: (line: string) => void;
  /** Planning changed its decisions about this hub object. */
  onDecisions: (owner: string) => void;
}

/** A running manager: planner, workers and status together. */
export interface Pipeline {
  /** Present decisions about the hub object. */
  decisionsOf(owner: string): Decision[];
  /** Asks the manager to stop; `ended` resolves when it has. */
  stop(): void;
  readonly ended: Promise<void>;
}

/** Starts the pipeline. The only file of the plays that knows how a manager is put together. */
export async function startPipeline(parts: PipelineParts): Promise<Pipeline> {
  const { client, clientFor, hubId, clock, random, classes, onEvent, onErrorLog, onDecisions } = parts;
  const stopped = new AbortController();
  const logger = createLogger({ level: "error", destination: { write: onErrorLog } });
  const events = new EventRecorder({
    post: async (event) => {
      onEvent(event);
      return event;
    },
    patch: async () => ({ apiVersion: "v1", kind: "Event", metadata: { name: "" } }),
    now: () => clock.now(),
    identity: "play",
    logger,
    after: (ms, callback) => clock.after(ms, callback),
  });
  const { tracer, shutdown } = await createTracing({ serviceVersion: "play", identity: "play", env: {} });
  let view: FederationView | undefined;
  const running = runManager(
    {
      client,
      hubId,
      systemNamespace: SYSTEM,
      ...(classes.length === 0 ? {} : { classes: new Set(classes) }),
      clock,
      random,
      logger,
      metrics: createMetrics({ processMetrics: false }),
      tracer,
      events,
      clientFor,
      onStart: (started) => {
        view = started;
        started.assignments.changes.subscribe(({ owner }) => onDecisions(owner));
      },
    },
    stopped.signal,
  );
  const finish = async (): Promise<void> => {
    try {
      await running;
    } finally {
      await shutdown();
    }
  };
  return {
    decisionsOf: (owner) => (view === undefined ? [] : decisionsOf(view, owner)),
    stop: () => stopped.abort(new Error("the play stops the manager")),
    ended: finish(),
  };
}

function decisionsOf({ assignments }: FederationView, owner: string): Decision[] {
  return [...assignments.of(owner)].flatMap(({ rows }) => {
    const row = rows.get(owner);
    if (row === undefined) return [];
    const { cluster, ref, verb } = row;
    const decision: Decision = { owner: row.owner, cluster, ref, verb };
    if ("uid" in row) decision.uid = row.uid;
    if (row.verb === "Apply") decision.hash = row.hash;
    else {
      decision.reason = row.why.reason;
      decision.message = fullMessage(row.why.message as Message);
    }
    return [decision];
  });
}
