import { describe, expect, test } from "vitest";
import type { Placement } from "../../apis/index.ts";
import type { ClusterChange, Target } from "../../desiredstate/index.ts";
import { whyItStays, withLoss } from "./loss.ts";

const why = { reason: "ClusterUnreachable", message: "why" };
const change = (cluster: string, verb: ClusterChange["verb"], more: Partial<ClusterChange> = {}): ClusterChange => ({
  cluster,
  verb,
  objects: [],
  ...more,
});
const placement = (failover?: object): Placement =>
  ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "Placement",
    metadata: { name: "some" },
    spec: failover === undefined ? {} : { failover },
  }) as unknown as Placement;

describe("the loss of a cluster", () => {
  test("moves replicas to the clusters that get more", () => {
    const more = change("b", "Changed", { replicas: { before: 1, after: 2 } });
    expect(withLoss([more], ["a"], { on: [], why })).toEqual([change("a", "Moved", { to: ["b"] }), more]);
  });

  const condition = (reason: string): Target["failover"] => ({
    departures: [],
    condition: { status: "Unknown", reason, message: `as ${reason} says` },
    watchesHealth: false,
  });

  test.each([
    { name: "nobody places it", given: undefined, failover: undefined, says: /no policy/ },
    {
      name: "the policy has no failover",
      given: placement(),
      failover: undefined,
      says: /Placement some has no failover/,
    },
    {
      name: "failover is held",
      given: placement({}),
      failover: condition("FailoverHeld"),
      says: /as FailoverHeld says/,
    },
    { name: "nothing takes it", given: placement({}), failover: condition("NowhereToGo"), says: /as NowhereToGo says/ },
    {
      name: "nothing else is known",
      given: placement({}),
      failover: condition("Settled"),
      says: /no other cluster takes/,
    },
  ])("moves nothing where $name", ({ given, failover, says }) => {
    expect(whyItStays(given, failover)).toMatchObject({ message: expect.stringMatching(says) as string });
  });
});
