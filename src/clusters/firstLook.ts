import type { Logger } from "../observability/index.ts";
import { backoffDelay, type Clock, type Informer, isMassVanishing } from "../runtime/index.ts";
import type { ObservedObject } from "./observed.ts";

const AGAIN = { baseMs: 1_000, capMs: 30_000 };

export interface FirstLookOptions {
  cluster: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  signal: AbortSignal;
  informers: () => Iterable<Informer<ObservedObject>>;
  /** Hub objects whose status says that something of them is on the member. */
  reported: () => Iterable<string>;
  /** Whether something of that hub object was seen there. */
  isThere: (owner: string) => boolean;
  /** It is doubted, or trusted again. */
  changed: () => void;
}

/**
 * Whether the first complete look at a member may be believed. A manager that has just started knows what was there from the statuses on the
 * hub only: when most of that is not there, a second, consistent read has to agree before anything rests on its absence.
 */
export class FirstLook {
  readonly #options: FirstLookOptions;
  #state: "Untaken" | "Doubted" | "Trusted" = "Untaken";

  constructor(options: FirstLookOptions) {
    this.#options = options;
  }

  get isTrusted(): boolean {
    return this.#state === "Trusted";
  }

  get isDoubted(): boolean {
    return this.#state === "Doubted";
  }

  /** Every kind is known now. Only the first call counts. */
  take(): void {
    if (this.#state !== "Untaken") return;
    const { cluster, logger, reported, isThere, changed } = this.#options;
    const known = [...reported()];
    const missing = known.filter((owner) => !isThere(owner));
    if (!isMassVanishing(missing.length, known.length)) {
      this.#state = "Trusted";
      return;
    }
    this.#state = "Doubted";
    changed();
    logger.warn(
      { cluster, vanished: missing.length, known: known.length, event_reason: "DeletionsHeld" },
      "most objects that the hub knows of are not on the member; deletes are held until a second read agrees",
    );
    void this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    const { cluster, clock, random, logger, signal, changed } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await clock.sleep(backoffDelay(attempt, { ...AGAIN, random }), signal);
        if (!(await this.#agrees())) continue;
        this.#state = "Trusted";
        logger.info({ cluster }, "a second read agrees; deletes are no longer held");
        changed();
        return;
      } catch (error) {
        if (!signal.aborted) logger.debug({ cluster, err: error }, "second read failed; deletes stay held");
      }
    }
  }

  async #agrees(): Promise<boolean> {
    let agrees = true;
    for (const informer of this.#options.informers())
      if (!(await informer.agreesWithServer(this.#options.signal))) agrees = false;
    return agrees;
  }
}
