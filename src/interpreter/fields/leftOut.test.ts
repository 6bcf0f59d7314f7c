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
  { name: "a later version", object: autoscaler("v1", "autoscaling/v2"), want: ["spec.behavior", "spec.metrics"] },
  {
    name: "a later version, as far as they are there",
    object: autoscaler("v1", "autoscaling/v2", {}, { metrics: [], behavior: { scaleUp: {} } }),
    want: ["spec.behavior.scaleDown"],
  },
])("fields that a person wrote in $name are left out", ({ object, want }) => {
  expect(fieldsLeftOut(object)).toEqual({ apiVersion: "autoscaling/v2", fields: want });
});

test.each([
  { name: "in an earlier version", object: autoscaler("v2", "autoscaling/v1") },
  { name: "in a version that nobody names", object: autoscaler("v1", undefined) },
  {
    name: "as a controller of the hub",
    object: autoscaler("v1", "autoscaling/v2", { manager: "kube-controller-manager" }),
  },
  { name: "as Meridian", object: autoscaler("v1", "autoscaling/v2", { manager: "meridian" }) },
])("no fields are left out where the object was written $name", ({ object }) => {
  expect(fieldsLeftOut(object)).toBeUndefined();
});
