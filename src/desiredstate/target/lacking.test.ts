import { expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { computeTarget } from "./target.ts";
import { NOW, placement, shanghai, snapshot } from "../testing/builders.ts";

const autoscaler = (read: string, ...fields: string[]): KubeObject => ({
  apiVersion: `autoscaling/${read}`,
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name: "web",
    namespace: "default",
    managedFields: [
      {
        manager: "kubectl",
        operation: "Update",
        apiVersion: "autoscaling/v2",
        fieldsV1: { "f:spec": Object.fromEntries(["maxReplicas", ...fields].map((field) => [`f:${field}`, {}])) },
      },
    ],
  },
  spec: { maxReplicas: 5 },
});
const policy = (name: string) =>
  placement(name, { resourceSelectors: [{ apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler" }] });
const warningOf = (object: KubeObject, placements = [policy("p")]) =>
  computeTarget(snapshot({ object, placements, clusters: [shanghai] }), NOW).clusters[0]?.warning;

test("what the named version lacks of the object is a warning with the remedy, and stops nothing", () => {
  expect(warningOf(autoscaler("v1", "behavior", "metrics"))).toEqual({
    reason: "VersionLacksFields",
    message: {
      what: "autoscaling/v1 lacks",
      where: ["spec.behavior", "spec.metrics"],
      why: "not sent",
      remedy: "name autoscaling/v2 in Placement p",
    },
  });
  expect(warningOf(autoscaler("v2", "behavior"))).toBeUndefined();
  expect(warningOf(autoscaler("v1"))).toBeUndefined();
});
