import { expect, test } from "vitest";
import type { RolloutStatus } from "../../../apis/index.ts";
import { draftOn, isMinorStep } from "./rolloutDraft.ts";

type State = NonNullable<NonNullable<RolloutStatus["stages"]>[number]["clusters"]>[number]["state"];

const rollout = (a: State, more: Partial<RolloutStatus> = {}): RolloutStatus => ({
  ...{ state: "Progressing", revision: 2 },
  stages: [
    {
      ...{ name: "one", state: "Progressing" },
      clusters: [
        { name: "a", state: a, since: a },
        { name: "b", state: "Waiting" },
      ],
    },
  ],
  ...more,
});

test.each<{ name: string; before: RolloutStatus | undefined; after: RolloutStatus; want: boolean }>([
  { name: "that a cluster is being verified", before: rollout("Applying"), after: rollout("Verifying"), want: true },
  { name: "nothing", before: rollout("Applying"), after: rollout("Applying"), want: false },
  { name: "that a cluster is done", before: rollout("Verifying"), after: rollout("Done"), want: false },
  { name: "that a cluster has failed", before: rollout("Applying"), after: rollout("Failed"), want: false },
  { name: "that a cluster has its turn", before: rollout("Waiting"), after: rollout("Applying"), want: false },
  { name: "the run itself", before: rollout("Applying"), after: rollout("Verifying", { revision: 3 }), want: false },
  { name: "everything, at the beginning", before: undefined, after: rollout("Applying"), want: false },
])("a step that changes $name can wait for the next one: $want", ({ before, after, want }) => {
  expect(isMinorStep(before, after)).toBe(want);
});

test("a draft counts only while the hub holds the rollout that the draft continues", () => {
  const draft = { base: rollout("Applying"), status: rollout("Verifying"), since: 0 };
  expect(draftOn(draft, rollout("Applying"))).toBe(draft);
  expect([draftOn(draft, rollout("Done")), draftOn(draft, undefined), draftOn(undefined, undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
