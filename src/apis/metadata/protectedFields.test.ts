import { describe, expect, test } from "vitest";
import type { KubeObject } from "./meta.ts";
import { PROTECTED_POINTER } from "../schema/patterns.ts";
import { isReservedKey, PROTECTED_FIELDS, protectedChange } from "./protectedFields.ts";
import { MANAGED_BY_LABEL, OWNER_ANNOTATION } from "./wellknown.ts";

const before: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", namespace: "default", labels: { [MANAGED_BY_LABEL]: "hub", team: "a" } },
  spec: { replicas: 1 },
};

describe("a protected change", () => {
  test.each<[string, unknown, string | undefined]>([
    ["none", { ...before, spec: { replicas: 2 } }, undefined],
    [
      "a label of a person",
      { ...before, metadata: { ...before.metadata, labels: { [MANAGED_BY_LABEL]: "hub" } } },
      undefined,
    ],
    ["the kind", { ...before, kind: "Pod" }, "/kind"],
    ["a status", { ...before, status: {} }, "/status"],
    ["another name", { ...before, metadata: { ...before.metadata, name: "other" } }, "/metadata/name"],
    ["a finalizer", { ...before, metadata: { ...before.metadata, finalizers: ["a/b"] } }, "/metadata/finalizers"],
    [
      "Meridian's label taken off",
      { ...before, metadata: { ...before.metadata, labels: { team: "a" } } },
      "/metadata/labels",
    ],
    [
      "Meridian's annotation put on",
      { ...before, metadata: { ...before.metadata, annotations: { [OWNER_ANNOTATION]: "{}" } } },
      "/metadata/annotations",
    ],
    ["metadata that is none", { ...before, metadata: 1 }, "/metadata/name"],
    ["an object that is none", null, "/apiVersion"],
  ])("%s", (_name, after, want) => expect(protectedChange(before, after)).toBe(want));
});

test("whatever the schema of patches protects is protected after they were applied, too", () => {
  const pointers = PROTECTED_FIELDS.map((path) => `/${path.join("/")}`);
  const alternatives = /\(([^()]*)metadata\\\/\(([^()]*)\)\)/.exec(PROTECTED_POINTER.source);
  const [, top = "", below = ""] = alternatives ?? [];
  const named = [
    ...top
      .split("|")
      .filter(Boolean)
      .map((f) => `/${f}`),
    ...below.split("|").map((f) => `/metadata/${f}`),
  ];
  expect(named).toContain("/metadata/name");
  expect(named.filter((pointer) => !pointers.includes(pointer))).toEqual([]);
});

test("Meridian's keys are those of its own group", () => {
  expect([MANAGED_BY_LABEL, "federation.paas.cmft.com.evil/x", "paas.cmft.com/x"].map(isReservedKey)).toEqual([
    true,
    false,
    false,
  ]);
});
