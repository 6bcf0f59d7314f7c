import { expect, test } from "vitest";
import { FIELD_MANAGER, type FieldsV1, type KubeObject } from "../../apis/index.ts";
import { ApiError } from "../../runtime/index.ts";
import { staleDefaults } from "./staleDefaults.ts";

const object = (spec: object, ...managedFields: object[]): KubeObject =>
  ({ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db", managedFields }, spec }) as KubeObject;
const entry = (manager: string, operation: string, updateStrategy: FieldsV1) => ({
  ...{ manager, operation, fieldsV1: { "f:spec": { "f:updateStrategy": updateStrategy } } },
});
const refusal = (...fields: string[]): ApiError =>
  new ApiError(422, "Invalid", "no", { details: { causes: fields.map((field) => ({ field })) } } as never);

const ROLLING = "spec.updateStrategy.rollingUpdate";
const ours = entry(FIELD_MANAGER, "Apply", { "f:type": {} });
const theirs = entry("x", "Update", { "f:rollingUpdate": { "f:partition": {} } });
const desired = object({ replicas: 1, updateStrategy: { type: "OnDelete" } });
const rolling = { replicas: 1, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } };
const live = object(rolling, ours);

test("a default beside a changed value is removed, and the value is set", () => {
  expect(staleDefaults(desired, live, refusal(ROLLING))).toEqual([
    { op: "remove", path: "/spec/updateStrategy/rollingUpdate" },
    { op: "add", path: "/spec/updateStrategy/type", value: "OnDelete" },
  ]);
  const service = object({ sessionAffinity: "None", ports: [] });
  const sticky = object({ sessionAffinity: "ClientIP", sessionAffinityConfig: {}, ports: [{}] });
  expect(staleDefaults(service, sticky, refusal("spec.sessionAffinityConfig"))).toEqual([
    { op: "remove", path: "/spec/sessionAffinityConfig" },
    { op: "add", path: "/spec/sessionAffinity", value: "None" },
  ]);
});

test.each<[string, KubeObject, KubeObject, string[]]>([
  ["that the refusal does not name", desired, live, ["spec.replicas"]],
  ["that another manager owns", desired, object(rolling, ours, theirs), [ROLLING]],
  ["that is desired", object({ updateStrategy: { type: "x", rollingUpdate: {} } }), live, [ROLLING]],
  ["that is missing", desired, object({ updateStrategy: {} }), [ROLLING]],
  ["without a desired parent", object({}), live, [ROLLING]],
  ["in a list, in the metadata or at the top", desired, live, ["spec.list[0].a", "metadata.labels.a", "spec", ""]],
  ["without a changed value beside it", object({ updateStrategy: { type: "RollingUpdate" } }), live, [ROLLING]],
])("a field %s stays", (_, wanted, there, fields) =>
  expect(staleDefaults(wanted, there, refusal(...fields))).toEqual([]),
);
