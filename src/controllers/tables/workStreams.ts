import type { GroupKind } from "../../interpreter/index.ts";
import {
  PROTOCOL_VERSION,
  type AssignmentRequest,
  type RowDelta,
  type WorkDelta,
  type WorkMessage,
  type WorkSource,
} from "../../ports/index.ts";
import { type Clock, type Emitter, every, type ResourceType } from "../../runtime/index.ts";
import type { Assignments, Cell } from "./assignments.ts";
import { Feed } from "./feed.ts";
import { Groups } from "./groups.ts";
import { sameKinds } from "./kindCounts.ts";

export interface WorkStreamsOptions {
  assignments: Assignments;
  /** Term of this planner. */
  epoch: number;
  kinds: { memberKinds(): readonly ResourceType[]; onChange(handler: () => void): Disposable };
  /** Hub objects with copies on the cluster, by the hub's record. */
  expected: (cluster: string) => Iterable<string>;
  /** Kinds of objects that may be on the cluster by the hub's record, besides the kinds watched on all clusters. */
  recordedKinds: (cluster: string) => Iterable<GroupKind>;
  capacities: { isWanted(cluster: string): boolean; wanted: Emitter<string> };
  progress: PlanningState;
  clock: Pick<Clock, "after">;
  /** Milliseconds between two signs of life. Undefined: the workers run in this process. */
  heartbeatMs: number | undefined;
}

export interface PlanningState {
  /** The hub's caches have synced. */
  readonly hasBegun: boolean;
  /** Every hub object that existed then was planned, or cannot be planned. */
  readonly isComplete: boolean;
  /** Emitted when one of the two becomes true. */
  readonly stages: { subscribe(handler: () => void): Disposable };
}

/** Rows in one message. Larger sets are sent in several, between which other work has its turn. */
const ROWS_AT_A_TIME = 500;

/** A worker speaks another version of the protocol. */
export class ProtocolVersionError extends Error {
  override readonly name = "ProtocolVersionError";

  constructor(version: number) {
    super(`the worker speaks version ${version} of the protocol, this manager version ${PROTOCOL_VERSION}`);
  }
}

/** The work of each cluster as a stream of messages, out of {@link Assignments}. */
export class WorkStreams implements WorkSource {
  readonly #options: WorkStreamsOptions;
  readonly #feeds = new Groups<Feed<Cell>>();

  constructor(options: WorkStreamsOptions) {
    this.#options = options;
    const { assignments, capacities, progress } = options;
    const wake = (cluster: string): void => {
      for (const feed of this.#feeds.of(cluster)) feed.wake();
    };
    assignments.effects.subscribe((cell) => {
      for (const feed of this.#feeds.of(cell.cluster)) feed.push(cell);
    });
    assignments.kindsChanged.subscribe(wake);
    capacities.wanted.subscribe(wake);
    progress.stages.subscribe(() => {
      for (const feeds of this.#feeds.values()) for (const feed of feeds) feed.wake();
    });
  }

  /** Rejects a worker with another version of the protocol ({@link ProtocolVersionError}). */
  async *assignment(cluster: string, request: AssignmentRequest, signal: AbortSignal): AsyncIterable<WorkMessage> {
    if (request.version !== PROTOCOL_VERSION) throw new ProtocolVersionError(request.version);
    let seq = 0;
    for await (const delta of this.#stream(cluster, request, signal)) {
      yield { seq, ...delta };
      seq += 1;
    }
  }

  async *#stream(cluster: string, { since }: AssignmentRequest, signal: AbortSignal): AsyncIterable<WorkDelta> {
    const { epoch, progress, assignments, kinds } = this.#options;
    using feed = new Feed<Cell>(signal);
    // The kinds outlive this planner: only a stream follows them.
    using _kinds = kinds.onChange(() => feed.wake());
    this.#feeds.add(cluster, feed);
    using heartbeat = this.#heartbeat(feed);
    try {
      while (!progress.hasBegun) {
        yield { kind: "NotSynced" };
        await feed.filled();
        if (signal.aborted) return;
      }
      const { revision } = assignments.summaryOf(cluster);
      const after = since?.epoch === epoch && since.revision <= revision ? since.revision : undefined;
      yield { kind: "Start", epoch, ...(after === undefined ? {} : { since: after }) };
      for (const cell of assignments.in(cluster))
        if (after === undefined ? cell.effective !== undefined : cell.revision > after) feed.push(cell);
      yield* this.#work(cluster, feed, heartbeat, signal);
    } finally {
      this.#feeds.delete(cluster, feed);
    }
  }

  async *#work(cluster: string, feed: Feed<Cell>, heartbeat: Heartbeat, signal: AbortSignal): AsyncIterable<WorkDelta> {
    const { kinds, expected, recordedKinds, capacities, assignments, progress } = this.#options;
    yield { kind: "Expected", owners: [...expected(cluster)] };
    // Kinds in the record at the start are watched for the whole stream: owners may have left copies behind.
    const recorded = [...recordedKinds(cluster)];
    let watched: readonly ResourceType[] | undefined;
    let others: readonly GroupKind[] = [];
    let isCapacityWanted: boolean | undefined;
    let isEnded = false;
    while (!signal.aborted) {
      const wanted = kinds.memberKinds();
      const more = assignments.kindsBeside(wanted, cluster, recorded);
      if (wanted !== watched || !sameKinds(more, others))
        yield { kind: "Kinds", kinds: (watched = wanted), others: (others = more) };
      if (capacities.isWanted(cluster) !== isCapacityWanted)
        yield { kind: "Capacity", wanted: (isCapacityWanted = capacities.isWanted(cluster)) };
      yield* rowsOf(feed.take());
      if (feed.isFilled) continue;
      if (!isEnded && progress.isComplete) {
        isEnded = true;
        yield { kind: "End", ...assignments.summaryOf(cluster) };
      } else if (heartbeat.isDue) {
        heartbeat.isDue = false;
        yield { kind: "Heartbeat", ...(isEnded ? assignments.summaryOf(cluster) : {}) };
      }
      await feed.filled();
    }
  }

  #heartbeat(feed: Feed<Cell>): Heartbeat {
    const { clock, heartbeatMs } = this.#options;
    if (heartbeatMs === undefined) return { isDue: false, [Symbol.dispose]: () => undefined };
    const beating = every(clock, heartbeatMs, () => {
      heartbeat.isDue = true;
      feed.wake();
    });
    const heartbeat: Heartbeat = { isDue: false, [Symbol.dispose]: () => beating[Symbol.dispose]() };
    return heartbeat;
  }
}

interface Heartbeat extends Disposable {
  isDue: boolean;
}

function* rowsOf(cells: readonly Cell[]): Iterable<WorkDelta> {
  for (let index = 0; index < cells.length; index += ROWS_AT_A_TIME) {
    const rows = cells.slice(index, index + ROWS_AT_A_TIME).map(deltaOf);
    yield { kind: "Rows", rows, ...(index + ROWS_AT_A_TIME < cells.length ? { more: true } : {}) };
  }
}

function deltaOf({ ref, effective, revision, origin, isBacklog }: Cell): RowDelta {
  return { ref, row: effective, revision, origin, ...(isBacklog ? { backlog: true } : {}) };
}
