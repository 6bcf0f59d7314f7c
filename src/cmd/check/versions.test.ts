import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { isOlder, minorsApart, OLDEST_HUB } from "./versions.ts";

describe("versions of Kubernetes", () => {
  test.each([
    ["v1.30.9", "1.31", true],
    ["v1.31.0", "1.31", false],
    ["v1.31.0-eks-1", "1.31", false],
    ["v1.9.0", "1.31", true],
    ["v2.0.0", "1.31", false],
    ["unknown", "1.31", false],
  ])("%s is older than %s: %s", (version, than, want) => expect(isOlder(version, than)).toBe(want));

  test.each([
    ["v1.31.0", "v1.35.4", 4],
    ["v1.35.4", "v1.31.0", 4],
    ["v1.35.4", "v2.0.0", 0],
    ["", "v1.35.4", 0],
  ])("%s and %s are %s minor versions apart", (a, b, want) => expect(minorsApart(a, b)).toBe(want));

  test("the oldest hub is the one of the chart", async () => {
    const chart = await readFile(new URL("../../../charts/meridian/Chart.yaml", import.meta.url), "utf8");
    expect(chart).toContain(`kubeVersion: ">=${OLDEST_HUB}.0-0"`);
  });
});
