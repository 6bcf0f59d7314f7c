import type { Clock } from "../runtime/index.ts";

/** Resolves after these milliseconds, when woken, or at the signal. */
export async function rest(clock: Clock, ms: number, woken: Promise<void>, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  const slept = clock.sleep(ms, both).catch((error: unknown) => {
    if (!both.aborted) throw error;
  });
  await Promise.race([slept, woken]);
  end.abort();
  await slept;
}
