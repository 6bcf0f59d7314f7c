import { expect, test } from "vitest";
import type { FederatedStatus } from "../apis/index.ts";
import { aggregate } from "./aggregate.ts";
import { after, at, entry, inputOf, row, SECOND, T0, target, unhealthy, view } from "./testing.ts";
import type { StatusInput } from "./types.ts";

/** A cluster that is asked for so many replicas, of which so many are available, and what its pods say. */
const input = (desired: number, available: number, reason: string, reschedules = true): StatusInput => {
  const health = unhealthy("Progressing", available);
  const counts = { desired, updated: desired, ready: available, available };
  const rows = [row({ health: { ...health, reason, replicas: counts } })];
  const planned = target(["a"], reschedules ? { reschedules: true } : {});
  const clusters = planned.clusters.map((one) => ({ ...one, replicas: desired }));
  return inputOf([view("a", { rows })], { target: { ...planned, clusters } });
};
const since = (status: FederatedStatus): string | undefined => entry(status)?.unschedulableSince;

test("since when pods find no node is said where the placement asks for it, from the first moment on", () => {
  const stuck = input(3, 1, "Unschedulable");
  const first = aggregate(stuck, T0);
  expect(since(first)).toBe(at(T0));
  const later = aggregate(after(stuck, first), T0 + 60 * SECOND);
  expect(since(later)).toBe(at(T0));
  const well = aggregate(after(input(3, 3, "RollingOut"), later), T0 + 90 * SECOND);
  expect(since(well)).toBeUndefined();
  expect(since(aggregate(input(3, 1, "Unschedulable", false), T0))).toBeUndefined();
  expect(since(aggregate(input(3, 1, "ImagePullBackOff"), T0))).toBeUndefined();
});

test("when replicas have left, the clock of those that remain begins anew", () => {
  const first = aggregate(input(4, 1, "Unschedulable"), T0);
  const fewer = aggregate(after(input(3, 1, "Unschedulable"), first), T0 + 300 * SECOND);
  expect(since(fewer)).toBe(at(T0 + 300 * SECOND));
  const more = aggregate(after(input(5, 1, "Unschedulable"), fewer), T0 + 400 * SECOND);
  expect(since(more)).toBe(at(T0 + 300 * SECOND));
});
