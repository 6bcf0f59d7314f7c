import { describe, expect, test } from "vitest";
import {
  type ApproversProven,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
  type RolloutStatus,
} from "../../../apis/index.ts";
import { PLACEMENTS } from "../../../runtime/index.ts";
import { Rollouts, type PlannedRollout } from "./rollouts.ts";
import { APP, app } from "../../testing/planning.ts";
import { CANARY, rollingOut } from "../../testing/rollingOut.ts";

const START = "2026-01-01T00:00:00Z";
const POLICY = "Placement/default/everywhere";
const OTHER = { owner: "another", policy: POLICY, maxObjects: 1, rules: {} };

describe("what people ask of a run", () => {
  /** The next status of a running rollout after this command. */
  const said = async (
    command: object,
    on: "object" | "binding" | "neither" = "object",
    status: object = {},
    approvals?: object,
  ) => {
    const all = await rollingOut({
      ...CANARY,
      stages: [{ ...CANARY.stages[0], approval: "Manual" }, { name: "rest" }],
    });
    const good = await all.succeed();
    await all.setImage("nginx:2");
    const going = await all.durable(good.status);
    const annotations = {
      [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify({ revision: 2, ...command }),
      ...(approvals === undefined
        ? {}
        : { [ROLLOUT_APPROVALS_ANNOTATION]: JSON.stringify({ revision: 2, run: START, approvals }) }),
    };
    if (on === "object") await all.change({ metadata: { annotations } });
    if (on !== "object") all.binding.of = app(on === "binding" ? { annotations } : {});
    if (on === "neither") await all.change({ metadata: { annotations } });
    const next = await all.durable({ ...going.status, ...status });
    return { ...all, next: next.status };
  };

  const goesOn = { state: "Progressing" };
  const message = "paused by a person: `meridian rollout resume NAME` goes on";
  test.each<[string, object, object]>([
    ["nothing", {}, goesOn],
    ["to pause", { paused: true }, { state: "Paused", reason: "User", message }],
    ["to abort", { abort: true }, { state: "RolledBack", message: "aborted" }],
    ["not to abort", { abort: false }, goesOn],
    ["to pause this run", { paused: true, run: START }, { state: "Paused" }],
    ["to pause an earlier run", { paused: true, run: "2025" }, goesOn],
    ["to pause another revision", { paused: true, revision: 1 }, goesOn],
  ])("%s", async (_, command, want) => expect((await said(command)).next).toMatchObject(want));

  test("of an object whose status stands in a binding, stands there, and counts nowhere else", async () => {
    expect((await said({ paused: true }, "binding")).next.state).toBe("Paused");
    expect((await said({ paused: true }, "neither")).next.state).toBe("Progressing");
  });

  test("to go on, where a run has stopped by itself; obeyed once", async () => {
    const stopped = { state: "Paused", reason: "Failures", message: "failed" };
    const resumedAt = "2026-01-01T01:00:00Z";
    expect((await said({ resumedAt }, "object", stopped)).next).toMatchObject({ state: "Progressing", resumedAt });
    expect((await said({}, "object", stopped)).next).toMatchObject(stopped);
    expect((await said({ resumedAt }, "object", { ...stopped, resumedAt })).next).toMatchObject(stopped);
  });

  test("of a run that has not begun, nothing is asked by its name", async () => {
    const { staged, succeed, setImage, change } = await rollingOut(CANARY);
    const good = await succeed();
    await setImage("nginx:2");
    const command = JSON.stringify({ revision: 2, run: good.status.startedAt, paused: true });
    await change({ metadata: { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: command } } });
    expect((await staged(good.status)).status.state).toBe("Progressing");
  });

  test("to let the next stage begin: who approved is kept", async () => {
    const waits = { state: "Paused", reason: "Gate", message: "stage canary waits for approval" };
    const first = await said({});
    first.has("a", first.requestOf().target);
    expect((await first.durable(first.next)).status).toMatchObject(waits);
    const second = await said({}, "object", {}, { canary: "anna", rest: "bob" });
    second.has("a", second.requestOf().target);
    const { status } = await second.durable(second.next);
    const canary = { approvedBy: "anna", approverVerified: false };
    expect(status).toMatchObject({ state: "Progressing", stages: [canary, { state: "Progressing" }] });
  });

  test("nothing moves until it is known whether an approval is proven", async () => {
    const all = await said({}, "object", {}, { canary: "anna" });
    all.has("a", all.requestOf().target);
    const proven: { since: ApproversProven } = { since: "Unread" };
    const rollouts = new Rollouts({ ...all.sources, approversProvenSince: () => proven.since });
    const plan = () => rollouts.plan(all.requestOf(all.next), all.signal);
    const waits = { awaitsContact: true, status: { stages: [{ state: "Progressing" }, {}] } };
    expect(await plan()).toMatchObject({ ...waits, recheckAt: all.clock.now() + 1_000 });
    proven.since = 0;
    const { status } = (await plan()) as PlannedRollout;
    expect(status.stages?.[0]).toMatchObject({ state: "Succeeded", approvedBy: "anna" });
    expect(status.stages?.[0]).not.toHaveProperty("approverVerified");
  });
});

