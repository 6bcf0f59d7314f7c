import { describe, expect, test } from "vitest";
import { type PlannedClusterReport, type PlannedMemberObjectReport, type PlanReport } from "./report.ts";
import { planText } from "./text.ts";

const none = { objects: 0, clusters: 0, allClusters: 40, created: 0, changed: 0, moved: 0, deleted: 0, held: 0 };
const deployment = (change: PlannedMemberObjectReport["change"], more: object = {}): PlannedMemberObjectReport => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespace: "default",
  name: "shop",
  change,
  ...more,
});
const image = {
  path: "spec.template.spec.containers[name=shop].image",
  before: "nginx:1.27",
  after: "nginx:1.28",
};
const secret = (change: PlannedMemberObjectReport["change"], more: object = {}): PlannedMemberObjectReport => ({
  apiVersion: "v1",
  kind: "Secret",
  namespace: "default",
  name: "password",
  change,
  ...more,
});
const changed = (name: string, stage: string): PlannedClusterReport => ({
  name,
  change: "Changed",
  stage,
  replicas: { before: 3, after: 5 },
  objects: [
    secret("Changed", { fields: [{ path: "data.password", masked: true }], fieldsFrom: "Member" }),
    deployment("Changed", { fields: [{ path: "spec.replicas", before: 3, after: 5 }, image], fieldsFrom: "Member" }),
  ],
});

const report: PlanReport = {
  summary: {
    ...none,
    objects: 2,
    clusters: 13,
    changed: 10,
    text: "2 objects on 13 of 40 clusters: 1 created, 10 changed, 1 moved, 1 deleted, 1 held",
  },
  unplaced: [
    {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      namespace: "default",
      name: "checkout",
      reason: "NoPlacement",
      message: "no placement selects it; create a Placement that does",
      nearly: [
        {
          policy: { kind: "Placement", namespace: "default", name: "shop" },
          selector: "resourceSelectors[0]",
          because: ["the object lacks the label tier=web"],
        },
      ],
    },
  ],
  objects: [
    {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      namespace: "default",
      name: "shop",
      placement: "Placement default/shop",
      placementBefore: "ClusterPlacement everywhere",
      scheduled: { status: "True", reason: "ClustersSelected", message: "12 of 40 clusters selected" },
      stages: ["canary", "asia", "rest"],
      clusters: [
        ...Array.from({ length: 9 }, (_, i) => changed(`asia-${i + 1}`, "rest")),
        changed("canary-1", "canary"),
        {
          name: "frankfurt-1",
          change: "Created",
          stage: "rest",
          replicas: { after: 1 },
          objects: [
            secret("Created"),
            deployment("Created", { refused: { reason: "QuotaExceeded", message: "exceeded quota: compute" } }),
          ],
        },
        {
          name: "paris-1",
          change: "Moved",
          to: ["rome-1"],
          reason: "NotSelected",
          message: "it serves until then",
          objects: [deployment("Deleted")],
        },
        {
          name: "rome-1",
          change: "Moved",
          from: ["paris-1"],
          replicas: { after: 2 },
          objects: [deployment("Created")],
        },
        {
          name: "tokyo-1",
          change: "Deleted",
          objects: [deployment("Released"), secret("Changed", { fields: [], fieldsFrom: "Member" })],
        },
      ],
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "pages",
      placement: "",
      scheduled: { status: "False", reason: "NoPlacement", message: "no placement selects it" },
      clusters: [
        { name: "lima-1", change: "Held", reason: "NoPlacement", message: "no placement selects it", objects: [] },
      ],
    },
  ],
  notes: [],
};

describe("a plan reads", () => {
  test("as in plan.golden.txt", async () => {
    await expect(planText(report, false)).toMatchFileSnapshot("testdata/plan.golden.txt");
  });

  test("with colours for what comes and what goes", () => {
    const text = planText(report, true);
    expect(text).toContain("\u001b[32m+ created on frankfurt-1: 1 replica\u001b[0m");
    expect(text).toContain("\u001b[31m- deleted on tokyo-1\u001b[0m");
  });
});
