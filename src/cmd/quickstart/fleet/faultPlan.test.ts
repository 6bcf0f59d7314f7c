import { expect, test } from "vitest";
import { FAULT_WORDS, parseFault } from "./faultPlan.ts";

test.each([
  { text: "partition", settings: { partition: "silent" } },
  { text: "partition=reset", settings: { partition: "reset" } },
  { text: "partition=refuse", settings: { partition: "refuse" } },
  { text: "latency=500ms", settings: { latencyMs: 500 } },
  { text: "latency=1.5s", settings: { latencyMs: 1_500 } },
  { text: "errors=30%", settings: { errorRate: 0.3 } },
  { text: "throttle=100%", settings: { throttleRate: 1 } },
  { text: "watches=5s", settings: { watchLifetimeMs: 5_000 } },
  { text: "pods=stuck", settings: { podsStuck: true } },
  { text: "pods=20s", settings: { podDelayMs: 20_000 } },
  { text: "clock=-5m", settings: { clockSkewMs: -300_000 } },
  { text: "clock=+1h", settings: { clockSkewMs: 3_600_000 } },
  { text: "latency=1s, errors=10%", settings: { latencyMs: 1_000, errorRate: 0.1 } },
])("$text is understood", ({ text, settings }) => {
  expect(parseFault(text)).toEqual({ crash: false, settings });
});

test("a crash can come alone or with more", () => {
  expect(parseFault("crash")).toEqual({ crash: true, settings: {} });
  expect(parseFault("pods=stuck,crash")).toEqual({ crash: true, settings: { podsStuck: true } });
});

test("every fault that is named for the person is understood", () => {
  for (const word of FAULT_WORDS.split(", ")) expect(parseFault(word)).not.toHaveProperty("error");
});

test.each([
  "",
  "fire",
  "partition=often",
  "latency",
  "latency=fast",
  "latency=-1s",
  "errors=0.3",
  "errors=101%",
  "crash=now",
])("%j is answered with what there is", (text) => {
  expect(parseFault(text)).toEqual({
    error: expect.stringMatching(/is no fault; there are partition, .*clock=-5m$/) as string,
  });
});