const GATED = { ...CANARY, gate: { prometheus: { query: "up", url: "http://p" } } };

test("the query of a gate is asked when the hub holds the state that follows from it, and not any more when the run is over", async () => {
  const { staged, gateCalls, has, requestOf, replies } = await rollingOut(GATED);
  const first = await staged();
  expect(gateCalls.splice(0)).toEqual([`replies ${APP} up undefined`]);
  has("a", requestOf().target);
  const paused = await staged(first.status);
  expect(paused.status).toMatchObject({ state: "Paused", message: "stage canary: the gate is being asked" });
  expect([paused.isDurable, gateCalls.splice(0)]).toEqual([false, [`replies ${APP} up Progressing`]]);
  await staged(paused.status);
  expect(gateCalls.splice(0)).toEqual([`replies ${APP} up Paused`, `ask ${APP} up Paused: canary`]);
  replies.set("canary", { answer: "Unknown", why: "nobody answers" });
  replies.set("rest", { answer: "Unknown" });
  const unknown = await staged(paused.status);
  expect(unknown.status).toMatchObject({ state: "Paused", message: "stage canary: nobody answers" });
  replies.set("canary", { answer: "Unknown" });
  expect((await staged(paused.status)).status.message).toBe(
    "stage canary: the gate's query has no answer; see the manager's log",
  );
  replies.set("canary", { answer: "Passed" });
  replies.set("rest", { answer: "Passed" });
  const going = await staged(unknown.status);
  expect(going.status).toMatchObject({ state: "Progressing", stages: [{ state: "Succeeded" }, {}] });
  has("b", requestOf().target);
  gateCalls.length = 0;
  const done = await staged(going.status);
  expect([done.status.state, gateCalls]).toEqual(["Succeeded", [`replies ${APP} up Progressing`]]);
  await staged(done.status);
  expect(gateCalls.at(-1)).toBe(`forget ${APP}`);
});

