import { expect, test } from "vitest";
import { HUB_VERSION_ANNOTATION } from "../../apis/index.ts";
import { hubVersionOf, withHubVersion } from "./hubVersion.ts";
import { row as applyRow } from "../testing/builders.ts";

test("the sent object has the hub's version as an annotation, and the row itself stays unchanged", () => {
  const { object } = applyRow();
  const metadata = { ...object.metadata, annotations: { b: "c" } };
  const row = applyRow({ hubVersion: "1001", object: { ...object, metadata } });
  const sent = withHubVersion(row);
  expect(sent.object.metadata.annotations).toEqual({ b: "c", [HUB_VERSION_ANNOTATION]: "1001" });
  expect([hubVersionOf(sent.object), sent.hash, hubVersionOf(row.object)]).toEqual(["1001", row.hash, undefined]);
  const unknown = applyRow();
  expect(withHubVersion(unknown)).toBe(unknown);
});

test.each([
  ["9".repeat(20), "9".repeat(20)],
  ["9".repeat(21), undefined],
  ...["", "0", "-1", "1e9", "later", "01", "1x", "x1"].map((version) => [version, undefined]),
])("the annotation %j gives the version %j", (version, want) => {
  const metadata = { name: "shop", annotations: { [HUB_VERSION_ANNOTATION]: version ?? "" } };
  expect(hubVersionOf({ apiVersion: "v1", kind: "ConfigMap", metadata })).toBe(want);
});
