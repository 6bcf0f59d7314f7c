import { type Reason, REASONS } from "../../apis/index.ts";
import { endedNotes, type EndedTrouble, EndedTroubles, type ListedTrouble } from "../../status/index.ts";
import type { EventRecorder } from "./eventRecorder.ts";

export interface RecoveryRecorderOptions {
  events: Pick<EventRecorder, "record">;
  /** Runs a callback once after `ms`. */
  after: (ms: number, callback: () => void) => Disposable;
  /** Called for each recovery. `reason` is one of Meridian's reasons, or Other. */
  onEnd?: (reason: string) => void;
}

/** Receives troubles that have ended. */
export type Recoveries = Pick<RecoveryRecorder, "ended">;

/**
 * Recoveries of one object from one cause that are not recorded yet. An earlier recovery of this kind was recorded
 * already.
 */
interface Gathering {
  windowMs: number;
  timer: Disposable;
  /** By cluster, with the last times of each. */
  readonly gathered: Map<string, ListedTrouble>;
}

const RECOVERED: Reason = "Recovered";
/**
 * Window after a recorded recovery. Further recoveries of the same object from the same cause are recorded together at
 * its end. The window doubles while the trouble comes and goes.
 */
const FIRST_WINDOW_MS = 60_000;
const LONGEST_WINDOW_MS = 8 * 60_000;
/** Maximum number of open windows. Beyond that each recovery is recorded at once; the Event recorder has its own bounds. */
const MOST_GATHERINGS = 2_048;

/**
 * Keeps the list of ended troubles and records Events about them. The first recovery of an object from a cause is
 * recorded at once, and the following ones are gathered. So a fleet that recovers cluster by cluster, or a trouble that
 * comes and goes, costs few Events.
 */
export class RecoveryRecorder implements Disposable {
  /** The list of ended troubles. An entry counts how often its trouble has ended. */
  readonly troubles = new EndedTroubles();
  readonly #options: RecoveryRecorderOptions;
  readonly #gatherings = new Map<string, Gathering>();

  constructor(options: RecoveryRecorderOptions) {
    this.#options = options;
  }

  /** Takes troubles that ended at the same time. */
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

  /** Records the gathered recoveries. */
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

/** Action of the Event, by the way in which the trouble ended. */
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
