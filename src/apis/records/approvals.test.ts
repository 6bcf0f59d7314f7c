import { describe, expect, test } from "vitest";
import { approvalProblems, rolloutApprovalsIn } from "./approvals.ts";
import { ROLLOUT_APPROVALS_ANNOTATION } from "../metadata/wellknown.ts";

const RUN = { revision: 2, run: "2026-11-22T08:00:00Z" };
const LATER = "2026-11-22T09:00:00Z";

const object = (text: string | undefined) => ({
  metadata: { name: "shop", ...(text === undefined ? {} : { annotations: { [ROLLOUT_APPROVALS_ANNOTATION]: text } }) },
});
const textOf = (value: string | object | undefined): string | undefined =>
  typeof value === "object" ? JSON.stringify(value) : value;
const bob = { ...RUN, approvals: { canary: "bob" } };

describe("what alice writes", () => {
  test.each<[name: string, now: string | object | undefined, problems: string[], before?: string | object | undefined]>(
    [
      ["her own approval", { ...RUN, approvals: { canary: "alice" } }, []],
      ["somebody else's", bob, ["canary by bob"]],
      ["one that stood there before", { ...RUN, approvals: { canary: "bob", asia: "alice" } }, [], bob],
      ["one for an earlier revision", { ...bob, revision: 3 }, ["canary by bob"], bob],
      ["one for an earlier run", { ...bob, run: LATER }, ["canary by bob"], bob],
      ["one for another stage", { ...RUN, approvals: { asia: "bob" } }, ["asia by bob"], bob],
      [
        "her own beside one of an earlier run",
        { ...RUN, run: LATER, approvals: { canary: "bob", asia: "alice" } },
        ["canary by bob"],
        bob,
      ],
      [
        "a name that JSON says in another way",
        JSON.stringify(bob).replace("bob", String.raw`\u0062ob`),
        ["canary by bob"],
      ],
      [
        "a key twice: the last one counts, as it does when it is read",
        JSON.stringify(bob).replace('"bob"', '"alice","canary":"bob"'),
        ["canary by bob"],
      ],
      ["approvals twice", JSON.stringify(bob).replace("{", '{"approvals":{"canary":"alice"},'), ["canary by bob"]],
      [
        "a stage that is called as what every object has",
        { ...RUN, approvals: { constructor: "bob" } },
        ["constructor by bob"],
        { ...RUN, approvals: {} },
      ],
      ["approvals of no run", { revision: 2, approvals: { canary: "alice" } }, ["Unreadable"]],
      ["nobody's approval", { ...RUN, approvals: { canary: "" } }, ["Unreadable"]],
      ["no JSON", "{", ["Unreadable"]],
      ["more than is read", JSON.stringify(bob).padEnd(64 * 1024 + 1), ["Unreadable"]],
      ["deeper than anybody means", "[".repeat(60_000) + "]".repeat(4), ["Unreadable"]],
      ["what stood there, though it is not understood", "{", [], "{"],
      ["nothing any more", undefined, [], bob],
      ["nothing", undefined, []],
    ],
  )("%s", (_name, now, problems, before) => {
    const found = approvalProblems(object(textOf(now)), before === undefined ? null : object(textOf(before)), "alice");
    expect(found.map((one) => (one.kind === "Forged" ? `${one.stage} by ${one.by}` : one.kind))).toEqual(problems);
  });

  test("without a name is nobody's", () => {
    expect(approvalProblems(object(JSON.stringify(bob)), undefined, "")).toHaveLength(1);
  });
});

test("approvals are read as they stand, or not at all", () => {
  expect(rolloutApprovalsIn(JSON.stringify(bob))).toEqual(bob);
  expect(rolloutApprovalsIn(JSON.stringify({ ...bob, more: true }))).toBeUndefined();
  expect(rolloutApprovalsIn(undefined)).toBeUndefined();
});
