import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { defined, type KubeObject, REGION_LABEL, refKey } from "../../apis/index.ts";
import type { PlannerView } from "../../controllers/index.ts";
import type { HubCache } from "../../hub/index.ts";
import {
  AuditTrail,
  type DecisionFacts,
  type DecisionSubject,
  type LineOutput,
  type Logger,
  type Metrics,
  openLineOutput,
  type OperationsEvent,
  OperationsLog,
  type OperationsSink,
  parseTags,
} from "../../observability/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { CommandError } from "../shared/index.ts";
import type { RecordFlagsGiven } from "./recordFlags.ts";

/** Each has a flag `--NAME-log`. */
type Stream = "operations" | "audit";

export interface RecordsOptions {
  flags: RecordFlagsGiven;
  /** Of this manager. */
  identity: string;
  serviceName: string;
  logger: Logger;
  metrics: Metrics;
  /** Gets operations events, too. */
  sinks?: readonly OperationsSink[];
}

/** The streams of records of one process. */
export class Records implements AsyncDisposable {
  readonly operations: OperationsLog;
  /** Undefined: writes to members are not recorded. */
  readonly audit: AuditTrail | undefined;
  readonly #outputs: readonly LineOutput[];

  private constructor(operations: OperationsLog, audit: AuditTrail | undefined, outputs: readonly LineOutput[]) {
    this.operations = operations;
    this.audit = audit;
    this.#outputs = outputs;
  }

  /** Throws {@link CommandError} for a file that cannot be read or written. */
  static async open(options: RecordsOptions): Promise<Records> {
    const { flags, identity, serviceName, logger, metrics, sinks = [] } = options;
    const { operationsLog, auditLog, tagsFile } = flags;
    const tags = tagsFile === undefined ? {} : await readTags(tagsFile);
    const outputs: LineOutput[] = [];
    const open = (stream: Stream, target: string | undefined): LineOutput | undefined => {
      if (target === undefined) return undefined;
      const output = outputOf(stream, target, { logger, metrics });
      outputs.push(output);
      return output;
    };
    const lines = open("operations", operationsLog);
    const trail = open("audit", auditLog);
    const operations = new OperationsLog({
      process: { serviceName, hostIp: hostIp(process.env), processId: process.pid, tags },
      sinks: [...(lines === undefined ? [] : [(event: OperationsEvent) => lines.write(event)]), ...sinks],
      randomId: randomUUID,
      now: () => systemClock.now(),
      after: (ms, callback) => systemClock.after(ms, callback),
    });
    const audit =
      trail &&
      new AuditTrail({
        user: identity,
        randomId: randomUUID,
        now: () => systemClock.now(),
        write: (record) => trail.write(record),
      });
    return new Records(operations, audit, outputs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.operations[Symbol.dispose]();
    await Promise.all(this.#outputs.map((output) => output[Symbol.asyncDispose]()));
  }
}

/** What the planner of a term knows of the subjects of decisions. */
export function decisionFacts(hub: HubCache, { states }: Pick<PlannerView, "states">): DecisionFacts {
  return {
    uidOf: (subject) => objectOf(hub, subject)?.metadata.uid,
    spanOf: (subject) => states.traces.lastOf(keyOf(subject))?.spanContext,
    regionOf: (cluster) => hub.clusters.get(cluster)?.metadata.labels?.[REGION_LABEL],
  };
}

function objectOf(hub: HubCache, subject: DecisionSubject): Pick<KubeObject, "metadata"> | undefined {
  return subject.kind === "MemberCluster" ? hub.clusters.get(subject.name) : hub.object(keyOf(subject))?.object;
}

/** Owner keys hold no version. */
function keyOf({ group, kind, namespace, name }: DecisionSubject): string {
  return refKey({ apiVersion: group === "" ? "v1" : `${group}/v1`, kind, name, ...defined({ namespace }) });
}

async function readTags(file: string): Promise<Record<string, string>> {
  try {
    return parseTags(await readFile(file, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === undefined ? message : code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new CommandError(`--operations-tags-file ${file} ${why}`);
  }
}

function outputOf(
  stream: Stream,
  target: string,
  { logger, metrics }: Pick<RecordsOptions, "logger" | "metrics">,
): LineOutput {
  const onDrop = (cause: "queue_full" | "failed", lines: number): void =>
    metrics.recordsDropped.inc({ stream, cause }, lines);
  try {
    return openLineOutput({ stream, target, logger, onDrop });
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "its folder does not exist" : `it cannot be written (${code})`;
    throw new CommandError(`--${stream}-log ${target}: ${why}; name another file, stdout or off`);
  }
}

/** Address of the node or the pod, else the first address of this machine that others can reach. */
export function hostIp(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["HOST_IP"] || env["POD_IP"];
  if (given) return given;
  const addresses = Object.values(networkInterfaces()).flatMap((ofInterface) => ofInterface ?? []);
  return addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
}
