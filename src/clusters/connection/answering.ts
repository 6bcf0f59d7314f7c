import { sameValue } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { Answering } from "../../ports/index.ts";

export interface AnsweringSample {
  ms: number;
  pace: Why | undefined;
}

const SAMPLES = 3;
/** From this latency on a cluster counts as slow. */
const SLOW_MS = 1_000;
/** Below this latency a slow cluster no longer counts as slow. */
const FAST_MS = 500;
/** A new latency is reported when it differs by this factor. */
const OTHER_FIGURE = 1.5;

/**
 * Responsiveness of a cluster in contact, by one sample of each probe. A verdict changes only when {@link SAMPLES}
 * samples in a row agree, so that the status is seldom written. Pure.
 */
export class AnsweringRecord {
  #samples: AnsweringSample[] = [];
  #verdict: Answering;

  /** `latencyMs`: as in the status, so that a restart writes no new number for the same slowness. */
  constructor(latencyMs?: number) {
    this.#verdict = { latencyMs, pace: undefined };
  }

  /** Returns the new verdict, if any. */
  take(sample: AnsweringSample): Answering | undefined {
    this.#samples = [...this.#samples, sample].slice(-SAMPLES);
    if (this.#samples.length < SAMPLES) return undefined;
    const next: Answering = { latencyMs: this.#latency(), pace: this.#pace() };
    if (sameValue(next, this.#verdict)) return undefined;
    this.#verdict = next;
    return next;
  }

  /** Called when contact was lost, since earlier samples say nothing about the next contact. */
  reset(): void {
    this.#samples = [];
    this.#verdict = { latencyMs: undefined, pace: undefined };
  }

  #latency(): Answering["latencyMs"] {
    const times = this.#samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const [least = 0] = times;
    const most = times.at(-1) ?? 0;
    const verdict = this.#verdict.latencyMs;
    const median = rounded(times[Math.floor(times.length / 2)] ?? 0);
    if (typeof verdict !== "number") return least >= SLOW_MS ? median : most < SLOW_MS ? null : verdict;
    if (most < FAST_MS) return null;
    const isOther = least > verdict * OTHER_FIGURE || most < verdict / OTHER_FIGURE;
    return isOther && least >= SLOW_MS ? median : verdict;
  }

  #pace(): Answering["pace"] {
    const [first, ...others] = this.#samples.map(({ pace }) => pace);
    if (first === undefined) return others.every((pace) => pace === undefined) ? null : this.#verdict.pace;
    return others.every((pace) => pace !== undefined) ? (others.at(-1) ?? first) : this.#verdict.pace;
  }
}

function rounded(ms: number): number {
  return Math.round(ms / 100) * 100;
}
