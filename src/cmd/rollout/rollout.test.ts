import { describe, expect, test } from "vitest";
import type { FederatedStatus, KeptRevision, KubeObject, RolloutCommand, RolloutStatus } from "../../apis/index.ts";
import { digestOf } from "../../hub/index.ts";
import { type Approve, approved, said, type Steer } from "./commands.ts";
import { foundRevision, goodBefore, linesOf } from "./revisions.ts";
import { historyText, rolloutText } from "./text.ts";

const [EARLIER, NOW] = ["2026-11-22T07:00:00Z", "2026-11-22T08:00:00Z"];
const PROGRESSING: RolloutStatus = {
  state: "Progressing",
  revision: 7,
  lastGoodRevision: 6,
  stages: [
    { name: "canary", state: "Succeeded", approvedBy: "alice", clusters: [{ name: "singapore-1", state: "Done" }] },
    {
      name: "asia",
      state: "Progressing",
      clusters: [
        { name: "shanghai-1", state: "Done" },
        { name: "shanghai-2", state: "Verifying", reason: "ImagePullBackOff" },
      ],
    },
    {
      name: "rest",
      state: "Waiting",
      clusters: [{ name: "frankfurt-1", state: "Deferred", reason: "ClusterUnreachable" }],
    },
  ],
};
const waiting: RolloutStatus = {
  ...PROGRESSING,
  state: "Paused",
  reason: "Gate",
  message: "stage canary waits for approval",
  stages: [{ name: "canary", state: "Paused", clusters: [] }],
};

const CONSTRUCTOR = { name: "constructor", state: "Paused" } as const;

const say = (verb: Steer["verb"], more: Partial<Steer> = {}) =>
  said({
    verb,
    object: "demoapplication/shop",
    status: PROGRESSING,
    before: undefined,
    now: NOW,
    ...more,
  });
const RUN = { revision: 7, run: EARLIER };
const approve = (more: Partial<Approve> = {}) =>
  approved({
    object: "demoapplication/shop",
    status: { ...waiting, startedAt: EARLIER },
    before: undefined,
    stage: undefined,
    user: "alice",
    ...more,
  });

test("a run that waits for others that have stopped names them, where the person may read the policy", () => {
  const planned: RolloutStatus = { state: "Planned", revision: 2, message: "waits for its turn" };
  const stopped = [
    { kind: "DemoApplication", namespace: "team-a", name: "shop", since: EARLIER, yieldsAt: NOW },
    { kind: "ClusterRole", name: "reader", since: EARLIER, yieldsAt: NOW },
  ];
  const text = rolloutText("demoapplication/cart", planned, stopped);
  expect(text).toContain(`DemoApplication team-a/shop has stopped since ${EARLIER}`);
  expect(text).toContain("ClusterRole reader has stopped");
  expect(rolloutText("demoapplication/cart", planned)).not.toContain("stopped");
});

describe("what a person says to a rollout", () => {
  test.each<{ name: string; verb: Steer["verb"]; more?: Partial<Steer>; command?: RolloutCommand; answer: string }>([
    { name: "pause", verb: "pause", command: { revision: 7, paused: true }, answer: "paused at revision 7" },
    {
      name: "pause, said twice",
      verb: "pause",
      more: { before: { revision: 7, paused: true } },
      answer: "already paused",
    },
    {
      name: "resume after pause",
      verb: "resume",
      more: { before: { revision: 7, paused: true } },
      command: { revision: 7, resumedAt: "2026-11-22T08:00:00Z" },
      answer: "resumed at revision 7",
    },
    { name: "resume of what goes on", verb: "resume", answer: "is not paused" },
    { name: "abort", verb: "abort", command: { revision: 7, abort: true }, answer: "aborted: revision 7" },
    {
      name: "abort without a run",
      verb: "abort",
      more: { status: { ...PROGRESSING, state: "Succeeded" } },
      answer: "nothing to abort",
    },
    {
      name: "abort of a run of which nothing was said yet, though its revision was aborted before",
      verb: "abort",
      more: { status: { ...PROGRESSING, startedAt: NOW }, before: { revision: 7, run: EARLIER, abort: true } },
      command: { revision: 7, run: NOW, abort: true },
      answer: "aborted: revision 7",
    },
    {
      name: "what was said of every run is said of this one",
      verb: "pause",
      more: { status: { ...PROGRESSING, startedAt: NOW }, before: { revision: 7, resumedAt: EARLIER } },
      command: { revision: 7, run: NOW, resumedAt: EARLIER, paused: true },
      answer: "paused at revision 7",
    },
  ])("$name", ({ verb, more, command, answer }) => {
    const result = say(verb, more);
    expect(result.command).toEqual(command);
    expect(result.answer).toContain(answer);
  });
});

