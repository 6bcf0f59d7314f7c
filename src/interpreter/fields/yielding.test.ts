import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { hubOwnedFields, withKept } from "./hubOwned.ts";
import { isPlaceholder, withoutPlaces } from "./yielding.ts";

const thing = (fields: object): KubeObject => ({ apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, ...fields });

test.each<[string, string, unknown, boolean]>([
  ["an empty text", "f:a", "", true],
  ["a text that says so", "f:a", "CHANGE-ME", true],
  ["base64 of a text that says so", "f:a", "cGxhY2Vob2xkZXI=", true],
  ["a variable", "f:a", "${CA_BUNDLE}", true],
  ["an empty list", "f:a", [], true],
  ["any certificate bundle", "f:caBundle", "LS0tLS1CRUdJTg==", true],
  ["an image", "f:image", "nginx:1.27", false],
  ["a number", "f:replicas", 0, false],
  ["a long text", "f:a", " ".repeat(200), false],
])("%s (%s): %j stands for another value: %s", (_name, element, value, want) => {
  expect(isPlaceholder(element, value)).toBe(want);
});

describe("places in lists", () => {
  const object = thing({
    hooks: [
      { name: "a", ca: "1", url: "u" },
      { name: "b", ca: "2" },
    ],
    set: ["x", "y"],
  });

  test("lose what stands there, and keep the items", () => {
    const places = [
      ["f:hooks", 'k:{"name":"a"}', "f:ca"],
      ["f:set", 'v:"x"'],
    ];
    const rest = withoutPlaces(object, places);
    expect(rest).toMatchObject({
      hooks: [
        { name: "a", url: "u" },
        { name: "b", ca: "2" },
      ],
      set: ["y"],
    });
    expect(withoutPlaces(object, [["f:hooks", 'k:{"name":"z"}', "f:ca"], ["f:none"]])).toBe(object);
  });

  test("get what was sent before", () => {
    const kept = [
      { elements: ["f:hooks", 'k:{"name":"b"}', "f:url"], value: "v" },
      { elements: ["f:hooks", 'k:{"name":"c"}', "f:ca"], value: "3" },
      { elements: ["f:hooks", 'k:{"name":"a"}', "f:ca"], value: "never: the object has one" },
      { elements: ["f:set", 'v:"z"'], value: "z" },
    ];
    expect(withKept(object, kept)).toMatchObject({
      hooks: [
        { name: "a", ca: "1", url: "u" },
        { name: "b", ca: "2", url: "v" },
        { name: "c", ca: "3" },
      ],
      set: ["x", "y", "z"],
    });
  });
});

describe("what controllers of the hub own", () => {
  const byHub = (kind: string, fieldsV1: object): KubeObject => ({
    ...thing({ spec: { a: 1, b: 2 }, data: { token: "t" }, status: { x: 1 } }),
    kind,
    metadata: {
      name: "x",
      labels: { l: "1" },
      annotations: { "deployment.kubernetes.io/revision": "1" },
      managedFields: [
        { manager: "kube-controller-manager", operation: "Update", fieldsV1: fieldsV1 as never },
        { manager: "meridian", operation: "Update", fieldsV1: { "f:spec": { "f:b": {} } } },
      ],
    },
  });
  const fields = {
    "f:metadata": {
      "f:labels": { ".": {}, "f:l": {} },
      "f:annotations": { "f:deployment.kubernetes.io/revision": {} },
      "f:finalizers": { ".": {} },
    },
    "f:spec": { "f:a": {} },
    "f:status": { "f:x": {} },
  };

  test("stands on the hub where it is not sent, but for its notes, its status and Meridian's own", () => {
    expect(hubOwnedFields(byHub("Thing", fields), thing({}))).toEqual([
      { elements: ["f:metadata", "f:labels", "f:l"], value: "1" },
      { elements: ["f:spec", "f:a"], value: 1 },
    ]);
    expect(hubOwnedFields(byHub("Thing", { "f:spec": { "f:a": {} } }), thing({ spec: { a: 1 } }))).toBeUndefined();
  });

  test.each(["Secret", "ServiceAccount"])("of a %s is never asked for", (kind) => {
    expect(hubOwnedFields(byHub(kind, { "f:data": { "f:token": {} } }), thing({}))).toBeUndefined();
  });
});
