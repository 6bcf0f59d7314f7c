import { describe, expect, test } from "vitest";
import { FIELD_MANAGER, type FieldsV1, type KubeObject } from "../../apis/index.ts";
import { ApiError } from "../../runtime/index.ts";
import { staleDefaults } from "./staleDefaults.ts";

const object = (spec: object, ...managedFields: object[]): KubeObject =>
  ({ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db", managedFields }, spec }) as KubeObject;
const entry = (manager: string, operation: string, updateStrategy: FieldsV1) => ({
  manager,
  operation,
  fieldsV1: { "f:spec": { "f:updateStrategy": updateStrategy } },
});
const ours = entry(FIELD_MANAGER, "Apply", { "f:type": {} });
const refusal = (...fields: string[]): ApiError =>
  new ApiError(422, "Invalid", "no", { details: { causes: fields.map((field) => ({ field })) } } as never);
const ROLLING = "spec.updateStrategy.rollingUpdate";

describe("staleDefaults", () => {
  const desired = object({ replicas: 1, updateStrategy: { type: "OnDelete" } });
  const live = { replicas: 1, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } };

  test("are fields that the member filled in beside another value, which change with that value", () => {
    expect(staleDefaults(desired, object(live, ours), refusal(ROLLING))).toEqual([
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

  test.each<{ name: string; desired?: KubeObject; live?: KubeObject; fields: string[] }>([
    { name: "what the refusal does not name", fields: ["spec.replicas"] },
    {
      name: "what somebody else owns",
      live: object(live, ours, entry("x", "Update", { "f:rollingUpdate": { "f:partition": {} } })),
      fields: [ROLLING],
    },
    {
      name: "what is desired",
      desired: object({ updateStrategy: { type: "x", rollingUpdate: {} } }),
      fields: [ROLLING],
    },
    { name: "what is not there", live: object({ updateStrategy: {} }), fields: [ROLLING] },
    { name: "what is in no map of the desired object", desired: object({}), fields: [ROLLING] },
    {
      name: "an item of a list, metadata, or a whole part of the object",
      fields: ["spec.list[0].a", "metadata.labels.a", "spec", ""],
    },
    {
      name: "where nothing beside it changes",
      desired: object({ updateStrategy: { type: "RollingUpdate" } }),
      fields: [ROLLING],
    },
  ])("are not $name", ({ desired: wanted = desired, live: there = object(live, ours), fields }) => {
    expect(staleDefaults(wanted, there, refusal(...fields))).toEqual([]);
  });
});
