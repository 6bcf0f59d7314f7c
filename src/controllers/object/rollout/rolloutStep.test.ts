import { describe, expect, test } from "vitest";
import type { RolloutStatus } from "../../../apis/index.ts";
import { logLines } from "../../../observability/testing/logLines.ts";
import { CONTROLLERREVISIONS } from "../../../runtime/index.ts";
import { planOn } from "../../testing/copySources.ts";
import { APP } from "../../testing/planning.ts";
import { CANARY, imagesOf, rollingOut } from "../../testing/rollingOut.ts";
import { type Decide, type ObjectRollout, RolloutStep } from "./rolloutStep.ts";

const START = "2026-01-01T00:00:00Z";
const regarding = {
  ...{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop" },
  uid: "shop-uid",
};

async function staging(...given: Parameters<typeof rollingOut>) {
  const all = await rollingOut(...given);
  const counted: string[] = [];
  const decided: string[] = [];
  const { logger, lines } = logLines();
  const metrics = { rolloutTransition: (of: string, to: string) => void counted.push(`${of} ${to}`) };
  const staged = new RolloutStep({ ...all.sources, states: all.states, events: all.recorder, metrics });
  const of = async (...[current, change]: Parameters<typeof all.requestOf>): Promise<ObjectRollout | undefined> => {
    const decide: Decide = async (_target, rollout) => {
      decided.push(rollout?.state ?? "None");
      return { kind: "Recorded" };
    };
    const planned = await staged.of(APP, all.requestOf(current, change), decide, logger, all.signal);
    if (planned?.status !== undefined) all.index.of = planned.status.revisions;
    return planned;
  };
  const notes = (): string[] => all.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  return { ...all, stage: staged, of, counted, decided, notes, lines };
}

describe("an object that is rolled out in stages", () => {
  test("has its state on the hub before rows follow", async () => {
    const { of, decided } = await staging(CANARY);
    const first = await of();
    expect(first).toMatchObject({ isUnderWay: true, awaitsContact: false });
    expect(first?.status).toMatchObject({ state: "Progressing", revision: 1 });
    expect(first?.step).toEqual({ rollout: { waiting: new Set(["b"]), returning: new Set(), kept: new Set() } });
    expect([first && imagesOf(first.target), first?.recheckAt]).toEqual([
      ["a nginx:1"],
      Date.parse("2026-01-01T00:10:00Z"),
    ]);
    expect(decided).toEqual(["Progressing"]);
  });

  test.each([{ kind: "Failed", error: new Error("etcd is away") } as const, { kind: "Stale" } as const])(
    "reports and asks nothing where its state is not on the hub: $kind",
    async (result) => {
      const { stage, requestOf, notes, gateCalls, signal } = await staging(CANARY);
      const { logger } = logLines();
      const planned = stage.of(APP, requestOf(), () => Promise.resolve(result), logger, signal);
      if (result.kind === "Failed") await expect(planned).rejects.toBe(result.error);
      else expect((await planned)?.decision).toEqual(result);
      expect([notes(), gateCalls.filter((call) => !call.startsWith("replies"))]).toEqual([[], []]);
    },
  );

  test("is over when it is everywhere, unless clusters come late", async () => {
    const { of, has, requestOf, contact } = await staging(CANARY);
    const first = await of();
    for (const name of ["a", "b"]) has(name, requestOf().target);
    const done = await of(first?.status);
    expect(done).toMatchObject({ isUnderWay: false, status: { state: "Succeeded" } });
    expect(done && "recheckAt" in done).toBe(false);

    const late = await staging(CANARY);
    const begun = await late.of();
    late.contact("b", { ok: false });
    late.has("a", late.requestOf().target);
    const succeeded = await late.of((await late.of(begun?.status))?.status);
    expect(succeeded).toMatchObject({ isUnderWay: true, status: { state: "Succeeded" } });
    const { revisions = [] } = succeeded?.status ?? {};
    const back: RolloutStatus = { state: "RolledBack", revision: 1, startedAt: START, since: START, revisions };
    expect(await late.of(back)).toMatchObject({ isUnderWay: true, status: back });
    contact("b", {});
  });

  test("waits for clusters that have not been heard of, though the hub holds its state", async () => {
    const { of, contact } = await staging(CANARY);
    const first = await of();
    contact("b", { pending: true });
    expect(await of(first?.status)).toMatchObject({ isUnderWay: true, awaitsContact: true });
  });

  test.each([
    ["is gone", undefined, "RevisionMissing"],
    ["was changed", { object: 7 }, "RevisionChanged"],
  ])("says once that its last good revision %s", async (_name, data, reason) => {
    const { of, succeed, setImage, server, shared, notes, lines } = await staging(CANARY);
    const { status: good } = await succeed();
    await setImage("nginx:2");
    const [{ name } = { name: "" }] = good.revisions ?? [];
    server.delete(CONTROLLERREVISIONS, "default", name);
    const body = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name, namespace: "default" }, data };
    if (data !== undefined) server.create(CONTROLLERREVISIONS, body);
    shared.revisions.forget("shop-uid");
    const next = await of(good);
    expect(next?.step.rollout?.kept).toEqual(new Set(["b"]));
    await of(next?.status);
    expect(notes().filter((note) => note.startsWith(`Warning ${reason}: `))).toHaveLength(1);
    expect(lines.filter(({ event_reason: said }) => said === reason)).toHaveLength(1);
  });

  test("is forgotten with all that was kept of it", async () => {
    const { of, stage, gateCalls, notes, events, shared, hub } = await staging({
      ...CANARY,
      maxObjects: 1,
      rules: {},
    });
    const first = await of();
    const other = { owner: "other", policy: "Placement/default/everywhere", maxObjects: 1, rules: {} };
    expect(shared.places.mayBegin(other)).toBe(false);
    expect(notes()).not.toEqual([]);
    events.length = gateCalls.length = hub.calls.length = 0;
    stage.forget(APP, undefined);
    expect(gateCalls).toEqual([`forget ${APP}`]);
    expect(shared.places.mayBegin(other)).toBe(true);
    await of(first?.status);
    expect(hub.calls).toEqual([]);
    stage.forget(APP, "shop-uid");
    await of();
    expect(hub.calls).toContain("get controllerrevisions");
  });
});

