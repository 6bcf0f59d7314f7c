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
  test("moves an object to the clusters that it comes to", () => {
    expect(withLoss([change("b", "Created")], ["a"], { on: [], why })).toEqual([
      change("a", "Moved", { to: ["b"] }),
      change("b", "Moved", { from: ["a"] }),
    ]);
  });

  test("moves replicas to the clusters that get more", () => {
    const more = change("b", "Changed", { replicas: { before: 1, after: 2 } });
    expect(withLoss([more], ["a"], { on: [], why })).toEqual([change("a", "Moved", { to: ["b"] }), more]);
  });

  test("moves nothing from where the object stays, and nothing is written there", () => {
    expect(withLoss([change("a", "Changed")], ["a"], { on: ["a"], why })).toEqual([change("a", "Held", { why })]);
  });

  test("is no concern of an object that does not run there", () => {
    const changes = [change("b", "Created")];
    expect(withLoss(changes, [], { on: [], why })).toEqual(changes);
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