describe("an approval", () => {
  test.each<{ name: string; more?: Partial<Approve>; approvals: Record<string, string> }>([
    { name: "is of the stage that waits", approvals: { canary: "alice" } },
    {
      name: "stands beside those of others for the run",
      more: { before: { ...RUN, approvals: { asia: "bob" } } },
      approvals: { asia: "bob", canary: "alice" },
    },
    {
      name: "puts an end to those of an earlier revision",
      more: { before: { ...RUN, revision: 6, approvals: { canary: "bob" } } },
      approvals: { canary: "alice" },
    },
    {
      name: "puts an end to those of an earlier run",
      more: { before: { ...RUN, run: NOW, approvals: { canary: "bob" } } },
      approvals: { canary: "alice" },
    },
    {
      name: "is of a stage with any name",
      more: { stage: "constructor", status: { ...PROGRESSING, startedAt: EARLIER, stages: [CONSTRUCTOR] } },
      approvals: { constructor: "alice" },
    },
  ])("$name", ({ more, approvals }) => expect(approve(more).approvals).toEqual({ ...RUN, approvals }));

  test("is given once", () => {
    const before = { ...RUN, approvals: { canary: "bob" } };
    expect(approve({ before })).toEqual({ answer: expect.stringContaining("already approved by bob") as string });
  });

  test("that cannot be meant is refused with what can", () => {
    const status = { ...PROGRESSING, startedAt: EARLIER };
    expect(() => approve({ status })).toThrow("no stage of demoapplication/shop waits for approval; give --stage NAME");
    expect(() => approve({ status, stage: "europe" })).toThrow("its stages are canary, asia, rest");
    expect(() => approve({ status: undefined })).toThrow("there is nothing to approve");
    expect(() => approve({ status: waiting })).toThrow("has not begun");
  });
});

const DATA = { object: {}, overrides: [] };

/** An entry of the index; `at`: when it was last rolled out to the end, where that is recorded. */
const revision = (number: number, at?: string): KeptRevision => ({
  ...{ revision: number, name: `shop-${number}`, hash: `h${number}`, digest: digestOf(DATA) },
  ...(at === undefined ? {} : { succeededAt: at }),
});
const stored = ({ name }: KeptRevision, data: unknown = DATA): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name, creationTimestamp: EARLIER },
  data,
});
const at = (state: RolloutStatus["state"], of: number, lastGoodRevision?: number): RolloutStatus => ({
  ...{ state, revision: of },
  ...(lastGoodRevision === undefined ? {} : { lastGoodRevision }),
});

describe("undo goes back to", () => {
  test.each<{ name: string; revisions: KeptRevision[]; status: RolloutStatus | undefined; want: number | string }>([
    {
      name: "the good one before the present one, past those that never were good",
      revisions: [revision(1, EARLIER), revision(2), revision(3), revision(4, NOW)],
      status: at("Succeeded", 4, 4),
      want: 1,
    },
    {
      name: "the last good one, of a rollout that is not good itself",
      revisions: [revision(1, EARLIER), revision(2, NOW), revision(3)],
      status: at("RolledBack", 3, 2),
      want: 2,
    },
    {
      name: "the last good one, of revisions from before that was recorded",
      revisions: [revision(1), revision(2)],
      status: at("Paused", 2, 1),
      want: 1,
    },
    {
      name: "where it came from, once it is back in an earlier revision",
      revisions: [revision(1, NOW), revision(2), revision(4, EARLIER)],
      status: at("Succeeded", 1, 1),
      want: 4,
    },
    {
      name: "the later one of two that were good in the same second",
      revisions: [revision(1, EARLIER), revision(2, EARLIER), revision(3, NOW)],
      status: at("Succeeded", 3, 3),
      want: 2,
    },
    {
      name: "none where none is known to have been good",
      revisions: [revision(1), revision(2, NOW)],
      status: at("Succeeded", 2, 2),
      want: "`meridian rollout history demoapplication/shop` lists the revisions: choose one with --to-revision",
    },
    {
      name: "none where there is no other",
      revisions: [revision(1, NOW)],
      status: at("Succeeded", 1, 1),
      want: "demoapplication/shop has no earlier revision to go back to: apply its earlier manifest instead",
    },
    { name: "none where nothing was rolled out", revisions: [], status: undefined, want: "has no earlier revision" },
  ])("$name", ({ revisions, status, want }) => {
    const found = (): number => goodBefore("demoapplication/shop", status && { ...status, revisions });
    if (typeof want === "number") expect(found()).toBe(want);
    else expect(found).toThrow(want);
  });
});

