import { expect, test } from "vitest";
import type { FieldsV1, KubeObject } from "../../apis/index.ts";
import { fieldsLeftOut } from "./leftOut.ts";

const WRITTEN: FieldsV1 = {
  "f:metadata": { "f:labels": { "f:a": {} } },
  "f:spec": {
    "f:behavior": { "f:scaleDown": {} },
    "f:maxReplicas": {},
    "f:metrics": {},
    "f:scaleTargetRef": { "f:kind": {} },
  },
  "f:status": { "f:x": {} },
};
const autoscaler = (read: string, written: string | undefined, more: object = {}, spec: object = {}): KubeObject => ({
  apiVersion: `autoscaling/${read}`,
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name: "web",
    managedFields: [
      { manager: "kubectl", ...(written === undefined ? {} : { apiVersion: written }), fieldsV1: WRITTEN, ...more },
    ],
  },
  spec: { maxReplicas: 5, scaleTargetRef: { kind: "Deployment" }, ...spec },
});

test.each([
  ["a later version", autoscaler("v1", "autoscaling/v2"), ["spec.behavior", "spec.metrics"]],
  [
    "a later version, as far as they are there",
    autoscaler("v1", "autoscaling/v2", {}, { metrics: [], behavior: { scaleUp: {} } }),
    ["spec.behavior.scaleDown"],
  ],
])("fields that a person wrote in %s are left out", (_name, object, want) => {
  expect(fieldsLeftOut(object)).toEqual({ apiVersion: "autoscaling/v2", fields: want });
});

test.each([
  ["in an earlier version", autoscaler("v2", "autoscaling/v1")],
  ["in a version that nobody names", autoscaler("v1", undefined)],
  ["as a controller of the hub", autoscaler("v1", "autoscaling/v2", { manager: "kube-controller-manager" })],
  ["as Meridian", autoscaler("v1", "autoscaling/v2", { manager: "meridian" })],
])("no fields are left out where the object was written %s", (_name, object) => {
  expect(fieldsLeftOut(object)).toBeUndefined();
});
