import { type Reason, REASONS } from "../../apis/index.ts";
import { endedNotes, type EndedTrouble, EndedTroubles, type ListedTrouble } from "../../status/index.ts";
import type { EventRecorder } from "./eventRecorder.ts";

export interface RecoveryRecorderOptions {
  events: Pick<EventRecorder, "record">;
  after: (ms: number, callback: () => void) => Disposable;
  /** `reason` is one of Meridian's reasons, or Other. */
  onEnd?: (reason: string) => void;
}

export type Recoveries = Pick<RecoveryRecorder, "ended">;

/** Recoveries of one object from one cause, since one was recorded. */
interface Gathering {
  windowMs: number;
  timer: Disposable;
  /** By cluster, with the last times of each. */
  readonly gathered: Map<string, ListedTrouble>;
}

const RECOVERED: Reason = "Recovered";
/**
 * After a recorded recovery further ones are recorded together, at the end of a window. It doubles while they go on.
 */
const FIRST_WINDOW_MS = 60_000;
const LONGEST_WINDOW_MS = 8 * 60_000;
/** Beyond that each recovery is recorded at once; the Event recorder has its own bounds. */
const MOST_GATHERINGS = 2_048;

/**
 * Keeps the list of ended troubles and records Events about them: the first recovery of an object from a cause at once,
 * the following ones together. So a fleet that recovers cluster by cluster costs few Events.
 */
export class RecoveryRecorder implements Disposable {
  /** An entry counts how often its trouble has ended. */
  readonly troubles = new EndedTroubles();
  readonly #options: RecoveryRecorderOptions;
  readonly #gatherings = new Map<string, Gathering>();

  constructor(options: RecoveryRecorderOptions) {
    this.#options = options;
  }

  ended(troubles: readonly EndedTrouble[]): void {
    const untold: ListedTrouble[] = [];
    for (const trouble of troubles.map((one) => this.troubles.add(one))) {
      // Members may report any reason, so other reasons would make the number of series unbounded.
      this.#options.onEnd?.(Object.hasOwn(REASONS, trouble.reason) ? trouble.reason : "Other");
      const gathering = this.#gatherings.get(causeOf(trouble));
      if (gathering === undefined) untold.push(trouble);
      else gathering.gathered.set(trouble.cluster ?? "", trouble);
    }
    this.#record(untold);
    for (const cause of new Set(untold.map(causeOf))) this.#gather(cause, FIRST_WINDOW_MS);
  }

  [Symbol.dispose](): void {
    for (const { timer, gathered } of this.#gatherings.values()) {
      timer[Symbol.dispose]();
      this.#record([...gathered.values()]);
    }
    this.#gatherings.clear();
  }

  #gather(cause: string, windowMs: number): void {
    if (this.#gatherings.size >= MOST_GATHERINGS) return;
    const timer = this.#options.after(windowMs, () => this.#close(cause));
    this.#gatherings.set(cause, { windowMs, timer, gathered: new Map() });
  }

  #close(cause: string): void {
    const { windowMs = 0, gathered = new Map<string, ListedTrouble>() } = this.#gatherings.get(cause) ?? {};
    this.#gatherings.delete(cause);
    if (gathered.size === 0) return;
    this.#record([...gathered.values()]);
    this.#gather(cause, Math.min(2 * windowMs, LONGEST_WINDOW_MS));
  }

  #record(troubles: readonly ListedTrouble[]): void {
    for (const { note, troubles: told } of endedNotes(troubles)) {
      const [first] = told;
      if (first === undefined) continue;
      const [since] = told.flatMap((one) => one.since ?? []).toSorted();
      this.#options.events.record({
        regarding: first.object,
        type: "Normal",
        reason: RECOVERED,
        action: ACTIONS[first.ending],
        note,
        ...(since === undefined ? {} : { since }),
      });
    }
  }
}

const ACTIONS: Record<EndedTrouble["ending"], string> = {
  Healthy: "Run",
  Left: "Run",
  Over: "Observe",
  Contact: "Probe",
  Deleted: "Delete",
};

/** Key of a {@link Gathering}: the clusters differ, and everything else is equal. */
function causeOf({ object, ending, reason }: EndedTrouble): string {
  return [object.kind, object.namespace, object.name, object.uid, ending, reason].join("\n");
}
