import { expect, test } from "vitest";
import { apply, service } from "./testing.ts";
import { applyOperation, PatchError } from "./jsonPatch.ts";
import { RuleError } from "./ruleError.ts";

test("a rule that cannot be applied says why, in a word and in a sentence, and what it came from", () => {
  const cause = new PatchError("remove: /none does not exist");
  const error = new RuleError("InvalidPatch", "patch 0: /none does not exist", { cause });
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.reason, error.message]).toEqual([
    "RuleError",
    "InvalidPatch",
    "patch 0: /none does not exist",
  ]);
  expect(error.cause).toBe(cause);
  expect(String(error)).toBe("RuleError: patch 0: /none does not exist");
  expect(new RuleError("TooLarge", "it is too much")).not.toHaveProperty("cause");
});

test("an operation that cannot be done is told by another name than the rule that it is of", () => {
  expect(() => applyOperation({}, { op: "remove", path: "/none" })).toThrow(
    expect.objectContaining({ name: "PatchError", message: "remove: /none does not exist" }) as Error,
  );
  expect(apply({ patches: [{ op: "remove", path: "/none" }] }, [service]).problem).toMatchObject({
    reason: "InvalidPatch",
    message: "patch 0 on Service: remove: /none does not exist",
  });
});
