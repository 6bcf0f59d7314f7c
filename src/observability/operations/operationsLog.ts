import type { Decision } from "./decision.ts";
import { composeEvent, type DecisionFacts, type OperationsEvent, type ProcessFacts } from "./operationsEvent.ts";

/** Takes an event at once. What a sink cannot take, it counts and drops. */
export type OperationsSink = (event: OperationsEvent) => void;

export interface OperationsLogOptions {
  process: ProcessFacts;
  sinks: readonly OperationsSink[];
  randomId: () => string;
  /** Epoch milliseconds. */
  now: () => number;
  after: (ms: number, callback: () => void) => Disposable;
}

/** The same decision again within this time belongs to the same event. */
const LIFE_MS = 6 * 60_000;
/** The count of an event is written at most this often. */
const PAUSE_MS = 30_000;
/** Events whose repetitions are counted. Of further ones each occurrence is an event. */
const MOST_KNOWN = 2_048;

interface Known {
  event: OperationsEvent;
  count: number;
  writtenCount: number;
  lastSeen: number;
  lastWritten: number;
}

/** The events of one process. Repeated decisions are one event, which is written again with its count. */
export class OperationsLog implements Disposable {
  readonly #options: OperationsLogOptions;
  /** In the order in which they were last seen. */
  readonly #known = new Map<string, Known>();
  #sweep: Disposable | undefined;

  constructor(options: OperationsLogOptions) {
    this.#options = options;
  }

  /** True if there is a reader. */
  get isRead(): boolean {
    return this.#options.sinks.length > 0;
  }

  /** Returns the id of the event. */
  record(decision: Decision, facts: DecisionFacts): string {
    // A transition says what changed, so it is never the same as an earlier one.
    const key = decision.transition === undefined ? keyOf(decision) : undefined;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (key !== undefined && known !== undefined && decision.at - known.lastSeen < LIFE_MS) {
      this.#again(key, known, decision.at);
      return known.event.event_id;
    }
    const { process, randomId } = this.#options;
    const event = composeEvent(decision, randomId(), process, facts);
    this.#write(event);
    if (key !== undefined) {
      if (known !== undefined) this.#writeCount(known);
      this.#remember(key, { event, count: 1, writtenCount: 1, lastSeen: decision.at, lastWritten: decision.at });
    }
    return event.event_id;
  }

  /** Writes the counts that were not written yet. */
  [Symbol.dispose](): void {
    this.#sweep?.[Symbol.dispose]();
    this.#sweep = undefined;
    for (const known of this.#known.values()) this.#writeCount(known);
    this.#known.clear();
  }

  #again(key: string, known: Known, at: number): void {
    known.count += 1;
    known.lastSeen = at;
    this.#known.delete(key);
    this.#known.set(key, known);
    if (at - known.lastWritten >= PAUSE_MS) this.#writeCount(known);
    else this.#scheduleSweep();
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known;
    if (this.#known.size <= MOST_KNOWN || oldest === undefined) return;
    this.#known.delete(oldest[0]);
    this.#writeCount(oldest[1]);
  }

  #writeCount(known: Known): void {
    if (known.count === known.writtenCount) return;
    known.writtenCount = known.count;
    known.lastWritten = this.#options.now();
    this.#write({ ...known.event, occurred_at: new Date(known.lastSeen).toISOString(), count: known.count });
  }

  #write(event: OperationsEvent): void {
    for (const sink of this.#options.sinks) sink(event);
  }

  /** One timer for all events. */
  #scheduleSweep(): void {
    this.#sweep ??= this.#options.after(PAUSE_MS, () => {
      this.#sweep = undefined;
      const now = this.#options.now();
      let isWaiting = false;
      for (const [key, known] of this.#known) {
        if (known.count > known.writtenCount) {
          if (now - known.lastWritten >= PAUSE_MS) this.#writeCount(known);
          else isWaiting = true;
        } else if (now - known.lastSeen >= LIFE_MS) this.#known.delete(key);
      }
      if (isWaiting) this.#scheduleSweep();
    });
  }
}

function keyOf({ severity, reason, message, subject, cluster, action }: Decision): string {
  const { group, kind, namespace, name, uid } = subject ?? {};
  return [severity, reason, message, group, kind, namespace, name, uid, cluster, action].join("\n");
}
