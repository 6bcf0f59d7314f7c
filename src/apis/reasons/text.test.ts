import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { namesText, pointOf, shortMessage, shortName, shortPoint } from "./text.ts";

describe("shortMessage", () => {
  test.each<[string, number, string]>([
    ["short", 10, "short"],
    ["exactly 10", 10, "exactly 10"],
    ["one two three four", 12, "one two…"],
    ["one two three four", 14, "one two three…"],
    ["one two, three", 10, "one two…"],
    ["onewordthatislong", 10, "onewordth…"],
    ["a verylongwordfollows", 10, "a verylon…"],
    ["abcde fghijk", 10, "abcde…"],
    ["abcd, efghijk", 10, "abcd…"],
    ["one two,; three", 11, "one two…"],
    ["\u{1F600}12345678901", 10, "\u{1F600}1234567…"],
    ["lines\n  are\tjoined ", 40, "lines are joined"],
    ["12345678\u{1F600}90", 10, "12345678…"],
  ])("%j in %i", (text, limit, want) => expect(shortMessage(text, limit)).toBe(want));

  test.prop([fc.string({ unit: "grapheme", maxLength: 400 })])(
    "is one line of at most 120 characters, and stays as it is when cut again",
    (text) => {
      const message = shortMessage(text);
      expect(message.length).toBeLessThanOrEqual(120);
      expect(message).not.toMatch(/[\n\t]/);
      expect(shortMessage(message)).toBe(message);
    },
  );
});

test.each<[string[], string]>([
  [["a"], "a"],
  [["a", "b", "c"], "a, b, c"],
  [["a", "b", "c", "d", "e"], "a, b, c and 2 more"],
])("of %j the first three are named", (names, want) => expect(namesText(names)).toBe(want));

test("a name within a sentence is cut where it is too long", () => {
  expect(shortName("regional")).toBe("regional");
  expect(shortName("x".repeat(60), 10)).toBe(`${"x".repeat(9)}…`);
});

describe("the point of what a server says", () => {
  test.each([
    ['deployments.apps "shop" is forbidden: exceeded quota: few, used: 1', "exceeded quota: few, used: 1"],
    [
      'deployments.apps "shop" is forbidden: User "system:serviceaccount:a:b" cannot patch resource "deployments"',
      'Meridian\'s account cannot patch resource "deployments"',
    ],
    [
      "failed to create typed patch object (default/shop; apps/v1, Kind=Deployment): .spec.replicas: expected numeric",
      ".spec.replicas: expected numeric",
    ],
    [
      "failed to create typed patch object (default/shop; apps/v1, Kind=Deployment): errors:\n  .spec.a: no\n  .spec.b: no",
      ".spec.a: no .spec.b: no",
    ],
    ['Service "shop" is invalid: spec.type: Unsupported value: "x"', 'spec.type: Unsupported value: "x"'],
    [
      'admission webhook "guard.example.com" denied the request: no latest tags',
      "webhook guard.example.com: no latest tags",
    ],
    [
      "deployments.apps \"shop\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too big",
      "admission policy p: too big",
    ],
    [
      'Internal error occurred: failed calling webhook "w": failed to call webhook: Post "https://w.ns.svc:443/x?timeout=10s": refused',
      "webhook w: refused",
    ],
    [
      "failed to convert new object (default/w; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: quantities must match the regular expression",
      "quantities must match the regular expression",
    ],
    ["failed to convert merged object at version apps/v1: .spec.a: no", ".spec.a: no"],
    ["failed to create manager for existing fields: failed to convert new object (a) to b: .spec.a: no", ".spec.a: no"],
    [
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field A.b of type int32',
      "cannot unmarshal string into Go struct field A.b of type int32",
    ],
    [
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.x"',
      'unknown field "spec.x"',
    ],
    ["etcd is away", "etcd is away"],
    [" ", ""],
  ])("%s", (text, want) => expect(pointOf(text)).toBe(want));
});

describe("the point in short: what is wrong, after the end of the field's name, without the value", () => {
  test.each([
    [
      '.spec.template.spec.containers[name="w"].image: expected string, got 5',
      '…containers[name="w"].image: expected string, got 5',
    ],
    ["spec.template.spec.containers[0].resources.requests: Invalid value", "…resources.requests: Invalid value"],
    ['.spec.template.metadata.labels[a="x.y"]: no', '…metadata.labels[a="x.y"]: no'],
    [".spec.replicas: no", ".spec.replicas: no"],
    [
      'spec.selector: Invalid value: {"matchLabels":{"app":"w"}}: field is immutable',
      "spec.selector: field is immutable",
    ],
    [
      'spec.clusterIPs: Invalid value: ["9.9.9.9"]: failed to allocate IP 9.9.9.9: out of range; spec.a.b.c: Invalid value: 5: no',
      "spec.clusterIPs: failed to allocate IP 9.9.9.9: out of range; spec.a.b.c: no",
    ],
    ['spec.selector: Invalid value: v1.Selector{A:map[string]string{"a":"b"}, B:nil}: no', "spec.selector: no"],
    ["Invalid value: what", "Invalid value: what"],
    ["field is immutable", "field is immutable"],
    ["a sentence. With more of it: no", "a sentence. With more of it: no"],
  ])("%s", (text, want) => expect(shortPoint(text)).toBe(want));
});
