import type { KubeObject } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import { backoffDelay } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import { ApiError, isApiError, isExpired, TransportError } from "./errors.ts";
import { compareResourceVersions } from "./keys.ts";
import { linked } from "./linked.ts";
import type { ApiStatus, Client, ListOptions, ResourceType, WatchEvent } from "./types.ts";
import { SilentStreamError, Watchdog } from "./watchdog.ts";

/** Which objects of one cluster. */
export interface Selection {
  client: Client;
  type: ResourceType;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface ReflectorOptions extends Selection {
  clock: Clock;
  logger: Logger;
  /** Gives numbers in [0, 1). Default: Math.random. */
  random?: () => number;
  /**
   * Called with `true` when the server has answered and then at most once a second while events come, `false` with the error when a
   * request or a stream failed. An ApiError means that the server was reached and refused.
   */
  onContact?: (ok: boolean, error?: unknown) => void;
  /**
   * The longest pause between attempts while they are refused for lack of rights (403), in milliseconds; asked each time. By default
   * that of any other failure: shorter, and fit for a few selections only.
   */
  refusedPauseMs?: () => number;
}

/**
 * What happens to a selection of objects. Between SnapshotStarted and SnapshotEnded the objects of a consistent state come one by one;
 * a snapshot that breaks off is followed by another SnapshotStarted. Afterwards come the changes, in the order of their
 * resourceVersions.
 */
export type ReflectorEvent =
  | { type: "SnapshotStarted" }
  | { type: "Changed"; object: KubeObject }
  | { type: "Deleted"; object: KubeObject }
  /** `wentBack`: the server is at an earlier state than it showed before (restored from a backup). */
  | { type: "SnapshotEnded"; resourceVersion: string; wentBack: boolean }
  /** Nothing that was selected changed up to here. */
  | { type: "Progressed"; resourceVersion: string };

const PAGE = 500;
const BACKOFF = { baseMs: 250, capMs: 10_000 };
/** Trouble after so long a healthy time starts the backoff anew. */
const HEALTHY_MS = 10_000;
/** A stream that ends sooner without a single event is a failure too, or a broken server would be asked without a pause. */
const SHORT_STREAM_MS = 1_000;
/** An idle stream gets a bookmark each minute; one that is silent for longer than this (and a jitter of a third) is dead. */
const SILENCE_MS = 90_000;
/** A server that has not begun or gone on with its initial events for so long does not know them. */
const INITIAL_SILENCE_MS = 30_000;
/** A resumed stream that was silent for so long before it ended may stand at a resourceVersion that is yet to come. */
const SUSPICIOUS_SILENCE_MS = 60_000;
const TIMEOUT_SECONDS = 300;
const CONTACT_INTERVAL_MS = 1_000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** An event of a stream is older than what the stream brought before: the server was restored from a backup, or is broken. */
export class WentBackError extends Error {
  override readonly name = "WentBackError";
}

class WatchListRefused extends Error {}
class RelistWanted extends Error {}

/**
 * Follows a selection of objects of one cluster for as long as one wants, through everything that a server does to a watch: it relists
 * when the resourceVersion is too old, resumes after breaks, backs off from failures and leaves dead connections.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #random: () => number;
  #watchListRefused = false;
  #failures = 0;
  /** How many attempts in a row ended because the resourceVersion was too old. */
  #expired = 0;
  #contact: { ok: boolean; at: number } | undefined;
  #wakeUp: AbortController | undefined;
  #stream: AbortController | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** Ends a pause between attempts now: somebody knows that the server is back. */
  retryNow(): void {
    this.#wakeUp?.abort();
  }

  /** Leaves the stream and begins with a new snapshot. */
  relist(): void {
    this.#stream?.abort(new RelistWanted("a new list was asked for"));
  }

