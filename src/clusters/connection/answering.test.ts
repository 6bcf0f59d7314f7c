import { expect, test } from "vitest";
import { AnsweringRecord } from "./answering.ts";

const pace = { reason: "WritesThrottled", message: "429" };

/** New verdicts on the latency after each sample; `-`: no new verdict. */
function latencies(times: readonly number[], record = new AnsweringRecord()): (number | null | undefined)[] {
  return times.map((ms) => {
    const next = record.take({ ms, pace: undefined });
    return next === undefined ? Number.NaN : next.latencyMs;
  });
}
const SAME = Number.NaN;

test.each<[string, times: number[], want: (number | null)[]]>([
  ["is known after three slow samples", [2500, 2480, 2520, 2500], [SAME, SAME, 2500, SAME]],
  ["ignores one slow sample", [20, 20, 20, 2500, 20, 20], [SAME, SAME, null, SAME, SAME, SAME]],
  ["ends after three fast samples", [2000, 2000, 2000, 30, 30, 30], [SAME, SAME, 2000, SAME, SAME, null]],
  ["stays between slow and fast", [2000, 2000, 2000, 800, 800, 800], [SAME, SAME, 2000, SAME, SAME, SAME]],
  ["changes by a factor", [1000, 1000, 1000, 2600, 2600, 2600], [SAME, SAME, 1000, SAME, SAME, 2600]],
  ["stays for a small change", [2000, 2000, 2000, 2400, 2500, 2300], [SAME, SAME, 2000, SAME, SAME, SAME]],
])("the latency %s", (_, times, want) => expect(latencies(times)).toEqual(want));

test("the latency of an earlier manager is kept, and is measured anew after contact was lost", () => {
  const record = new AnsweringRecord(2400);
  expect(latencies([2500, 2600, 2500], record).at(-1)).toBe(2400);
  record.reset();
  expect(latencies([2500, 2600, 2500], record)).toEqual([SAME, SAME, 2500]);
});

test.each<[string, throttled: boolean[], want: unknown[]]>([
  ["are throttled after three samples", [true, true, true], ["-", "-", "WritesThrottled"]],
  [
    "flow again after three samples",
    [true, true, true, false, true, false, false, false],
    ["-", "-", "WritesThrottled", "-", "-", "-", "-", null],
  ],
  ["are not throttled after one sample", [false, false, false, true, false], ["-", "-", null, "-", "-"]],
])("writes %s", (_, throttled, want) => {
  const record = new AnsweringRecord();
  const verdicts = throttled.map((is) => {
    const next = record.take({ ms: 10, pace: is ? pace : undefined });
    return next === undefined ? "-" : (next.pace?.reason ?? next.pace);
  });
  expect(verdicts).toEqual(want);
});
