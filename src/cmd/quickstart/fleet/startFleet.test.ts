import { describe, expect, test } from "vitest";
import { withRegions } from "./givenFleet.ts";
import { chooseRegions } from "./startFleet.ts";

const ALL = ["a", "b", "c", "d", "e", "f"];

describe("regions", () => {
  test.each([
    { name: "four by default", wanted: undefined, kept: [], want: ["a", "b", "c", "d"] },
    { name: "the first of the sample", wanted: 2, kept: [], want: ["a", "b"] },
    { name: "all of them", wanted: 6, kept: [], want: ALL },
    { name: "those that were kept, by default", wanted: undefined, kept: ["a", "b"], want: ["a", "b"] },
    { name: "those that were kept and more", wanted: 3, kept: ["a", "b"], want: ["a", "b", "c"] },
    { name: "not fewer than were kept", wanted: 1, kept: ["a", "b"], want: ["a", "b"] },
  ])("are $name", ({ wanted, kept, want }) => {
    expect(chooseRegions(wanted, kept, ALL)).toEqual(want);
  });

  test("more than there are cannot be had", () => {
    expect(() => chooseRegions(7, [], ALL)).toThrow("there are 6 regions in placements/, not 7");
  });
});

describe("clusters of the person", () => {
  const cluster = (name: string, region?: string) => ({
    name,
    kubeconfigFile: name,
    ...(region === undefined ? {} : { region }),
  });

  test("without a region take the sample's in order, without those that are taken", () => {
    const regions = withRegions([cluster("m1"), cluster("m2", "a"), cluster("m3")], ALL).map(({ region }) => region);
    expect(regions).toEqual(["b", "a", "c"]);
  });

  test("may be more than there are regions", () => {
    const regions = withRegions([cluster("m1"), cluster("m2"), cluster("m3")], ["a", "b"]).map(({ region }) => region);
    expect(regions).toEqual(["a", "b", "a"]);
  });
});
