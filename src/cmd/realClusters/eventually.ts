import { setTimeout as sleep } from "node:timers/promises";

export interface EventuallyOptions {
  /** Milliseconds until it gives up; 30 s by default. */
  timeout?: number;
  /** Milliseconds between attempts; 50 by default. */
  interval?: number;
  /** Said in front of the last error. */
  message?: string;
  /** Gives up at once, with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Calls `attempt` until it neither throws nor rejects, and returns what it returned. At the end of the time it throws the error of
 * the last attempt, so that a failing expectation shows its difference.
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
        // What ends the sleep ends the loop, too, with the next attempt that fails.
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
