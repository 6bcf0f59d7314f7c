export interface BackoffOptions {
  /** Delay after the first failure, milliseconds. */
  baseMs: number;
  /** No delay is longer. */
  capMs: number;
  /** 0..1: how much of a delay is left to chance, so that many clients do not come back at once. Default 0.3. */
  jitter?: number;
  /** Gives numbers in [0, 1). Default: Math.random. */
  random?: () => number;
}

/** The delay after so many failures in a row (1 is the first): doubles each time up to the cap, less a random part. */
export function backoffDelay(
  failures: number,
  { baseMs, capMs, jitter = 0.3, random = Math.random }: BackoffOptions,
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 52));
  return full * (1 - jitter * random());
}
