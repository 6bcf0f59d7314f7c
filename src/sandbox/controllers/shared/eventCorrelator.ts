/** Something that a controller saw. */
export interface Sighting {
  /** The controller. */
  component: string;
  /** Of the object that it is about. */
  uid: string;
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

/** The Event that a sighting belongs to. */
export interface Correlated {
  /** Sightings with the same key count up the same Event. */
  key: string;
  message: string;
  /** It stands for many that differ in their message only. */
  isCombined: boolean;
}

/** From so many different messages on, one Event stands for all further ones. */
const MOST_MESSAGES = 10;
const MEMORY_MS = 600_000;

/** So many Events an object may have from one controller in a row, and another one every five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;

/**
 * Keeps a busy object from flooding a cluster with Events, as client-go does: the same again counts up, what is much alike is
 * combined, and what is too much is left out. It remembers the objects that were busy last, `capacity` of them.
 */
export class EventCorrelator {
  readonly #capacity: number;
  readonly #messages = new Map<string, { texts: Set<string>; at: number }>();
  readonly #budgets = new Map<string, { left: number; at: number }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Undefined when there were too many. */
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