describe("a policy that bounds how many objects are rolled out at once", () => {
  const BOUND = { ...CANARY, maxObjects: 1 };

  test("lets the next one begin when its turn has come", async () => {
    const { staged, shared } = await rollingOut(BOUND);
    shared.places.mayBegin(OTHER);
    const woken: string[] = [];
    shared.places.changes.subscribe((owner) => woken.push(owner));
    const first = await staged();
    const message = "waits for its turn: one object of the policy at once (maxObjects)";
    expect(first.status).toMatchObject({ state: "Planned", message });
    expect(await staged(first.status)).toMatchObject({ isDurable: true, status: { state: "Planned" } });
    shared.places.release(OTHER.owner);
    expect(woken).toEqual([APP]);
    const begun = await staged(first.status);
    expect(begun.status.state).toBe("Progressing");
    expect(shared.places.mayBegin(OTHER)).toBe(false);
  });

  test("of several says how many", async () => {
    const { staged, shared } = await rollingOut({ ...CANARY, maxObjects: 2 });
    for (const owner of ["x", "y"]) shared.places.mayBegin({ ...OTHER, owner, maxObjects: 2 });
    expect((await staged()).status.message).toBe("waits for its turn: 2 objects of the policy at once (maxObjects)");
  });

  test("gives no place to one whose clusters have not been heard of", async () => {
    const { staged, shared, contact } = await rollingOut(BOUND);
    contact("a", { pending: true });
    expect((await staged()).status.state).toBe("Planned");
    expect(shared.places.mayBegin(OTHER)).toBe(true);
  });

  test("does not stop one that is under way, whoever has the place", async () => {
    const { staged, shared } = await rollingOut(BOUND);
    const { status } = await staged();
    shared.places.release(APP);
    shared.places.mayBegin(OTHER);
    expect((await staged(status)).status).toEqual(status);
  });

  /** True if the object has a slot after a plan from this state. */
  const hasPlace = async (
    state: RolloutStatus["state"],
    change: "image" | "policy" | "both" | "policy, and the good one is gone",
  ): Promise<boolean> => {
    const { staged, durable, succeed, setImage, server, settle, shared } = await rollingOut(BOUND);
    const good = await succeed();
    if (change === "image" || change === "both") await setImage("nginx:2");
    if (change !== "image") {
      const spec = { retain: [{ kind: "Deployment", path: "spec.replicas" }] };
      server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 2 }, spec });
      await settle();
    }
    const lastGoodRevision = change === "policy, and the good one is gone" ? 9 : 1;
    const begun = await staged({ ...good.status, state: "Paused", reason: "User", revision: 1 });
    const stages = begun.status.stages ?? [];
    const run: RolloutStatus = { ...begun.status, state, revision: 2, lastGoodRevision, stages };
    const next = await durable(run);
    expect(next).toMatchObject({ isDurable: true, status: { state } });
    return !shared.places.mayBegin(OTHER);
  };

  test.each([
    ["that was rolled back, if the object was at fault", "RolledBack", "image", false],
    ["that was rolled back, if the policy was at fault", "RolledBack", "policy", true],
    ["that was rolled back, if either was at fault", "RolledBack", "both", false],
    ["that was rolled back to an unknown revision", "RolledBack", "policy, and the good one is gone", false],
    ["that has ended", "Succeeded", "image", false],
  ] as const)("a run %s keeps its slot or not", async (_, state, change, want) => {
    expect(await hasPlace(state, change)).toBe(want);
  });

  test("a run under way keeps its place as soon as the hub says so, for a manager that starts anew too", async () => {
    const { staged, shared } = await rollingOut(BOUND);
    const { status } = await staged();
    shared.places.release(APP);
    expect((await staged(status)).isDurable).toBe(true);
    expect(shared.places.mayBegin(OTHER)).toBe(false);
  });

  test("what is not yet on the hub gives no place up", async () => {
    const { staged, shared, has, requestOf } = await rollingOut(BOUND);
    const { status } = await staged();
    for (const name of ["a", "b"]) has(name, requestOf().target);
    const done = await staged(status);
    expect([done.status.state, done.isDurable]).toEqual(["Succeeded", false]);
    expect(shared.places.mayBegin(OTHER)).toBe(false);
    await staged(done.status);
    expect(shared.places.mayBegin(OTHER)).toBe(true);
  });

  test("an object of a policy that bounds nothing any more gives its place up", async () => {
    const { staged, shared, server, settle } = await rollingOut(BOUND);
    const { status } = await staged();
    expect(shared.places.mayBegin(OTHER)).toBe(false);
    const spec = { rollout: { ...CANARY, maxObjects: null } };
    server.merge(PLACEMENTS, "default", "everywhere", { metadata: { generation: 2 }, spec });
    await settle();
    expect((await staged(status)).isDurable).toBe(true);
    expect(shared.places.mayBegin(OTHER)).toBe(true);
  });
});

test("is not asked of a run that was taken back, or where the policy has none", async () => {
  const { staged, gateCalls, succeed, setImage } = await rollingOut(GATED);
  const good = await succeed();
  await setImage("nginx:2");
  await staged(good.status);
  gateCalls.length = 0;
  const back = await staged({ ...good.status, state: "RolledBack", revision: 2, lastGoodRevision: 1 });
  await staged(back.status);
  expect(gateCalls.at(-1)).toBe(`forget ${APP}`);
  for (const policy of [CANARY, { ...CANARY, gate: { timeout: "1m" } }]) {
    const plain = await rollingOut(policy);
    await plain.staged((await plain.staged()).status);
    expect(plain.gateCalls.at(-1)).toBe(`forget ${APP}`);
  }
  expect(gateCalls.some((call) => call.startsWith("ask"))).toBe(false);
});

test("is not asked while clusters of the run have not been heard of", async () => {
  const { staged, gateCalls, contact } = await rollingOut(GATED);
  const { status } = await staged();
  contact("b", { pending: true });
  gateCalls.length = 0;
  expect(await staged(status)).toMatchObject({ isDurable: true, awaitsContact: true });
  expect(gateCalls).toEqual([`replies ${APP} up Progressing`]);
});
