import { refKey } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { backoffDelay, type Clock, type Informer, isMassVanishing } from "../../runtime/index.ts";
import { type MemberObjects, type ObservedObject } from "../model/index.ts";

const AGAIN = { baseMs: 1_000, capMs: 30_000 };

export interface InitialSyncOptions {
  cluster: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  signal: AbortSignal;
  objects: MemberObjects;
  informers: () => Iterable<Informer<ObservedObject>>;
  /** True when every kind is known or cannot be read. */
  isComplete: () => boolean;
  /** By the hub's record; undefined until the hub has sent its record. */
  expected: () => readonly string[] | undefined;
  /** Called when the initial sync becomes doubted, or trusted after a second read. */
  changed: () => void;
}

/**
 * Decides whether the first complete read of a member can be trusted. If most objects of the hub's record are missing, a
 * second, consistent read has to agree before their absence is used.
 */
export class InitialSync {
  readonly #options: InitialSyncOptions;
  #state: "Incomplete" | "Doubted" | "Trusted" = "Incomplete";

  constructor(options: InitialSyncOptions) {
    this.#options = options;
  }

  get isTrusted(): boolean {
    return this.#state === "Trusted";
  }

  get isDoubted(): boolean {
    return this.#state === "Doubted";
  }

  /** Judges the read once, when all kinds and the hub's record are known. */
  advance(): void {
    const { cluster, logger, objects, isComplete, expected, changed } = this.#options;
    if (this.#state !== "Incomplete" || !isComplete()) return;
    const known = expected();
    if (known === undefined) return;
    const present = ownersOf(objects);
    const missing = known.filter((owner) => !present.has(owner));
    if (!isMassVanishing(missing.length, known.length)) {
      this.#state = "Trusted";
      return;
    }
    this.#state = "Doubted";
    logger.warn(
      { cluster, vanished: missing.length, known: known.length, event_reason: "DeletionsHeld" },
      "most objects that the hub knows of are not on the member; deletes are held until a second read agrees",
    );
    changed();
    void this.#readAgain();
  }

  async #readAgain(): Promise<void> {
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

/** Owners of the observed member objects, by annotation or by row. */
function ownersOf(objects: MemberObjects): Set<string> {
  const owners = new Set<string>();
  for (const { observed, row } of objects.all()) {
    if (observed?.owner !== undefined) owners.add(refKey(observed.owner));
    if (observed !== undefined && row !== undefined) owners.add(refKey(row.owner));
  }
  return owners;
}
