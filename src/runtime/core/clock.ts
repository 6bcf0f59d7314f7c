/** Clock as an argument: production passes the system's clock, tests pass a clock that they control. */
export interface Clock {
  /** Wall time, epoch milliseconds. For timestamps only: it may jump. */
  now(): number;
  /** Milliseconds that never run backwards. For durations. */
  monotonic(): number;
  /** Runs `callback` once after `ms`; dispose of the timer to cancel it. Does not keep the process alive. */
  after(ms: number, callback: () => void): Disposable;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves after one turn of the event loop, when all pending events were handled. For long work that never waits.
   */
  nextTurn(): Promise<void>;
}

/**
 * Wall time that follows the monotonic clock from this moment on, even when the machine's clock is set. For durations
 * between two timestamps.
 */
export function steadyTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic();
  return () => offset + clock.monotonic();
}

/** Maximum delay of a timer in Node. A timer with a longer delay would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    return startTimer(ms, callback, false);
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        timer[Symbol.dispose]();
        reject(signal?.reason as Error);
      };
      const timer = startTimer(
        ms,
        () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        true,
      );
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  },
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
};

function startTimer(ms: number, callback: () => void, keepAlive: boolean): Disposable {
  let timer: NodeJS.Timeout;
  const start = (left: number): void => {
    const step = Math.min(Math.max(left, 0), LONGEST_DELAY);
    timer = setTimeout(() => {
      if (left > step) start(left - step);
      else callback();
    }, step);
    if (!keepAlive) timer.unref();
  };
  start(ms);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
