import { expect, test } from "vitest";
import type { TransitionRow } from "../../query/index.ts";
import { inOrder } from "./timeline.ts";

const row = (at: string, to: string): TransitionRow => ({ at, from: "", to, reason: to });

test("transitions are in the order of their times, those of one time as the manager saw them", () => {
  const rows = [
    row("2026-01-01T00:00:14Z", "Ready"),
    row("2026-01-01T00:00:11Z", "Progressing"),
    row("2026-01-01T00:00:11.500Z", "Degraded"),
    row("2026-01-01T00:00:11Z", "Available"),
  ];
  expect(inOrder(rows).map(({ to }) => to)).toEqual(["Progressing", "Available", "Degraded", "Ready"]);
});
