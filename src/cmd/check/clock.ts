/** Clocks of servers, compared by the `Date` header of an answer. Pure. */

/** More than this breaks tokens, certificates and leases. */
export const MOST_CLOCK_SKEW_MS = 30_000;

/** `offsetMs`: the server's clock minus the clock of this machine; it is known up to `uncertainMs`. */
export interface ClockReading {
  offsetMs: number;
  uncertainMs: number;
}

/** The header has whole seconds: on average the server's clock is half a second further. */
const HALF_SECOND_MS = 500;

export interface TimedAnswer {
  /** Clock of this machine when the request left, and when the answer came. Epoch milliseconds. */
  asked: number;
  answered: number;
  serverTime: number;
}

export function readClock({ asked, answered, serverTime }: TimedAnswer): ClockReading {
  const halfway = (asked + answered) / 2;
  return {
    offsetMs: serverTime + HALF_SECOND_MS - halfway,
    uncertainMs: (answered - asked) / 2 + HALF_SECOND_MS,
  };
}

/** Milliseconds that `one` is ahead of `other`; negative if it is behind. Undefined within the limit. */
export function clockSkew(one: ClockReading, other: ClockReading): number | undefined {
  const ahead = one.offsetMs - other.offsetMs;
  const certain = Math.abs(ahead) - one.uncertainMs - other.uncertainMs;
  return certain > MOST_CLOCK_SKEW_MS ? ahead : undefined;
}

/** The clock of this machine itself. */
export const THIS_MACHINE: ClockReading = { offsetMs: 0, uncertainMs: 0 };

/** `95 s ahead of`, `95 s behind`. */
export function skewText(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"}`;
}
