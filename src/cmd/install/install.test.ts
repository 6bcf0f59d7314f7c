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
    { name: "not before it exists", object: undefined, want: false },
    { name: "not without a status", object: crd(undefined), want: false },
    {
      name: "not while the server has said nothing: null",
      object: crd({ conditions: null, storedVersions: null }),
      want: false,
    },
    {
      name: "not when its names are taken",
      object: crd({ conditions: [{ type: "Established", status: "False" }] }),
      want: false,
    },
    {
      name: "when the server says so",
      object: crd({ conditions: [{ type: "Established", status: "True" }] }),
      want: true,
    },
  ])("$name", ({ object, want }) => expect(isEstablished(object)).toBe(want));
});