test("an object that is not rolled out any more, and goes nowhere for now, keeps the state that it had", async () => {
  const { of, plan } = await staging(CANARY, []);
  expect(await plan()).toEqual({ kind: "NoRollout" });
  const old: RolloutStatus = { state: "Progressing", revision: 1, startedAt: START, since: START };
  expect(await of(old)).toMatchObject({ status: old, isUnderWay: false, step: {} });
  expect((await of())?.status).toBeUndefined();
});

describe("an object that no revision can hold", () => {
  const why = {
    reason: "RevisionTooLarge",
    message: "DemoApplication shop is larger than 1 MiB: no revision can hold it; remove the rollout from its policy",
  };
  const event = { regarding, type: "Warning", reason: "RevisionTooLarge", action: "RollOut", note: why.message };
  const large = () => staging(CANARY, ["a"], "x".repeat(1024 * 1024));

  test("has a plan that says so, and one Event", async () => {
    const { of, states, events } = await large();
    expect(await of()).toBeUndefined();
    expect(states.planOf(APP)).toEqual({
      ...{ uid: "shop-uid", generation: 1, ours: true, failure: why },
      ...{ target: undefined, remaining: new Set(), rollout: undefined },
    });
    expect(await of()).toBeUndefined();
    expect(events).toEqual([event]);
  });

  test("keeps what was planned of it before, unless that was another life", async () => {
    const { of, states, events, requestOf } = await large();
    const rollout: RolloutStatus = { state: "Succeeded", revision: 1, startedAt: START, since: START };
    const { target } = requestOf();
    const before = planOn([], { uid: "shop-uid", target, remaining: new Set(["c"]), rollout });
    states.setPlan(APP, before);
    await of();
    const { remaining } = before;
    expect(states.planOf(APP)).toMatchObject({ target, remaining, rollout, failure: why, ours: true });
    states.setPlan(APP, { ...before, uid: "an earlier one", failure: { reason: "Other", message: "" } });
    await of();
    expect(states.planOf(APP)).toMatchObject({ target: undefined, remaining: new Set(), rollout: undefined });
    expect(events).toEqual([event, event]);
  });
});

