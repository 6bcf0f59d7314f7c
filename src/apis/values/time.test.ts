import { expect, test } from "vitest";
import { microTimestamp, timestamp } from "./time.ts";

test.each([
  [0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"],
  [1_764_000_000_999, "2025-11-24T16:00:00Z", "2025-11-24T16:00:00.999000Z"],
  [1_764_000_000_999.5, "2025-11-24T16:00:00Z", "2025-11-24T16:00:00.999000Z"],
])("%d ms are %s, and %s with microseconds", (ms, seconds, micros) => {
  expect(timestamp(ms)).toBe(seconds);
  expect(microTimestamp(ms)).toBe(micros);
});
