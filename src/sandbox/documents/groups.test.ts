import { describe, expect, test } from "vitest";
import { test as property, fc } from "@fast-check/vitest";
import { compareVersions } from "./index.ts";

describe("versions", () => {
  test("are ordered by stability, then by number", () => {
    const versions = [
      "v1alpha1",
      "v1",
      "v2beta1",
      "foo10",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "v10",
      "v2",
    ];
    expect(versions.sort(compareVersions)).toEqual([
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v2beta1",
      "v12alpha1",
      "v11alpha2",
      "v1alpha1",
      "foo1",
      "foo10",
    ]);
  });

  const name = fc.oneof(fc.stringMatching(/^v[1-9]((alpha|beta)[1-9])?$/), fc.stringMatching(/^[a-z]{1,3}$/));
  property.prop([name, name, name])("are in one order", (a, b, c) => {
    expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
    if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
  });
});