test("what becomes of a rollout is told as a warning where it fails and goes back", async () => {
  const { of, succeed, setImage, has, requestOf, events, notes, counted, lines } = await staging({
    ...CANARY,
    onFailure: "Rollback",
  });
  const good = await succeed();
  const old = requestOf().target;
  await setImage("nginx:2");
  const going = await of(good.status);
  has("a", requestOf().target, "Failed");
  events.length = counted.length = 0;
  const back = await of(going?.status);
  expect(notes()).toEqual([
    "Normal RolloutCluster: revision 2: cluster a is Verifying, was Applying",
    "Warning RolloutCluster: revision 2: cluster a is Failed (Unhealthy), was Verifying",
    "Warning RolloutStage: revision 2: stage canary is Failed (a: Unhealthy), was Progressing",
    "Warning RollingBack: revision 2: the rollout is RollingBack, was Progressing",
    "Normal RolloutCluster: revision 2: cluster a is Applying (RollingBack), was Failed",
  ]);
  expect(counted).toEqual([
    ...["Cluster Verifying", "Cluster Failed", "Stage Failed", "Run RollingBack", "Cluster Applying"],
  ]);
  expect(lines.filter(({ level }) => level === "warn").map(({ msg }) => msg)).toEqual([
    "rollout: revision 2: stage canary is Failed (a: Unhealthy), was Progressing",
  ]);
  has("a", old);
  events.length = 0;
  await of(back?.status);
  expect(notes()).toEqual([
    "Warning RolloutCluster: revision 2: cluster a is RolledBack, was Applying",
    "Warning RolloutStage: revision 2: stage canary is RolledBack, was Failed",
    "Warning RolledBack: revision 2: the rollout is RolledBack, was RollingBack",
  ]);
});

test("has the target that it was given, and no state of a rollout", async () => {
  const { of, gateCalls, requestOf } = await staging();
  const request = requestOf();
  const old: RolloutStatus = { state: "Succeeded", revision: 1, startedAt: START, since: START };
  const { target } = request;
  const decision = { kind: "Recorded" };
  const want = { target, step: {}, status: undefined, isUnderWay: false, awaitsContact: false, decision };
  expect(await of(old, { target })).toEqual(want);
  expect(await of(old, { target, placement: undefined })).toEqual(want);
  expect(gateCalls).toEqual([`forget ${APP}`, `forget ${APP}`]);
});

test("each transition is reported once", async () => {
  const { of, events, notes, counted, lines } = await staging(CANARY);
  const next = await of();
  expect(lines).toMatchObject([
    { level: "info", event_reason: "RolloutPlanned", msg: "rollout: revision 1: the rollout is Planned" },
    { level: "info", msg: "rollout: revision 1: the rollout is Progressing, was Planned" },
    { level: "info", object: APP, msg: "rollout: revision 1: stage canary is Progressing, was Waiting" },
    { level: "debug", resource_uid: "shop-uid", msg: "rollout: revision 1: cluster a is Applying, was Waiting" },
  ]);
  const want = [
    "Normal RolloutPlanned: revision 1: the rollout is Planned",
    "Normal RolloutProgressing: revision 1: the rollout is Progressing, was Planned",
    "Normal RolloutStage: revision 1: stage canary is Progressing, was Waiting",
    "Normal RolloutCluster: revision 1: cluster a is Applying, was Waiting",
  ];
  expect(notes()).toEqual(want);
  expect(events[0]).toEqual({
    ...{ regarding, type: "Normal", reason: "RolloutPlanned", action: "RollOut" },
    note: "revision 1: the rollout is Planned",
  });
  expect(counted).toEqual(["Run Planned", "Run Progressing", "Stage Progressing", "Cluster Applying"]);
  await of(next?.status);
  expect([notes(), counted.length]).toEqual([want, 4]);
});

test("by a reason of its own for each state of the run", async () => {
  const { of, succeed, setImage, has, requestOf, events, contact } = await staging(CANARY);
  const reasons = (): string[] => events.splice(0).map(({ reason }) => reason);
  const good = await succeed();
  expect(reasons()).toEqual([]);
  await setImage("nginx:2");
  const going = await of(good.status);
  await setImage("nginx:3");
  events.length = 0;
  await of(going?.status);
  expect(reasons().slice(0, 3)).toEqual(["RolloutSuperseded", "RolloutPlanned", "RolloutProgressing"]);
  const third = await of(going?.status);
  has("a", requestOf().target, "Failed");
  events.length = 0;
  await of(third?.status);
  expect(reasons()).toContain("RolloutPaused");
  for (const name of ["a", "b"]) has(name, requestOf().target);
  contact("b", {});
  await of(third?.status);
  expect(reasons()).toContain("RolloutSucceeded");
});
