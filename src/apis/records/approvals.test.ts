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
  test.each<{ name: string; now: string | object | undefined; before?: string | object; problems: string[] }>([
    { name: "her own approval", now: { ...RUN, approvals: { canary: "alice" } }, problems: [] },
    { name: "somebody else's", now: bob, problems: ["canary by bob"] },
    {
      name: "one that stood there before",
      now: { ...RUN, approvals: { canary: "bob", asia: "alice" } },
      before: bob,
      problems: [],
    },
    { name: "one for an earlier revision", now: { ...bob, revision: 3 }, before: bob, problems: ["canary by bob"] },
    { name: "one for an earlier run", now: { ...bob, run: LATER }, before: bob, problems: ["canary by bob"] },
    {
      name: "one for another stage",
      now: { ...RUN, approvals: { asia: "bob" } },
      before: bob,
      problems: ["asia by bob"],
    },
    {
      name: "her own beside one of an earlier run",
      now: { ...RUN, run: LATER, approvals: { canary: "bob", asia: "alice" } },
      before: bob,
      problems: ["canary by bob"],
    },
    {
      name: "a name that JSON says in another way",
      now: JSON.stringify(bob).replace("bob", String.raw`\u0062ob`),
      problems: ["canary by bob"],
    },
    {
      name: "a key twice: the last one counts, as it does when it is read",
      now: JSON.stringify(bob).replace('"bob"', '"alice","canary":"bob"'),
      problems: ["canary by bob"],
    },
    {
      name: "approvals twice",
      now: JSON.stringify(bob).replace("{", '{"approvals":{"canary":"alice"},'),
      problems: ["canary by bob"],
    },
    {
      name: "a stage that is called as what every object has",
      now: { ...RUN, approvals: { constructor: "bob" } },
      before: { ...RUN, approvals: {} },
      problems: ["constructor by bob"],
    },
    { name: "approvals of no run", now: { revision: 2, approvals: { canary: "alice" } }, problems: ["Unreadable"] },
    { name: "nobody's approval", now: { ...RUN, approvals: { canary: "" } }, problems: ["Unreadable"] },
    { name: "no JSON", now: "{", problems: ["Unreadable"] },
    { name: "more than is read", now: JSON.stringify(bob).padEnd(64 * 1024 + 1), problems: ["Unreadable"] },
    { name: "deeper than anybody means", now: "[".repeat(60_000) + "]".repeat(4), problems: ["Unreadable"] },
    { name: "what stood there, though it is not understood", now: "{", before: "{", problems: [] },
    { name: "nothing any more", now: undefined, before: bob, problems: [] },
    { name: "nothing", now: undefined, problems: [] },
  ])("$name", ({ now, before, problems }) => {
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
