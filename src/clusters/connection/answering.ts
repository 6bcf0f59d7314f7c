import type { Why } from "../../desiredstate/index.ts";
import { sameValue } from "../../apis/index.ts";

/**
 * How well a cluster in contact answers: how long its answers take, and whether writes to it flow. Both come from what is asked anyway, one
 * sample for each probe. A verdict changes only when {@link SAMPLES} samples in a row agree, so that the status of the MemberCluster is seldom
 * written. Pure.
 */
export interface Answering {
  /** How long answers take, in milliseconds, where that is long; null: answers come in time. Undefined: not known yet. */
  latencyMs: number | null | undefined;
  /** Why writes are slowed down or stopped; null: they flow. Undefined: not known yet. */
  pace: Why | null | undefined;
}

export interface AnsweringSample {
  /** Time from a request to its answer. */
  ms: number;
  /** Why writes are slowed down or stopped at this moment. */
  pace: Why | undefined;
}

const SAMPLES = 3;
/** From here on a cluster is slow. */
const SLOW_MS = 1_000;
/** Below this a slow cluster is slow no more. */
const FAST_MS = 500;
/** A figure is said anew when answers take so many times as long, or a part of it. */
const OTHER_FIGURE = 1.5;

/** What was said last of a cluster, and the samples since. */
export class AnsweringRecord {
  #samples: AnsweringSample[] = [];
  #said: Answering;

  /** `latencyMs`: what the status says, so that a restart does not write another figure for the same trouble. */
  constructor(latencyMs?: number) {
    this.#said = { latencyMs, pace: undefined };
  }

  /** Takes a sample. Returns what is to be said now, and undefined where that has not changed. */
  take(sample: AnsweringSample): Answering | undefined {
    this.#samples = [...this.#samples, sample].slice(-SAMPLES);
    if (this.#samples.length < SAMPLES) return undefined;
    const next: Answering = { latencyMs: this.#latency(), pace: this.#pace() };
    if (sameValue(next, this.#said)) return undefined;
    this.#said = next;
    return next;
  }

  /** Contact was lost: what was measured says nothing of what comes after. */
  reset(): void {
    this.#samples = [];
    this.#said = { latencyMs: undefined, pace: undefined };
  }

  #latency(): Answering["latencyMs"] {
    const times = this.#samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const [least = 0] = times;
    const most = times.at(-1) ?? 0;
    const said = this.#said.latencyMs;
    const median = rounded(times[Math.floor(times.length / 2)] ?? 0);
    if (typeof said !== "number") return least >= SLOW_MS ? median : most < SLOW_MS ? null : said;
    if (most < FAST_MS) return null;
    const isOther = least > said * OTHER_FIGURE || most < said / OTHER_FIGURE;
    return isOther && least >= SLOW_MS ? median : said;
  }

  #pace(): Answering["pace"] {
    const [first, ...others] = this.#samples.map(({ pace }) => pace);
    if (first === undefined) return others.every((pace) => pace === undefined) ? null : this.#said.pace;
    return others.every((pace) => pace !== undefined) ? (others.at(-1) ?? first) : this.#said.pace;
  }
}

/** To tenths of a second. */
function rounded(ms: number): number {
  return Math.round(ms / 100) * 100;
}
