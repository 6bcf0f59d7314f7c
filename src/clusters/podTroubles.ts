import { type PodTrouble, podTrouble } from "../interpreter/index.ts";
import type { Logger } from "../observability/index.ts";
import { type Clock, isForbidden, PODS } from "../runtime/index.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";
import type { ObservedObject } from "./observed.ts";
import type { MemberSession } from "./types.ts";

export interface PodTroublesOptions {
  session: MemberSession;
  objects: MemberObjects;
  clock: Clock;
  logger: Logger;
}

/** Pods that start as they should are ready by then, mostly. */
const FIRST_READ_MS = 3_000;
/** A workload that stays in trouble is asked about less and less often. */
const LONGEST_BETWEEN_MS = 60_000;
/** One of which nothing was found is asked about again so soon after a change: most changes are of pods that start as they should. */
const CHANGED_READ_MS = 15_000;
/** Between two reads of one member, whatever they are about. */
const BETWEEN_READS_MS = 200;
/** After so many in a row the member is in the middle of something large, such as a rollout of everything: then the reads are to cost little. */
const MANY_READS = 10;
const BETWEEN_MANY_READS_MS = 1_000;
/** Whoever may not read pods now may be allowed to later. */
const REFUSED_FOR_MS = 600_000;
const PAGE = 20;
const PAGES = 5;

interface Pending {
  uid: string;
  hash: string | undefined;
  reads: number;
  /** Monotonic milliseconds; undefined while the read waits for its turn or is under way. */
  dueAt: number | undefined;
  timer: Disposable | undefined;
}

/**
 * Finds out why pods of an unhealthy workload do not run, during one session. Pods are not watched: they do not carry our label, and a member has
 * many of them. So the pods of a workload are read, a hundred at most, when the workload has not been healthy for some seconds, and again, less
 * and less often, for as long as that lasts. One read of a member at a time.
 *
 * A member that does not let Meridian read pods is no trouble: then the workload's own status is all that is said.
 */
export class PodTroubles {
  readonly #options: PodTroublesOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #due = new Set<string>();
  #reading = false;
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PodTroublesOptions) {
    this.#options = options;
    options.session.signal.addEventListener(
      "abort",
      () => {
        for (const key of [...this.#pending.keys()]) this.#forget(key);
      },
      { once: true },
    );
  }

  /** Considers a member object that has changed. Cheap when the object is healthy, or is no workload. */
  consider(object: MemberObject): void {
    if (this.#options.session.signal.aborted) return;
    const { key, observed } = object;
    if (!isToAskAbout(observed)) {
      this.#forget(key);
      return;
    }
    const known = this.#pending.get(key);
    if (known === undefined || known.uid !== observed.uid || known.hash !== observed.hash) {
      this.#forget(key);
      const pending = { uid: observed.uid, hash: observed.hash, reads: 0, dueAt: undefined, timer: undefined };
      this.#pending.set(key, pending);
      this.#schedule(key, pending, FIRST_READ_MS);
      return;
    }
    const { clock } = this.#options;
    // Something happens there: what was found may not be so any more, or there may be something to find.
    const soon = object.trouble === undefined ? CHANGED_READ_MS : FIRST_READ_MS;
    if (known.dueAt !== undefined && known.dueAt - clock.monotonic() > soon) this.#schedule(key, known, soon);
  }

  #schedule(key: string, pending: Pending, ms: number): void {
    const { clock } = this.#options;
    pending.timer?.[Symbol.dispose]();
    pending.dueAt = clock.monotonic() + ms;
    pending.timer = clock.after(ms, () => {
      pending.dueAt = undefined;
      pending.timer = undefined;
      this.#due.add(key);
      if (!this.#reading) void this.#readAll();
    });
  }

  #forget(key: string): void {
    this.#pending.get(key)?.timer?.[Symbol.dispose]();
    this.#pending.delete(key);
    this.#due.delete(key);
  }

  async #readAll(): Promise<void> {
    const { session, clock } = this.#options;
    this.#reading = true;
    let reads = 0;
    try {
      for (const key of this.#due) {
        this.#due.delete(key);
        await this.#read(key);
        reads += 1;
        await clock.sleep(reads < MANY_READS ? BETWEEN_READS_MS : BETWEEN_MANY_READS_MS, session.signal);
      }
    } catch (error) {
      // The end of the session is the only thing that interrupts the pause.
      if (!session.signal.aborted) throw error;
    } finally {
      this.#reading = false;
    }
  }

  async #read(key: string): Promise<void> {
    const { session, objects, clock, logger } = this.#options;
    const pending = this.#pending.get(key);
    const observed = objects.get(key)?.observed;
    if (pending === undefined || !isToAskAbout(observed)) return;
    if (clock.monotonic() >= this.#refusedUntil) {
      try {
        const trouble = await this.#ask(observed);
        const now = objects.get(key);
        if (now?.observed?.uid === observed.uid && now.observed.hash === observed.hash) objects.tell(now, trouble);
      } catch (err) {
        if (session.signal.aborted) return;
        if (isForbidden(err)) this.#refusedUntil = clock.monotonic() + REFUSED_FOR_MS;
        logger.debug({ cluster: session.cluster, err, object: key }, "the pods of a workload could not be read");
      }
    }
    // The workload may be healthy by now, or another one.
    if (this.#pending.get(key) !== pending) return;
    pending.reads += 1;
    this.#schedule(key, pending, Math.min(LONGEST_BETWEEN_MS, FIRST_READ_MS * 2 ** Math.min(pending.reads, 8)));
  }

  /** Reads page by page, until a page tells of trouble. */
  async #ask({ ref, podSelector = "" }: ObservedObject): Promise<PodTrouble | undefined> {
    const { client, signal } = this.#options.session;
    let token: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const list = await client.list(PODS, {
        ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
        labelSelector: podSelector,
        limit: PAGE,
        ...(token === undefined ? {} : { continue: token }),
        signal,
      });
      const trouble = podTrouble(ref, list.items);
      if (trouble !== undefined) return trouble;
      if (list.continue === undefined || list.continue === "") return undefined;
      token = list.continue;
    }
    return undefined;
  }
}

/** Whether the pods of a workload may say more than the workload does. */
function isToAskAbout(observed: ObservedObject | undefined): observed is ObservedObject {
  return observed?.podSelector !== undefined && !observed.deleting;
}
