import { describe, expect, test } from "vitest";
import { isEstablished } from "./install.ts";

function crd(status: unknown) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "shops.example.com" },
    ...(status === undefined ? {} : { status }),
  };
}

describe("a CRD is established", () => {
  test.each([
    ["not before it exists", undefined, false],
    ["not without a status", crd(undefined), false],
    ["not while the server has said nothing: null", crd({ conditions: null, storedVersions: null }), false],
    ["not when its names are taken", crd({ conditions: [{ type: "Established", status: "False" }] }), false],
    ["when the server says so", crd({ conditions: [{ type: "Established", status: "True" }] }), true],
  ])("%s", (_name, object, want) => expect(isEstablished(object)).toBe(want));
});
