import { setTimeout as sleep } from "node:timers/promises";

export interface EventuallyOptions {
  /** Milliseconds until it gives up. Default: 30 s. */
  timeout?: number;
  /** Milliseconds between attempts. Default: 50. */
  interval?: number;
  /** Stands before the last error. */
  message?: string;
  signal?: AbortSignal;
}

/**
 * Calls `attempt` until it succeeds. On timeout the last error is thrown, so that a failing expectation shows its
 * difference.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const { timeout = 30_000, interval = 50, message, signal } = options;
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (performance.now() < deadline) {
        // An aborted sleep also ends the loop, after the next failed attempt.
        await sleep(interval, undefined, { signal }).catch(() => undefined);
        continue;
      }
      if (error instanceof Error) {
        error.message = `${message === undefined ? "" : `${message}: `}not within ${timeout} ms: ${error.message}`;
      }
      throw error;
    }
  }
}
