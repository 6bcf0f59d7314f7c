import { expect, test } from "vitest";
import { durationMs } from "./duration.ts";

test.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["250ms", 250],
  ["0s", 0],
])("%s is so many milliseconds", (text, want) => expect(durationMs(text)).toBe(want));
