import { describe, expect, test } from "vitest";
import type { FederatedStatus } from "../apis/index.ts";
import type { ClusterTarget } from "../desiredstate/types.ts";
import type { Health } from "../interpreter/types.ts";
import { aggregate } from "./aggregate.ts";
import { after, at, entry, healthy, inputOf, row, SECOND, T0, target, unhealthy, view } from "./testing/builders.ts";
import type { StatusInput } from "./types.ts";

/** An object on one cluster; its placement asks since when it is unhealthy there. */
function input(health: Health | undefined, more: Partial<ClusterTarget> = {}, watchesHealth = true): StatusInput {
  const rows = [row(health === undefined ? { observedHash: "h0", inSync: false } : { health })];
  const condition = { status: "False", reason: "Settled", message: "" } as const;
  const planned = target(["a"], { failover: { departures: [], condition, watchesHealth } });
  return inputOf([view("a", { rows })], {
    target: { ...planned, clusters: planned.clusters.map((one) => ({ ...one, ...more })) },
  });
}
const since = (status: FederatedStatus): string | undefined => entry(status)?.unhealthySince;
const none = unhealthy("Progressing", 0);

describe("an object is unhealthy on a cluster", () => {
  test.each([
    { what: "that says it failed", health: unhealthy("Failed", 2) },
    { what: "that says it is degraded", health: unhealthy("Degraded", 2) },
    { what: "on which nothing of it is available", health: none },
  ])("$what", ({ health }) => expect(since(aggregate(input(health), T0))).toBe(at(T0)));

  test.each([
    { what: "where it is available", given: input(healthy(2)) },
    { what: "where some of it is available", given: input(unhealthy("Progressing", 1)) },
    {
      what: "where nothing of it is wanted",
      given: input({ ...none, replicas: { desired: 0, updated: 0, ready: 0, available: 0 } }, { replicas: 0 }),
    },
    { what: "where it is held", given: input(unhealthy("Failed", 0), { frozen: true }) },
    { what: "of whose health nobody knows", given: input(unhealthy("Unknown", 0)) },
    { what: "whose placement does not ask", given: input(unhealthy("Failed", 0), {}, false) },
  ])("but not one $what", ({ given }) => expect(since(aggregate(given, T0))).toBeUndefined());
});

describe("since when it is unhealthy", () => {
  const first = aggregate(input(none), T0);

  test("stays, whatever is wrong", () => {
    for (const health of [none, unhealthy("Failed", 0, "CrashLoopBackOff")])
      expect(since(aggregate(after(input(health), first), T0 + 60 * SECOND))).toBe(at(T0));
  });

  test("begins anew when it was healthy in between", () => {
    const well = aggregate(after(input(healthy(2)), first), T0 + 60 * SECOND);
    expect(since(well)).toBeUndefined();
    expect(since(aggregate(after(input(none), well), T0 + 90 * SECOND))).toBe(at(T0 + 90 * SECOND));
  });
});