test("history says which revisions were good, and which cannot be used", () => {
  const kept = [revision(1, EARLIER), revision(2), revision(3, NOW), revision(4)];
  const revisions = kept.map((one) => foundRevision(one, stored(one)));
  const said = (status: RolloutStatus | undefined): string[] => linesOf(revisions, status).map(({ is }) => is);
  expect(said(at("RolledBack", 4, 3))).toEqual(["good", "", "last good", "RolledBack"]);
  expect(said(at("Succeeded", 3, 3))).toEqual(["good", "", "Succeeded, last good", ""]);
  expect(said(undefined)).toEqual(["good", "", "good", ""]);
  const [first, second] = [revision(1, EARLIER), revision(2)];
  const unusable = [foundRevision(first, undefined), foundRevision(second, stored(second, { object: 7 }))];
  expect(linesOf(unusable, undefined)).toEqual([
    { revision: 1, createdAt: "", image: "", is: expect.stringMatching(/^good, not usable: .*gone/) },
    { revision: 2, createdAt: EARLIER, image: "", is: expect.stringMatching(/^not usable: somebody has changed/) },
  ]);
});

test("history says the image of each revision, and why one was taken back", () => {
  const image = (name: string) => ({ object: { ...DATA.object, spec: { image: name } }, overrides: [] });
  const [good, bad] = [image("nginx:1"), image("nginx:2")];
  const one = (number: number, data: object): KeptRevision => ({ ...revision(number), digest: digestOf(data) });
  const found = [
    foundRevision(one(1, good), stored(one(1, good), good)),
    foundRevision(one(2, bad), stored(one(2, bad), bad)),
  ];
  const taken = { ...at("RolledBack", 2, 1), reason: "Failures" as const, message: "no such image" };
  expect(linesOf(found, taken).map(({ image: shown, is }) => [shown, is])).toEqual([
    ["nginx:1", "last good"],
    ["nginx:2", "RolledBack (Failures: no such image)"],
  ]);
});

test("the rollout as people read it", () => {
  expect(rolloutText("demoapplication/shop", PROGRESSING)).toBe(
    `demoapplication/shop: Progressing, revision 7, last good 6

STAGE   CLUSTER      STATE        REASON
canary               Succeeded    approved by alice
        singapore-1  Done
asia                 Progressing
        shanghai-1   Done
        shanghai-2   Verifying    ImagePullBackOff
rest                 Waiting
        frankfurt-1  Deferred     ClusterUnreachable
`,
  );
  const stages = [{ name: "canary", state: "Succeeded" as const, approvedBy: "bob", approverVerified: false }];
  expect(rolloutText("demoapplication/shop", { ...PROGRESSING, stages })).toContain("approved by bob (not verified)");
  expect(rolloutText("demoapplication/shop", waiting)).toMatch(
    /^\S+: Paused \(Gate\), revision 7.*\nstage canary waits/,
  );
  expect(historyText([{ revision: 6, createdAt: "2026-11-22T08:00:00Z", image: "nginx:1", is: "last good" }])).toBe(
    "REVISION  CREATED               IMAGE    CLUSTERS  IS\n6         2026-11-22T08:00:00Z  nginx:1  -         last good\n",
  );
});

test("history says on how many clusters each revision runs, where the status does", () => {
  const revisions = [revision(1, EARLIER), revision(2)].map((one) => foundRevision(one, stored(one)));
  const clustersOf = (state: RolloutStatus["state"], status: FederatedStatus): (number | undefined)[] =>
    linesOf(revisions, at(state, 2, 1), status).map(({ clusters }) => clusters);
  const versions = [
    { image: "nginx:2", revision: 2, wanted: true as const, clusters: 1 },
    { image: "nginx:1", revision: 1, clusters: 2 },
    { image: "m/nginx:1", revision: 1, clusters: 1 },
  ];
  const runs = { summary: "nginx:1 on 3 of 4", clusters: 4, differing: 3, versions };
  expect(clustersOf("Paused", { runs, availableClusters: "4/4" })).toEqual([3, 1]);
  expect(clustersOf("Succeeded", { runs: { summary: "nginx:2" }, availableClusters: "3/4" })).toEqual([0, 4]);
  expect(clustersOf("RolledBack", { availableClusters: "4/4" })).toEqual([undefined, undefined]);
  const text = historyText(linesOf(revisions, at("Paused", 2, 1), { runs }));
  expect(text.split("\n")[0]).toMatch(/REVISION +CREATED +IMAGE +CLUSTERS +IS/);
});
