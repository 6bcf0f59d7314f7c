import { expect, test } from "vitest";
import { ageText, durationMs, lastedText } from "./duration.ts";

test.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["250ms", 250],
  ["0s", 0],
])("%s is so many milliseconds", (text, want) => expect(durationMs(text)).toBe(want));

test.each([
  [-5_000, "0s"],
  [0, "0s"],
  [119_000, "119s"],
  [120_000, "2m"],
  [119 * 60_000, "119m"],
  [2 * 3_600_000, "2h"],
  [47 * 3_600_000, "47h"],
  [72 * 3_600_000, "3d"],
])("an age of %d ms is %s", (ms, text) => expect(ageText(ms)).toBe(text));

test("how long something lasted is said where both times are known", () => {
  expect(lastedText("2026-01-01T08:00:00Z", "2026-01-01T08:05:00Z")).toBe(" for 5m");
  expect(lastedText(undefined, "2026-01-01T08:05:00Z")).toBe("");
});
