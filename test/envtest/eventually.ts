import { setTimeout as sleep } from "node:timers/promises";

export interface EventuallyOptions {
  /** Milliseconds until it gives up; 30 s unless told. */
  timeout?: number;
  /** Milliseconds between attempts; 50 unless told. */
  interval?: number;
  /** Said in front of the last error. */
  message?: string;
}

/**
 * Calls `attempt` until it neither throws nor rejects, and returns what it returned. At the end of the time it throws the error of
 * the last attempt, so that a failing expectation shows its difference.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const { timeout = 30_000, interval = 50, message } = options;
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() < deadline) {
        await sleep(interval);
        continue;
      }
      if (error instanceof Error) {
        error.message = `${message === undefined ? "" : `${message}: `}not within ${timeout} ms: ${error.message}`;
      }
      throw error;
    }
  }
}

/** Fails as soon as `check` fails; passes when it held for the whole time. For what must not happen. */
export async function throughout(duration: number, check: () => void | Promise<void>, interval = 50): Promise<void> {
  const end = performance.now() + duration;
  while (performance.now() < end) {
    await check();
    await sleep(interval);
  }
}