  /**
   * Starts from a snapshot. Ends when the signal is aborted and never throws for what the cluster does. One at a time; a later call knows
   * nothing of the resourceVersions of an earlier one.
   */
  async *watch(signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    const position = new Position();
    while (!signal.aborted) {
      const { clock } = this.#options;
      const startedAt = clock.monotonic();
      try {
        yield* this.#follow(position, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RelistWanted) {
          position.forget();
          continue;
        }
        if (error instanceof WatchListRefused) {
          this.#options.logger.debug({ ...this.#subject(), err: error.cause }, "no watch-list here; listing in pages");
          continue;
        }
        const lasted = clock.monotonic() - startedAt;
        if (isSilence(error) && lasted >= SUSPICIOUS_SILENCE_MS) {
          // A server that has seen no event of a kind since its start sends no bookmarks either. The next request shows whether the
          // server still answers.
          this.#options.logger.debug({ ...this.#subject(), err: error }, "a silent watch is opened anew");
          continue;
        }
        if (lasted >= HEALTHY_MS) this.#failures = 0;
        if (isExpired(error) || error instanceof WentBackError) {
          position.forget();
          this.#reached();
          this.#expired += 1;
          // Once is in the nature of things; again and again is a fault of the server.
          if (this.#expired === 1) continue;
        } else {
          this.#expired = 0;
          this.#broken(error);
        }
        this.#failures += 1;
        await this.#pause(error, signal);
      }
    }
  }

