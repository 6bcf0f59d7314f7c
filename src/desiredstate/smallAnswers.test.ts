import { describe, expect, test } from "vitest";
import type { KubeObject, PlacementSpec } from "../apis/index.ts";
import { apisOf } from "./manifests/apisOf.ts";
import { remedyFor } from "./explain/remedies.ts";
import { reportTermsOf } from "./manifests/reporting.ts";
import { stageProblems } from "./explain/rolloutStages.ts";

describe("what would make a cluster take the object", () => {
  test.each([
    ["TaintNotTolerated", "add a toleration to Placement p, or take the taint off east (m)"],
    ["NotInAffinity", "let an affinity group of Placement p take east (m)"],
    ["LabelKeyMissing", "label the object: m"],
    [
      "UnknownCluster",
      "join east with `meridian join east --region REGION --member-kubeconfig FILE`, or correct the name in Placement p",
    ],
    ["NamespaceNotGranted", "join east for the object's namespace too: m"],
    ["AnythingElse", "m"],
  ])("%s: %s", (reason, want) => {
    const answer = { fits: false, reason, message: "m" };
    expect(remedyFor(answer, "east", "Placement p")).toBe(want);
    expect(remedyFor({ ...answer, remedy: "wait" }, "east", "Placement p")).toBe("wait");
  });
});

describe("the APIs that objects need of a cluster", () => {
  const object = (apiVersion: string, kind = "A", spec?: unknown): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: "x" },
    ...(spec === undefined ? {} : { spec }),
  });
  const definition = (spec: unknown): KubeObject => object("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec);

  test("are named once, in order", () => {
    expect(apisOf([object("v1"), object("apps/v1"), object("v1", "B")])).toEqual(["apps/v1", "v1"]);
    expect(apisOf([])).toEqual([]);
  });

  test("are not those that a definition among them brings along", () => {
    const own = object("example.com/v1");
    expect(apisOf([definition({ group: "example.com" }), own])).toEqual(["apiextensions.k8s.io/v1"]);
    expect(apisOf([own, object("v1", "Widget", { group: "example.com" })])).toEqual(["example.com/v1", "v1"]);
    expect(apisOf([definition({ group: 7 }), own])).toEqual(["apiextensions.k8s.io/v1", "example.com/v1"]);
    expect(apisOf([definition(undefined), own])).toEqual(["apiextensions.k8s.io/v1", "example.com/v1"]);
    expect(apisOf([definition({ group: "7" }), object("7/v1")])).toEqual(["apiextensions.k8s.io/v1"]);
  });
});

describe("what a placement asks for about a member object", () => {
  const service = { kind: "Service" };
  const rules = (...health: NonNullable<PlacementSpec["health"]>): Pick<PlacementSpec, "health"> => ({ health });

  test.each<
    [what: string, spec: Pick<PlacementSpec, "health" | "aggregateStatus"> | undefined, isOwner: boolean, want: unknown]
  >([
    ["nothing, without a placement", undefined, true, undefined],
    ["nothing of another kind", rules({ kind: "Deployment", available: "a" }), true, undefined],
    ["what is available", rules({ kind: "Service", available: "a" }), false, { health: { available: "a" } }],
    ["its status", { aggregateStatus: true }, true, { withStatus: true }],
    ["no status of what is only rendered", { aggregateStatus: true }, false, undefined],
    [
      "both",
      { ...rules({ kind: "Service", available: "a", failed: "f" }), aggregateStatus: true },
      true,
      { health: { available: "a", failed: "f" }, withStatus: true },
    ],
  ])("is %s", (_what, spec, isOwner, want) => expect(reportTermsOf(service, spec, isOwner)).toStrictEqual(want));
});

describe("before a rollout a person is told", () => {
  const assignment = { names: [], stages: new Map<string, string>(), overlapping: [], unassigned: [] };
  const names = ["a", "b", "c", "d", "e", "f", "g"];

  test.each([
    [1, "no stage takes a: its turn comes last"],
    [6, "no stage takes a, b, c, d, e and 1 more: their turn comes last"],
  ])("which clusters no stage takes, of %i", (count, want) => {
    expect(stageProblems({ ...assignment, unassigned: names.slice(0, count) })).toEqual([want]);
  });

  test("which clusters several stages take", () => {
    const overlapping = [{ cluster: "a", stages: ["canary", "asia"] }];
    expect(stageProblems({ ...assignment, overlapping, unassigned: ["b"] })).toEqual([
      "stages canary and asia both take a: the first counts",
      "no stage takes b: its turn comes last",
    ]);
  });
});
