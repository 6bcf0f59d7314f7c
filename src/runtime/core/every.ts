import type { Clock } from "./clock.ts";

/** Calls `act` each `ms` milliseconds until disposed of. */
export function every(clock: Pick<Clock, "after">, ms: number, act: () => void): Disposable {
  let timer = clock.after(ms, again);
  function again(): void {
    timer = clock.after(ms, again);
    act();
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
