import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { listedOverrides, overridesIn } from "./overrides.ts";

const effect = (names: string[]) => ({
  policies: names.map((name) => ({ kind: "OverridePolicy", namespace: "default", name })),
  superseded: [],
  patches: [],
});

describe("the override policies that an entry lists", () => {
  test("are none where none took effect", () => {
    expect(listedOverrides(undefined)).toEqual({});
    expect(listedOverrides(effect([]))).toEqual({});
  });

  test.prop([fc.array(fc.string({ minLength: 1, maxLength: 253 }), { maxLength: 40 })])(
    "are the last ones, as many as keep the entry small, and the rest is counted",
    (names) => {
      const texts = names.map((name) => `OverridePolicy/${name}`);
      const fits = (count: number): boolean => count <= 10 && texts.slice(-count).join("").length <= 600;
      const count = texts.findLastIndex((_, index) => fits(index + 1)) + 1;
      const { overrides = [], moreOverrides = 0 } = listedOverrides(effect(names));
      expect(overrides).toEqual(texts.slice(names.length - count));
      expect(moreOverrides).toBe(names.length - count);
    },
  );

  test("are those of before where nothing else is known, and nothing else of that entry", () => {
    expect([overridesIn(undefined), overridesIn({ name: "a" })]).toEqual([{}, {}]);
    const listed = { overrides: ["k/x"], moreOverrides: 3 };
    expect(overridesIn({ name: "a", ...listed })).toEqual(listed);
  });
});
