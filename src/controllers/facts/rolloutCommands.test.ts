import { describe, expect, test } from "vitest";
import {
  type ApproversProven,
  type KubeObject,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
} from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { commandsOf } from "./rolloutCommands.ts";
import { app } from "../testing/planning.ts";

const STARTED = "2026-01-01T00:00:00Z";
const RUN = { revision: 2, run: STARTED };
const run = { state: "Progressing", revision: 2, startedAt: STARTED } as const;

/** The commands for the run, from these annotations. */
function asked(annotations: Record<string, string>, proven?: ApproversProven) {
  const hub = { kindOf: () => ({ propagated: false }) } as unknown as HubCache;
  const since = proven === undefined ? {} : { approversProvenSince: (_: KubeObject) => proven };
  return commandsOf({ hub, ...since }, app({ annotations }), 2, run);
}
const approved = (value: object): Record<string, string> => ({ [ROLLOUT_APPROVALS_ANNOTATION]: JSON.stringify(value) });

describe("an approval", () => {
  const approvals = { canary: "alice" };

  test.each<{ name: string; said: object; want: object }>([
    { name: "counts for its run", said: { ...RUN, approvals }, want: approvals },
    { name: "does not count for another revision", said: { ...RUN, revision: 1, approvals }, want: {} },
    {
      name: "does not count for an earlier run of the revision",
      said: { ...RUN, run: "2025-01-01T00:00:00Z", approvals },
      want: {},
    },
  ])("$name", ({ said, want }) => {
    expect(Object.fromEntries(asked(approved(said)).commands.approvals)).toEqual(want);
  });

  test("in the format of an earlier release does not count, and the pause beside it does", () => {
    const old = { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify({ revision: 2, paused: true, approvals }) };
    expect(asked(old).commands).toMatchObject({ paused: true, approvals: new Map(), hasOldApprovals: true });
  });

  test.each<{ name: string; proven?: ApproversProven; want: boolean }>([
    { name: "the API server does not ask", proven: "Never", want: false },
    { name: "the API server has asked since before the run", proven: Date.parse(STARTED), want: true },
    { name: "the API server began to ask during the run", proven: Date.parse(STARTED) + 1, want: false },
  ])("is verified where $name: $want", ({ proven, want }) => {
    const { commands, isUnproven } = asked(approved({ ...RUN, approvals }), proven);
    expect([commands.areApproversVerified, isUnproven]).toEqual([want, false]);
  });

  test("is waited with until it is known what the API server asks; without approvals nothing is", () => {
    expect(asked(approved({ ...RUN, approvals }), "Unread").isUnproven).toBe(true);
    expect(asked({}, "Unread").isUnproven).toBe(false);
  });
});
