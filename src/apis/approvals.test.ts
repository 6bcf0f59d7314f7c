import { expect, test } from "vitest";
import { forgedApprovals } from "./approvals.ts";
import { ROLLOUT_COMMAND_ANNOTATION } from "./wellknown.ts";

const object = (command?: object) => ({
  metadata: {
    name: "shop",
    ...(command === undefined ? {} : { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify(command) } }),
  },
});

test.each<{ name: string; now: object; before?: object; forged: string[] }>([
  { name: "one's own approval", now: { revision: 2, approvals: { canary: "alice" } }, forged: [] },
  { name: "somebody else's", now: { revision: 2, approvals: { canary: "bob" } }, forged: ["canary"] },
  {
    name: "one that stood there before",
    now: { revision: 2, approvals: { canary: "bob", asia: "alice" } },
    before: { revision: 2, approvals: { canary: "bob" } },
    forged: [],
  },
  {
    name: "one that stood there for an earlier revision",
    now: { revision: 3, approvals: { canary: "bob" } },
    before: { revision: 2, approvals: { canary: "bob" } },
    forged: ["canary"],
  },
  {
    name: "one that stood there for an earlier run of the revision",
    now: { revision: 2, run: "2026-11-22T09:00:00Z", approvals: { canary: "bob" } },
    before: { revision: 2, run: "2026-11-22T08:00:00Z", approvals: { canary: "bob" } },
    forged: ["canary"],
  },
  {
    name: "one that stood there for every run, and now stands for one",
    now: { revision: 2, run: "2026-11-22T09:00:00Z", approvals: { canary: "bob" } },
    before: { revision: 2, approvals: { canary: "bob" } },
    forged: [],
  },
  { name: "another command", now: { revision: 2, paused: true }, forged: [] },
])("$name", ({ now, before, forged }) => {
  const found = forgedApprovals(object(now), before === undefined ? undefined : object(before), "alice");
  expect(found.map(({ stage }) => stage)).toEqual(forged);
});
