/** Production passes the system's clock, tests their own. */
export interface Clock {
  /** Epoch milliseconds. For timestamps only: it may jump. */
  now(): number;
  /** Milliseconds that never run backwards. */
  monotonic(): number;
  /** Dispose of the timer to cancel it. Does not keep the process alive. */
  after(ms: number, callback: () => void): Disposable;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when all pending events were handled. For long work that never waits. */
  nextTurn(): Promise<void>;
}

/** Wall time that follows the monotonic clock from now on, for durations between two timestamps. */
export function steadyTime(clock: Clock): () => number {
  const offset = clock.now() - clock.monotonic();
  return () => offset + clock.monotonic();
}

/** In Node, a timer with a longer delay would fire at once. */
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
