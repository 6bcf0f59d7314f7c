import type { KubeObject } from "../../apis/index.ts";
import { backoffDelay, isApiError, isExpired, linked, TransportError } from "../core/index.ts";
import {
  askHistory,
  bytesPerObject,
  earlier,
  endsInitialEvents,
  errorOf,
  listPages,
  Measure,
  Position,
  selectors,
  ServerHistory,
  storable,
} from "../client/index.ts";
import type { ReflectorEvent, ReflectorOptions } from "./reflectorTypes.ts";
import type { WatchEvent } from "../types.ts";
import { SilentStreamError, Watchdog } from "./watchdog.ts";

const BACKOFF = { baseMs: 250, capMs: 10_000 };
/** For answers that are too large or too slow: each attempt is as expensive as the last. */
const TOO_MUCH_BACKOFF = { baseMs: 30_000, capMs: 300_000 };
/** A failure after a healthy time of this length starts the backoff from the beginning. */
const HEALTHY_MS = 10_000;
/** A stream that ends earlier without any event is a failure, or a broken server would be asked without a pause. */
const SHORT_STREAM_MS = 1_000;
/** An idle stream gets a bookmark each minute. One that is silent for this long (and up to a third more) is dead. */
const SILENCE_MS = 90_000;
/** A server that is silent for longer before its initial events end does not know watch-list. */
const INITIAL_SILENCE_MS = 30_000;
/** Maximum time for all initial events. */
const INITIAL_EVENTS_MS = 300_000;
/** The server may have changed if it ends a stream earlier than its timeout by this much. */
const EARLY_MS = 5_000;
/** A resumed stream that was silent for this long before its end may have started at a future resourceVersion. */
const SUSPICIOUS_SILENCE_MS = 60_000;
const TIMEOUT_SECONDS = 300;
/** An aggregated API has a history of its own. After so many needless doubts those of other followers are ignored. */
const MOST_NEEDLESS_DOUBTS = 2;

/** Minimum time between two reports of contact while the server answers. */
const CONTACT_MS = 1_000;

/** The server shows an earlier state than before: it was restored from a backup, or is broken. */
export class WentBackError extends Error {
  override readonly name = "WentBackError";
}

class WatchListRefused extends Error {}
class RelistWanted extends Error {}

