import { expect, test } from "vitest";
import { HUB_VERSION_ANNOTATION } from "../../apis/index.ts";
import { hubVersionOf, withHubVersion } from "./hubVersion.ts";
import { row as applyRow } from "../testing/builders.ts";

const annotated = (version: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "shop", annotations: { [HUB_VERSION_ANNOTATION]: version } },
});

test("what is sent says from which state of the hub it comes, and the row stays as it is", () => {
  const row = { ...applyRow(), hubVersion: "1001" };
  const sent = withHubVersion(row);
  expect(hubVersionOf(sent.object)).toBe("1001");
  expect(sent.hash).toBe(row.hash);
  expect(row.object.metadata.annotations ?? {}).not.toHaveProperty([HUB_VERSION_ANNOTATION]);
  const unknown = applyRow();
  expect(withHubVersion(unknown)).toBe(unknown);
});

test.each(["", "0", "-1", "1e9", "later", "01", "9".repeat(21)])("%j is no state of the hub", (version) =>
  expect(hubVersionOf(annotated(version))).toBeUndefined(),
);
