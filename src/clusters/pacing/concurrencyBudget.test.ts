import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { ConcurrencyBudget } from "./concurrencyBudget.ts";

describe("the share of a member", () => {
  test("is equal among the members with work", () => {
    const shares = new ConcurrencyBudget(() => 200);
    shares.setWorking("a", true);
    expect(shares.of("a")).toBe(256);
    for (const name of ["b", "c", "d"]) shares.setWorking(name, true);
    expect(shares.of("a")).toBe(64);
    for (const name of ["b", "c"]) shares.setWorking(name, false);
    expect(shares.of("a")).toBe(128);
  });

  test("without work is equal among all members", () => {
    const shares = new ConcurrencyBudget(() => 64);
    expect(shares.of("a")).toBe(4);
    shares.setWorking("a", true);
    shares.setWorking("a", false);
    expect(shares.of("a")).toBe(4);
  });

  test("is one at least", () => {
    const shares = new ConcurrencyBudget(() => 1_000);
    expect(shares.of("a")).toBe(1);
    for (let n = 0; n < 1_000; n += 1) shares.setWorking(`m${n}`, true);
    expect(shares.of("m1")).toBe(1);
    expect(new ConcurrencyBudget(() => 0).of("a")).toBe(256);
  });

  test.prop([fc.integer({ min: 1, max: 256 }), fc.integer({ min: 0, max: 256 })])(
    "adds up to the maximum at most, while each gets one",
    (members, working) => {
      const shares = new ConcurrencyBudget(() => members);
      const names = Array.from({ length: members }, (_, index) => `m${index}`);
      for (const name of names.slice(0, working)) shares.setWorking(name, true);
      const busy = names.slice(0, working).reduce((sum, name) => sum + shares.of(name), 0);
      const idle = names.reduce((sum, _, index) => sum + (index < working ? 0 : shares.of(names[index] ?? "")), 0);
      expect(busy).toBeLessThanOrEqual(256);
      expect(idle).toBeLessThanOrEqual(256);
    },
  );
});