/** Follows a selection of objects of one cluster, whatever the server does to a watch. */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #random: () => number;
  #position: Position | undefined;
  #watchListRefused = false;
  #failures = 0;
  /** Number of consecutive attempts that ended because the resourceVersion was too old. */
  #expired = 0;
  #contact: { ok: boolean; at: number } | undefined;
  #wakeUp: AbortController | undefined;
  #attempt: AbortController | undefined;
  #relistWanted = false;
  /** The next snapshot is of a server that may have gone back. */
  #afresh = false;
  /** The doubt came from another follower, which may follow another history. */
  #doubted = false;
  #followed = false;
  /** A resumed watch must check that the server is still in the same history. */
  #unsure = false;
  #needlessDoubts = 0;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** Ends a pause between attempts: the server is known to be back. */
  retryNow(): void {
    this.#wakeUp?.abort();
  }

  /** Leaves the stream and begins with a new snapshot, at once or after the current pause. */
  relist(): void {
    this.#relistWanted = true;
    this.#attempt?.abort(new RelistWanted("a new list was asked for"));
  }

  /** Ends the stream as if it had failed so. Everything is read again. */
  giveUp(error: Error): void {
    this.#relistWanted = true;
    this.#attempt?.abort(error);
  }

  /** The last snapshot is of another history, so all followers of the server read everything again. */
  readAnew(why: string): void {
    this.#leaveHistory(why);
    this.relist();
  }

  /** Records our own write before the watch shows it: it reveals an earlier state even if no event does. */
  wrote(object: KubeObject): void {
    this.#position?.wrote(object);
  }

  /** Records that the last snapshot lacks known objects. */
  missedRemovals(): void {
    this.#position?.missedRemovals();
  }

  /** True if the server has accepted a watch at least once. A server may allow lists, but no watch. */
  get followed(): boolean {
    return this.#followed;
  }

  /** True while the server may have gone back to an earlier state and its present state was not read yet. */
  get startsAfresh(): boolean {
    return this.#afresh;
  }

  /** Starts with a snapshot and ends with the signal; never throws for failures of the cluster. One call at a time. */
  async *watch(signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    const position = new Position();
    this.#position = position;
    using _following = this.#followHistory(position);
    while (!signal.aborted) {
      const { clock } = this.#options;
      const startedAt = clock.monotonic();
      if (this.#relistWanted) position.forget();
      this.#relistWanted = false;
      try {
        yield* this.#follow(position, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RelistWanted) continue;
        if (error instanceof WatchListRefused) {
          this.#options.logger.debug({ ...this.#subject(), err: error.cause }, "no watch-list here; listing in pages");
          continue;
        }
        this.#unsure = true;
        const lasted = clock.monotonic() - startedAt;
        if (isSilence(error) && lasted >= SUSPICIOUS_SILENCE_MS) {
          // A server that has seen no event of a kind since its start sends no bookmarks either.
          this.#options.logger.debug({ ...this.#subject(), err: error }, "a silent watch is opened anew");
          continue;
        }
        if (lasted >= HEALTHY_MS) this.#failures = 0;
        if (isExpired(error) || error instanceof WentBackError) {
          if (error instanceof WentBackError) this.#afresh = true;
          position.forget();
          this.#answers();
          this.#expired += 1;
          // Repeated expiry is a fault of the server, and needs a backoff.
          if (this.#expired === 1) continue;
        } else {
          this.#expired = 0;
          this.#lost(error);
        }
        this.#failures += 1;
        await this.#pause(error, signal);
      }
    }
  }

  async *#follow(position: Position, signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    using _link = linked(signal, attempt);
    try {
      if (this.#unsure && position.isUnproven) position.forget();
      if (position.current === undefined && this.#watchListRefused) yield* this.#list(position, attempt.signal);
      yield* this.#watchOnce(position, attempt);
    } finally {
      this.#attempt = undefined;
      attempt.abort(new Error("the attempt is over"));
    }
  }

  /** After a doubt of another follower, a position that the server may not have reached is given up. */
  #followHistory(position: Position): Disposable {
    return ServerHistory.of(this.#options.client).follow({
      get highest() {
        return position.highest;
      },
      doubt: (why) => {
        if (this.#afresh || this.#needlessDoubts >= MOST_NEEDLESS_DOUBTS) return;
        this.#wentBack(why);
        this.#doubted = true;
        this.relist();
        this.retryNow();
      },
    });
  }

  /**
   * A server accepts a watch from a future version and stays silent, so it is asked for its version. The check starts
   * when the watch is open: a server that is restored later breaks the watch.
   */
  async #checkHistory(position: Position, stream: AbortController): Promise<void> {
    try {
      const history = await askHistory(this.#options, position.ask(), stream.signal);
      if (stream.signal.aborted) return;
      if (history.is === "WentBack") this.#leaveHistory(history.why);
      if (history.is === "Same") this.#unsure = false;
      else this.relist();
    } catch (error) {
      stream.abort(error);
    }
  }

  #leaveHistory(why: string): void {
    this.#wentBack(why);
    ServerHistory.of(this.#options.client).doubt(why);
  }

  #wentBack(why: string): void {
    this.#afresh = true;
    const error = new WentBackError(why);
    this.#options.logger.warn({ ...this.#subject(), err: error }, "the server went back; everything is read anew");
    this.#lost(error);
  }

  #answers(): void {
    const now = this.#options.clock.monotonic();
    if (this.#contact?.ok === true && now - this.#contact.at < CONTACT_MS) return;
    this.#contact = { ok: true, at: now };
    this.#options.onContact?.(true);
  }

  #lost(error: unknown): void {
    this.#contact = { ok: false, at: this.#options.clock.monotonic() };
    this.#options.onContact?.(false, error);
  }

  #beginSnapshot(): ReflectorEvent {
    return { type: "SnapshotStarted", afresh: this.#afresh };
  }

  /** A snapshot of an unexpected earlier state is read once more, afresh. */
  #endSnapshot(position: Position, resourceVersion: string): ReflectorEvent {
    const afresh = this.#afresh;
    const isBefore = position.isBefore(resourceVersion);
    if (isBefore && !afresh) {
      this.#wentBack(earlier(resourceVersion, position.highest));
      this.#relistWanted = true;
      throw new RelistWanted("the server went back");
    }
    const wentBack = isBefore || (afresh && !this.#doubted);
    if (afresh && !wentBack) this.#needlessDoubts += 1;
    this.#afresh = false;
    this.#doubted = false;
    this.#unsure = false;
    position.snapshot(resourceVersion);
    return { type: "SnapshotEnded", resourceVersion, wentBack };
  }

  /** Reads a consistent list in pages, so that neither side holds all objects at once. */
  async *#list(position: Position, signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    position.askSnapshot();
    yield this.#beginSnapshot();
    for await (const page of listPages(this.#options, { signal })) {
      this.#answers();
      const bytes = bytesPerObject(page);
      for (const item of page.items) {
        const object = storable(item, this.#options.type, this.#options.client.cluster);
        position.see(object, false);
        yield { type: "Changed", object, bytes };
      }
      if (page.continue === undefined || page.continue === "") yield this.#endSnapshot(position, page.resourceVersion);
    }
  }

  /** Reads one stream, from the position or from a snapshot that the server sends first. */
  async *#watchOnce(position: Position, stream: AbortController): AsyncGenerator<ReflectorEvent, void, undefined> {
    const { client, type, clock } = this.#options;
    using dog = new Watchdog(clock, stream);
    const measure = new Measure(this.#options);
    const timeoutSeconds = Math.round(TIMEOUT_SECONDS * (1 + this.#random()));
    const resumedFrom = position.current;
    let initial = resumedFrom === undefined;
    let checking: Promise<void> | undefined;
    if (initial) position.askSnapshot();
    dog.allow(initial ? INITIAL_SILENCE_MS : SILENCE_MS * (1 + this.#random() / 3));
    try {
      await using events = client.watch(type, {
        ...selectors(this.#options),
        ...(resumedFrom === undefined
          ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" as const }
          : { resourceVersion: resumedFrom }),
        allowWatchBookmarks: true,
        timeoutSeconds,
        signal: stream.signal,
        // Empty during a snapshot: an object that a snapshot leaves out counts as absent.
        known: {
          get size() {
            return initial ? 0 : position.answered.size;
          },
          has: (version) => position.answered.has(version),
        },
        onOpen: () => {
          this.#followed = true;
          this.#answers();
          if (resumedFrom !== undefined && this.#unsure) checking = this.#checkHistory(position, stream);
        },
      });
      let started = false;
      for await (const event of events) {
        if (checking !== undefined) await checking;
        if (stream.signal.aborted) throw stream.signal.reason;
        if (event.type === "ERROR") throw errorOf(event.status);
        dog.pat();
        this.#answers();
        const version = event.object.metadata.resourceVersion ?? "";
        if (initial) {
          if (!started) yield this.#beginSnapshot();
          started = true;
          if (!endsInitialEvents(event)) {
            if (dog.elapsed > INITIAL_EVENTS_MS) throw new SilentStreamError("the initial events have no end");
            measure.add(1, "bytes" in event ? (event.bytes ?? 0) : 0);
            if (event.type !== "BOOKMARK") yield this.#changeOf(event, position);
            continue;
          }
          initial = false;
          dog.allow(SILENCE_MS * (1 + this.#random() / 3));
          yield this.#endSnapshot(position, version);
          continue;
        }
        if (!position.advance(version))
          throw new WentBackError(`resourceVersion ${version} came after ${position.current}`);
        if (event.type === "BOOKMARK") yield { type: "Progressed", resourceVersion: version };
        else yield this.#changeOf(event, position);
      }
    } catch (thrown) {
      const error: unknown = stream.signal.aborted ? stream.signal.reason : thrown;
      if (initial && this.#refusesWatchList(error)) throw new WatchListRefused("watch-list refused", { cause: error });
      if (!dog.heard && dog.elapsed >= SUSPICIOUS_SILENCE_MS) position.forget();
      throw error;
    }
    if (stream.signal.aborted) throw stream.signal.reason;
    if (initial) {
      this.#watchListRefused = true;
      throw new SilentStreamError("the server ended the stream before its initial events were complete");
    }
    if (!dog.heard) {
      if (dog.elapsed < SHORT_STREAM_MS) throw new SilentStreamError("the server ended the stream at once");
      if (dog.elapsed >= SUSPICIOUS_SILENCE_MS) position.forget();
    }
    this.#failures = 0;
    this.#expired = 0;
    if (dog.elapsed < timeoutSeconds * 1_000 - EARLY_MS) this.#unsure = true;
  }

  #changeOf(event: Exclude<WatchEvent, { type: "ERROR" }>, position: Position): ReflectorEvent {
    const { client, type } = this.#options;
    const object = storable(event.object, type, client.cluster);
    position.see(object, event.type === "DELETED");
    if (event.type === "DELETED") return { type: "Deleted", object };
    return { type: "Changed", object, bytes: "bytes" in event ? (event.bytes ?? 0) : 0 };
  }

  /** 400, 422: watch-list is unknown. 403: a proxy or a policy refuses it. Silence: its parameters are ignored. */
  #refusesWatchList(error: unknown): boolean {
    if (this.#watchListRefused) return false;
    const refused = (isApiError(error) && [400, 403, 422].includes(error.status)) || error instanceof SilentStreamError;
    this.#watchListRefused = refused;
    return refused;
  }

  async #pause(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, logger, refusedPauseMs } = this.#options;
    const refused = isApiError(error) && error.status === 403;
    // Here rights or the kind are missing, which says nothing of watch-list.
    if (refused) this.#watchListRefused = false;
    const asked = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    const isTooMuch = error instanceof TransportError && (error.reason === "TooLarge" || error.reason === "TooSlow");
    const pace = isTooMuch ? TOO_MUCH_BACKOFF : BACKOFF;
    const capMs = (refused ? refusedPauseMs?.() : undefined) ?? pace.capMs;
    const delay = Math.max(asked, backoffDelay(this.#failures, { ...pace, capMs, random: this.#random }));
    const log = this.#failures === 1 ? "warn" : "debug";
    logger[log](
      { ...this.#subject(), err: error, retryInMs: Math.round(delay), failures: this.#failures },
      "watch broke",
    );
    const wakeUp = new AbortController();
    this.#wakeUp = wakeUp;
    using _link = linked(signal, wakeUp);
    try {
      await clock.sleep(delay, wakeUp.signal);
    } catch (reason) {
      if (!wakeUp.signal.aborted) throw reason;
    } finally {
      this.#wakeUp = undefined;
    }
  }

  #subject(): { cluster: string; resource: string } {
    const { client, type } = this.#options;
    return { cluster: client.cluster, resource: type.group === "" ? type.plural : `${type.plural}.${type.group}` };
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof SilentStreamError || (error instanceof TransportError && error.reason === "Timeout");
}
