import type { IncomingMessage } from "node:http";
import { JsonScan, type ScanBounds } from "./jsonScan.ts";

export interface BodyBounds extends ScanBounds {
  bytes: number;
}

export interface Body {
  bytes: Buffer;
  entries: JsonScan["entries"];
}

/** What was sent is more than is read of anybody. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/** Of each body so much counts for nothing: most bodies are no larger, and so they wait for nobody. */
const FREE_BYTES = 64 * 1024;
/** Of all bodies that are being read or answered. */
const MOST_BYTES = 128 * 1024 * 1024;

/**
 * Reads the bodies of calls from whoever can reach the port: each no further than its bounds, all of them together no further than there is
 * room for. A body for which there is no room waits in its sender's socket.
 */
export class Bodies {
  #held = 0;
  #waiting: (() => void)[] = [];

  /** The body, and room for it until it is disposed of. Rejects with {@link TooLargeError}, or when the caller goes away. */
  async read(request: IncomingMessage, bounds: BodyBounds): Promise<Body & Disposable> {
    if (Number(request.headers["content-length"] ?? 0) > bounds.bytes) throw tooLarge("bytes", bounds);
    const chunks: Buffer[] = [];
    let size = 0;
    let held = 0;
    const release = (): void => {
      this.#held -= held;
      held = 0;
      for (const resume of this.#waiting.splice(0)) resume();
    };
    const scan = new JsonScan(bounds);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      const passed = size > bounds.bytes ? "bytes" : scan.push(chunk);
      if (passed !== undefined) {
        reject(tooLarge(passed, bounds));
        return;
      }
      chunks.push(chunk);
      const more = Math.max(0, size - FREE_BYTES) - held;
      held += more;
      this.#held += more;
      if (this.#held <= MOST_BYTES || more === 0) return;
      request.pause();
      this.#waiting.push(() => request.resume());
    };
    const onClose = (): void => reject(new Error("the caller went away"));
    request.on("data", onData).once("end", resolve).once("error", reject).once("close", onClose);
    try {
      await promise;
      return { bytes: Buffer.concat(chunks), entries: scan.entries, [Symbol.dispose]: release };
    } catch (error) {
      request.off("data", onData).pause();
      release();
      throw error;
    } finally {
      request.off("error", reject).off("close", onClose);
    }
  }
}

function tooLarge(passed: "bytes" | "levels" | "values", bounds: BodyBounds): TooLargeError {
  const what = { bytes: "is larger than", levels: "is nested deeper than", values: "has more values than" }[passed];
  return new TooLargeError(`the request ${what} ${bounds[passed]}${passed === "bytes" ? " bytes" : ""}`);
}
