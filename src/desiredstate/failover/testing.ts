import type { ClusterSnapshot } from "../../scheduler/index.ts";

/** The moment of the tests of this folder, in epoch milliseconds. */
export const T = Date.parse("2026-11-22T08:00:00Z");
export const MINUTE = 60_000;

/** A cluster that has been lost for so many milliseconds, or has been well for ten hours. */
export const clusterAt = (name: string, lostFor?: number, more: Partial<ClusterSnapshot> = {}): ClusterSnapshot => ({
  name,
  labels: {},
  taints: [],
  deleting: false,
  local: false,
  ready: lostFor === undefined ? { status: "True", since: T - 600 * MINUTE } : { status: "False", since: T - lostFor },
  ...more,
});
