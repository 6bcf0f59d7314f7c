import type { EventRecord, EventSink } from "../events/index.ts";
import { decisionOfChange, decisionOfEvent, type StateChange } from "./decision.ts";
import { type DecisionFacts, NO_FACTS } from "./operationsEvent.ts";
import type { OperationsLog } from "./operationsLog.ts";

export interface OperationsRecorderOptions {
  log: OperationsLog;
  /** Writes the Events of Kubernetes. */
  events: EventSink;
  /** Epoch milliseconds. */
  now: () => number;
  /** Events with `debug` are recorded. */
  debug?: boolean;
}

/** The recorder of one term of leadership. What is recorded becomes an operations event; an Event of Kubernetes, too. */
export class OperationsRecorder implements EventSink {
  readonly #options: OperationsRecorderOptions;
  #facts = NO_FACTS;

  constructor(options: OperationsRecorderOptions) {
    this.#options = options;
  }

  /** The planner, which knows the subjects of the decisions, is made with this recorder. */
  know(facts: DecisionFacts): void {
    this.#facts = facts;
  }

  record(record: EventRecord): void {
    const { events, log, now, debug } = this.#options;
    events.record(record);
    if (!log.isRead || (record.debug === true && debug !== true)) return;
    log.record(decisionOfEvent(record, now()), this.#facts);
  }

  /** Returns the id of the event; undefined if nobody reads the events. */
  changed(change: StateChange): string | undefined {
    const { log } = this.#options;
    return log.isRead ? log.record(decisionOfChange(change), this.#facts) : undefined;
  }
}