  async *#follow(position: Position, signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    if (position.current === undefined && this.#watchListRefused) yield* this.#list(position, signal);
    yield* this.#watchOnce(position, signal);
  }

  /** A consistent list, read in pages so that neither side holds everything at once. */
  async *#list(position: Position, signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    yield { type: "SnapshotStarted" };
    for await (const page of listPages(this.#options, { signal })) {
      this.#reached();
      for (const object of page.items) yield { type: "Changed", object };
      if (page.continue === undefined) {
        const wentBack = position.snapshot(page.resourceVersion);
        yield { type: "SnapshotEnded", resourceVersion: page.resourceVersion, wentBack };
      }
    }
  }

  /** One stream, from the position, or from a snapshot that the server sends first. */
  async *#watchOnce(position: Position, signal: AbortSignal): AsyncGenerator<ReflectorEvent, void, undefined> {
    const { client, type, clock } = this.#options;
    const stream = new AbortController();
    this.#stream = stream;
    using dog = new Watchdog(clock, stream);
    using _link = linked(signal, stream);
    const resumedFrom = position.current;
    let initial = resumedFrom === undefined;
    dog.allow(initial ? INITIAL_SILENCE_MS : SILENCE_MS * (1 + this.#random() / 3));
    try {
      await using events = client.watch(type, {
        ...selectors(this.#options),
        ...(resumedFrom === undefined
          ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" as const }
          : { resourceVersion: resumedFrom }),
        allowWatchBookmarks: true,
        timeoutSeconds: Math.round(TIMEOUT_SECONDS * (1 + this.#random())),
        signal: stream.signal,
        onOpen: () => this.#reached(),
      });
      let started = false;
      for await (const event of events) {
        if (stream.signal.aborted) throw stream.signal.reason;
        if (event.type === "ERROR") throw errorOf(event.status);
        dog.pat();
        this.#reached();
        const version = event.object.metadata.resourceVersion ?? "";
        if (initial) {
          if (!started) yield { type: "SnapshotStarted" };
          started = true;
          if (!endsInitialEvents(event)) {
            if (event.type !== "BOOKMARK")
              yield { type: event.type === "DELETED" ? "Deleted" : "Changed", object: event.object };
            continue;
          }
          initial = false;
          dog.allow(SILENCE_MS * (1 + this.#random() / 3));
          const wentBack = position.snapshot(version);
          yield { type: "SnapshotEnded", resourceVersion: version, wentBack };
          continue;
        }
        if (!position.advance(version))
          throw new WentBackError(`resourceVersion ${version} came after ${position.current}`);
        if (event.type === "BOOKMARK") yield { type: "Progressed", resourceVersion: version };
        else yield { type: event.type === "DELETED" ? "Deleted" : "Changed", object: event.object };
      }
    } catch (thrown) {
      // Whatever the transport makes of an abort, its reason is what happened.
      const error: unknown = stream.signal.aborted ? stream.signal.reason : thrown;
      if (initial && this.#refusesWatchList(error)) throw new WatchListRefused("watch-list refused", { cause: error });
      if (!dog.heard && dog.elapsed >= SUSPICIOUS_SILENCE_MS) position.forget();
      throw error;
    } finally {
      this.#stream = undefined;
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
  }

  /** 400 and 422: the server does not know watch-list. 403: some proxies and policies refuse it; silence: its parameters are ignored. */
  #refusesWatchList(error: unknown): boolean {
    if (this.#watchListRefused) return false;
    const refused =
      (isApiError(error) && (error.status === 400 || error.status === 422 || error.status === 403)) ||
      error instanceof SilentStreamError;
    this.#watchListRefused = refused;
    return refused;
  }

  #reached(): void {
    const now = this.#options.clock.monotonic();
    if (this.#contact?.ok === true && now - this.#contact.at < CONTACT_INTERVAL_MS) return;
    this.#contact = { ok: true, at: now };
    this.#options.onContact?.(true);
  }

  #broken(error: unknown): void {
    this.#contact = { ok: false, at: this.#options.clock.monotonic() };
    this.#options.onContact?.(false, error);
  }

  async #pause(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, logger, refusedPauseMs } = this.#options;
    const refused = isApiError(error) && error.status === 403;
    // Refused for lack of rights or a kind that is gone: perhaps the list is allowed where the watch-list was not, next time.
    if (refused) this.#watchListRefused = false;
    const asked = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    const capMs = (refused ? refusedPauseMs?.() : undefined) ?? BACKOFF.capMs;
    const delay = Math.max(asked, backoffDelay(this.#failures, { ...BACKOFF, capMs, random: this.#random }));
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

/**
 * Lists a selection in pages, at one consistent state that is at least as new as the call. Expired pages throw like any other
 * failure: begin again then.
 */
export async function* listPages(
  selection: Selection,
  options: Pick<ListOptions, "signal" | "metadataOnly"> = {},
): AsyncGenerator<{ items: KubeObject[]; resourceVersion: string; continue?: string }, void, undefined> {
  let token: string | undefined;
  do {
    const page = await selection.client.list(selection.type, {
      ...selectors(selection),
      ...options,
      limit: PAGE,
      ...(token === undefined ? {} : { continue: token }),
    });
    token = page.continue === "" ? undefined : page.continue;
    yield {
      items: page.items,
      resourceVersion: page.resourceVersion,
      ...(token === undefined ? {} : { continue: token }),
    };
  } while (token !== undefined);
}

/** Up to where the stream has been read. */
class Position {
  current: string | undefined;
  #highest: string | undefined;

  /** False when the event lies behind what was already seen in this stream, which no honest history does. */
  advance(version: string): boolean {
    if (this.current !== undefined && compareResourceVersions(version, this.current) < 0) return false;
    this.current = version;
    this.#highest = version;
    return true;
  }

  /** Returns whether the snapshot is older than what was seen before. */
  snapshot(version: string): boolean {
    const wentBack = this.#highest !== undefined && compareResourceVersions(version, this.#highest) < 0;
    this.current = version;
    this.#highest = version;
    return wentBack;
  }

  forget(): void {
    this.current = undefined;
  }
}

function selectors({
  namespace,
  labelSelector,
  fieldSelector,
}: Selection): Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function endsInitialEvents(event: WatchEvent): boolean {
  return event.type === "BOOKMARK" && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

function errorOf({
  code,
  reason = "Unknown",
  message = "the server ended the watch with an error",
  details,
}: ApiStatus): ApiError {
  const retryAfterMs = details?.retryAfterSeconds === undefined ? undefined : details.retryAfterSeconds * 1000;
  return new ApiError(code, reason, message, { ...(details === undefined ? {} : { details }), retryAfterMs });
}
