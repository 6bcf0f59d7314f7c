export interface BackoffOptions {
  baseMs: number;
  capMs: number;
  /** 0..1: random share of a delay, against retries at the same time. Default 0.3. */
  jitter?: number;
  random?: () => number;
}

/** Delay after this many failures in a row, from 1. Doubles up to the cap, minus a random part. */
export function backoffDelay(
  failures: number,
  { baseMs, capMs, jitter = 0.3, random = Math.random }: BackoffOptions,
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 52));
  return full * (1 - jitter * random());
}
