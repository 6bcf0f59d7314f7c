/** One occurrence that a controller records. */
export interface Sighting {
  /** Name of the controller. */
  component: string;
  /** UID of the object concerned. */
  uid: string;
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

/** The Event that counts an occurrence. */
export interface Correlated {
  /** Occurrences with the same key increase the count of the same Event. */
  key: string;
  message: string;
  /** The Event stands for many occurrences that differ only in their message. */
  isCombined: boolean;
}

/** From this number of different messages on, one Event stands for all further ones. */
const MOST_MESSAGES = 10;
const MEMORY_MS = 600_000;

/** Events that one controller may record about one object in a row; one more is allowed every five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;

/**
 * Limits the Events of a busy object as client-go does: a repeated Event is counted, similar Events are combined, and
 * Events beyond the budget are dropped. Remembers the `capacity` most recently busy objects.
 */
export class EventCorrelator {
  readonly #capacity: number;
  readonly #messages = new Map<string, { texts: Set<string>; at: number }>();
  readonly #budgets = new Map<string, { left: number; at: number }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Undefined if the object's budget is used up. */
  correlate(sighting: Sighting, now: number): Correlated | undefined {
    const { component, uid, type, reason, message } = sighting;
    const kind = [component, uid, type, reason].join("\n");
    const known = this.#messages.get(kind);
    const texts = known === undefined || now - known.at > MEMORY_MS ? new Set<string>() : known.texts;
    texts.add(message);
    this.#remember(this.#messages, kind, { texts, at: now });
    const isCombined = texts.size >= MOST_MESSAGES;
    if (isCombined) {
      const [oldest = ""] = texts;
      texts.delete(oldest);
    }
    if (!this.#spend([component, uid, type].join("\n"), now)) return undefined;
    if (!isCombined) return { key: `${kind}\n${message}`, message, isCombined };
    return { key: kind, message: `(combined from similar events): ${message}`, isCombined };
  }

  #spend(key: string, now: number): boolean {
    const { left, at } = this.#budgets.get(key) ?? { left: BURST, at: now };
    const refilled = Math.min(BURST, left + (now - at) / REFILL_MS);
    const isEnough = refilled >= 1;
    this.#remember(this.#budgets, key, { left: isEnough ? refilled - 1 : refilled, at: now });
    return isEnough;
  }

  #remember<V>(memory: Map<string, V>, key: string, value: V): void {
    memory.delete(key);
    memory.set(key, value);
    if (memory.size <= this.#capacity) return;
    const [oldest = ""] = memory.keys();
    memory.delete(oldest);
  }
}
