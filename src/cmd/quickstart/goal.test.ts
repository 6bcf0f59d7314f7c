import { describe, expect, test } from "vitest";
import type { ClusterReport, ObjectReport, StatusReport } from "../view/statusView.ts";
import { clusterReport, objectReport } from "../testing/statusObjects.ts";
import { type Goal, missing } from "./goal.ts";

const COUNTS = { desired: 2, ready: 2, updated: 2, available: 2 };

const report = ({
  object = {},
  cluster = {},
}: { object?: Partial<ObjectReport>; cluster?: Partial<ClusterReport> } = {}): StatusReport => ({
  objects: [objectReport("web", { clusters: [{ name: "m1", state: "Available", replicas: COUNTS }], ...object })],
  clusters: [clusterReport("m1", cluster)],
});

const GOAL: Goal = { members: ["m1"], isAvailable: () => true, isReached: () => true };

test("nothing is missing when every member is ready and every application is Available", () => {
  expect(missing(report(), GOAL)).toEqual([]);
  expect(missing(report(), { ...GOAL, application: { name: "web", members: ["m1"] } })).toEqual([]);
});

describe("a sentence says that", () => {
  test.each<{ name: string; given: StatusReport; goal?: Partial<Goal>; says: string }>([
    { name: "a member has not joined", given: report(), goal: { members: ["m1", "m2"] }, says: "m2 has not joined" },
    {
      name: "a member is not ready",
      given: report({ cluster: { ready: "False", reason: "ClusterUnreachable", message: "connection refused" } }),
      says: "m1 is not ready (ClusterUnreachable: connection refused)",
    },
    {
      name: "this manager has not reached a member that an earlier one called ready",
      given: report(),
      goal: { isReached: () => false },
      says: "m1 was not reached yet",
    },
    {
      name: "an application is on its way in a cluster",
      given: report({
        object: {
          healthy: false,
          clusters: [{ name: "m1", state: "Progressing", reason: "RollingOut", replicas: { ...COUNTS, ready: 1 } }],
        },
      }),
      says: "default/web in m1 is Progressing, 1 of 2 ready (RollingOut)",
    },
    {
      name: "an application was not placed",
      given: report({ object: { healthy: false, reason: "NoPlacement", clusters: [] } }),
      says: "default/web is not Available (NoPlacement)",
    },
    {
      name: "this manager has not planned an application that an earlier one called Available",
      given: report(),
      goal: { isAvailable: () => false },
      says: "default/web is not planned yet",
    },
    {
      name: "the application is not where it must be",
      given: report(),
      goal: { application: { name: "web", members: ["m1", "m2"] } },
      says: "default/web has not come to m2",
    },
    {
      name: "the application is not there",
      given: { ...report(), objects: [] },
      goal: { application: { name: "web", members: [] } },
      says: "web is not on the hub",
    },
  ])("$name", ({ given, goal, says }) => {
    expect(missing(given, { ...GOAL, ...goal })).toEqual([says]);
  });
});
