import { setTimeout as sleep } from "node:timers/promises";

/** Fails as soon as `check` fails; passes when it held for the whole time. For what must not happen. */
export async function throughout(duration: number, check: () => void | Promise<void>, interval = 50): Promise<void> {
  const end = performance.now() + duration;
  while (performance.now() < end) {
    await check();
    await sleep(interval);
  }
}
