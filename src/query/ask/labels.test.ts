import { describe, expect, test } from "vitest";
import { matchesExpressions } from "../../apis/index.ts";
import { parseLabelSelector } from "./labels.ts";

describe("a label selector", () => {
  test.each([
    ["tier=gold", { tier: "gold" }, true],
    ["tier==gold", { tier: "tin" }, false],
    ["tier!=gold", {}, true],
    ["tier!=gold", { tier: "gold" }, false],
    ["tier in (gold, tin)", { tier: "tin" }, true],
    ["tier in (gold,tin)", {}, false],
    ["tier notin (gold,tin)", { tier: "lead" }, true],
    ["tier notin (gold,tin)", {}, true],
    ["tier", { tier: "" }, true],
    ["tier", {}, false],
    ["!tier", {}, true],
    ["!tier", { tier: "gold" }, false],
    ["example.com/tier=gold,app in (a,b),!old", { "example.com/tier": "gold", app: "b" }, true],
    ["example.com/tier=gold,app in (a,b),!old", { "example.com/tier": "gold", app: "b", old: "" }, false],
    ["tier=", { tier: "" }, true],
    ["constructor", {}, false],
  ])("%s of %j: %s", (text, labels, want) => {
    const requirements = parseLabelSelector(text);
    expect(Array.isArray(requirements) && matchesExpressions(requirements, labels as Record<string, string>)).toBe(
      want,
    );
  });

  test.each(["a=b=c", "in (a)", "a in a", "a in (b", "a,,b", "a in (b c)", "=b", "a ! b", "a".repeat(5_000)])(
    "%s is refused",
    (text) => expect(parseLabelSelector(text)).toEqual(expect.any(String)),
  );
});
