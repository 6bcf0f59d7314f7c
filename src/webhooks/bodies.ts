import type { IncomingMessage } from "node:http";
import { type Clock, TimeSlice } from "../runtime/index.ts";
import { JsonScan, type ScanBounds } from "./jsonScan.ts";

export interface BodyBounds extends ScanBounds {
  bytes: number;
}

export interface Body {
  bytes: Buffer;
  entries: JsonScan["entries"];
}

export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/** Bodies up to this size, which most are, do not wait for a turn. */
const SMALL_BYTES = 64 * 1024;
/** Number of larger bodies that are read and answered at a time. */
const LARGE_AT_ONCE = 4;
/**
 * Time for a larger body to arrive once its turn has come. After that its connection is closed, which ends the turn.
 */
const LARGE_WITHIN_MS = 5_000;

/**
 * Reads the bodies of calls. Anybody who reaches the port can send one, so each is read only up to its bounds, large
 * ones a few at a time, and none for longer than the event loop can spare.
 */
export class Bodies {
  readonly #clock: Clock;
  #large = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * A large body keeps its turn until it is disposed of. Rejects with {@link TooLargeError}, or when the caller goes.
   */
  async read(request: IncomingMessage, bounds: BodyBounds): Promise<Body & Disposable> {
    if (Number(request.headers["content-length"] ?? 0) > bounds.bytes) throw tooLarge("bytes", bounds);
    const slice = TimeSlice.of(this.#clock);
    const scan = new JsonScan(bounds);
    const chunks: Buffer[] = [];
    const end = new DisposableStack();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let size = 0;
    let hasTurn = false;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      const passed = size > bounds.bytes ? "bytes" : scan.push(chunk);
      if (passed !== undefined) {
        reject(tooLarge(passed, bounds));
        return;
      }
      chunks.push(chunk);
      const pause = size > SMALL_BYTES && !hasTurn ? this.#turn(end) : slice.spent ? slice.next() : undefined;
      if (pause === undefined) return;
      request.pause();
      void pause.then(() => {
        if (size > SMALL_BYTES && !hasTurn && !end.disposed) {
          hasTurn = true;
          end.use(this.#clock.after(LARGE_WITHIN_MS, () => void (request.complete || request.destroy())));
        }
        request.resume();
      });
    };
    const onClose = (): void => reject(new CallerGoneError("the caller went away"));
    request.on("data", onData).once("end", resolve).once("error", reject).once("close", onClose);
    try {
      await promise;
      return { bytes: Buffer.concat(chunks), entries: scan.entries, [Symbol.dispose]: () => end.dispose() };
    } catch (error) {
      request.off("data", onData).pause();
      end.dispose();
      throw error;
    } finally {
      request.off("error", reject).off("close", onClose);
    }
  }

  /** Resolves when the turn has come, which lasts until `end`. */
  async #turn(end: DisposableStack): Promise<void> {
    if (this.#large >= LARGE_AT_ONCE) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    } else this.#large += 1;
    const next = (): void => {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#large -= 1;
      else waiting();
    };
    // A caller that has gone in the meantime passes the turn on.
    if (end.disposed) next();
    else end.defer(next);
  }
}

export class CallerGoneError extends Error {
  override readonly name = "CallerGoneError";
}

function tooLarge(passed: "bytes" | "levels" | "values", bounds: BodyBounds): TooLargeError {
  const what = { bytes: "is larger than", levels: "is nested deeper than", values: "has more values than" }[passed];
  return new TooLargeError(`the request ${what} ${bounds[passed]}${passed === "bytes" ? " bytes" : ""}`);
}
