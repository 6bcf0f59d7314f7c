import { describe, expect, test } from "vitest";
import { type LabelSelector, matchesSelector } from "./labelSelectors.ts";

const expression = (operator: string, value: string): LabelSelector => ({
  matchExpressions: [{ key: "a", operator, values: [value] }],
});

describe("matchesSelector", () => {
  test.each<
    [name: string, selector: LabelSelector | undefined, labels: Record<string, string> | undefined, want: boolean]
  >([
    ["an empty selector matches everything", {}, undefined, true],
    ["no selector matches nothing", undefined, { a: "1" }, false],
    ["all matchLabels are needed", { matchLabels: { a: "1", b: "2" } }, { a: "1" }, false],
    ["NotIn matches an object without the label", expression("NotIn", "1"), {}, true],
    ["In does not", expression("In", "1"), {}, false],
    ["Gt compares numbers", expression("Gt", "9"), { a: "10" }, true],
    ["an operator that does not exist matches nothing", expression("Like", "1"), { a: "1" }, false],
    ["a label of JavaScript's own is none", { matchLabels: { constructor: "x" } }, {}, false],
  ])("%s", (_, selector, labels, want) => expect(matchesSelector(selector, labels)).toBe(want));
});
