import type { SandboxClock } from "../types.ts";

/** The longest wait of a platform timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** The real time. Its timers do not keep the process alive. */
export const systemClock: SandboxClock = {
  now: () => Date.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (rest: number) => {
      const step = Math.min(Math.max(rest, 0), LONGEST);
      timer = setTimeout(() => (rest > step ? wait(rest - step) : callback()), step);
      timer.unref();
    };
    wait(ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** A clock with the offset that `skewMs` returns. Only the time of day is wrong; durations are right. */
export function skewed(clock: SandboxClock, skewMs: () => number): SandboxClock {
  return {
    now: () => clock.now() + skewMs(),
    after: (ms, callback) => clock.after(ms, callback),
  };
}
