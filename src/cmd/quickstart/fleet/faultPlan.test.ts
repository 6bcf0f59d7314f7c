import { expect, test } from "vitest";
import { FAULT_WORDS, parseFault } from "./faultPlan.ts";

test.each([
  ["partition", { partition: "silent" }],
  ["partition=reset", { partition: "reset" }],
  ["latency=1.5s", { latencyMs: 1_500 }],
  ["errors=30%", { errorRate: 0.3 }],
  ["throttle=100%", { throttleRate: 1 }],
  ["watches=5s", { watchLifetimeMs: 5_000 }],
  ["pods=stuck", { podsStuck: true }],
  ["pods=20s", { podDelayMs: 20_000 }],
  ["clock=-5m", { clockSkewMs: -300_000 }],
  ["clock=+1h", { clockSkewMs: 3_600_000 }],
  ["latency=1s, errors=10%", { latencyMs: 1_000, errorRate: 0.1 }],
])("%s is understood", (text, settings) => expect(parseFault(text)).toEqual({ crash: false, settings }));

test("a crash can come alone or with more", () => {
  expect(parseFault("crash")).toEqual({ crash: true, settings: {} });
  expect(parseFault("pods=stuck,crash")).toEqual({ crash: true, settings: { podsStuck: true } });
});

test("every fault that is named for the person is understood", () => {
  for (const word of FAULT_WORDS.split(", ")) expect(parseFault(word)).not.toHaveProperty("error");
});

const NO_FAULTS = ["", "fire", "partition=often", "latency", "latency=-1s", "errors=0.3", "errors=101%", "crash=now"];

test.each(NO_FAULTS)("%j is answered with what there is", (text) => {
  expect(parseFault(text)).toEqual({
    error: expect.stringMatching(/is no fault; there are partition, .*clock=-5m$/) as string,
  });
});
