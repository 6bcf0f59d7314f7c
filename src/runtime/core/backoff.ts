export interface BackoffOptions {
  /** Delay after the first failure, milliseconds. */
  baseMs: number;
  /** Maximum delay, milliseconds. */
  capMs: number;
  /** 0..1: random share of a delay, so that many clients do not retry at the same time. Default 0.3. */
  jitter?: number;
  /** Gives numbers in [0, 1). Default: Math.random. */
  random?: () => number;
}

/**
 * Delay after this many failures in a row (1 is the first). The delay doubles each time up to the cap, minus a random
 * part.
 */
export function backoffDelay(
  failures: number,
  { baseMs, capMs, jitter = 0.3, random = Math.random }: BackoffOptions,
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 52));
  return full * (1 - jitter * random());
}
