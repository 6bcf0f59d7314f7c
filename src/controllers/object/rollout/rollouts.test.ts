import { describe, expect, test } from "vitest";
import { REVISION_OF_LABEL, type RolloutStatus } from "../../../apis/index.ts";
import { CONTROLLERREVISIONS, MEMBERCLUSTERS, PLACEMENTS } from "../../../runtime/index.ts";
import { absent, observation } from "../../testing/builders.ts";
import { cluster } from "../../testing/planning.ts";
import { CANARY, imagesOf, rollingOut } from "../../testing/rollingOut.ts";

const START = "2026-01-01T00:00:00Z";
const none = new Set<string>();
const WAITING = { state: "Waiting" as const };

/** A run of revision 2 with these cluster states. Revision 1 is the last good revision. */
function runOf(
  state: RolloutStatus["state"],
  a: object,
  b: object = WAITING,
  more: Partial<RolloutStatus> = {},
): RolloutStatus {
  return {
    ...{ state, revision: 2, lastGoodRevision: 1, startedAt: START, since: START },
    stages: [
      { name: "canary", state: "Progressing", startedAt: START, clusters: [{ name: "a", state: "Applying", ...a }] },
      { name: "rest", state: "Waiting", clusters: [{ name: "b", state: "Waiting", ...b }] },
    ],
    ...more,
  };
}

/** Revision 1 has succeeded, and the object has changed since. */
async function changedOnce(policy: object = CANARY) {
  const all = await rollingOut(policy);
  const good = await all.succeed();
  await all.setImage("nginx:2");
  await all.staged(good.status);
  /** Replaces the data of a revision, or removes the revision. The manager's memory is cleared. */
  const forge = (number: number, data: (stored: object) => unknown): void => {
    const { server, shared } = all;
    const name = all.index.of?.find(({ revision }) => revision === number)?.name ?? "";
    const { metadata, ...stored } = server.get(CONTROLLERREVISIONS, "default", name);
    server.delete(CONTROLLERREVISIONS, "default", name);
    const { labels = {}, annotations = {} } = metadata;
    const forged = { ...stored, data: data(stored["data"] as object), metadata: { ...{ name, labels, annotations } } };
    if (forged.data !== undefined)
      server.create(CONTROLLERREVISIONS, { ...forged, metadata: { ...forged.metadata, namespace: "default" } });
    shared.revisions.forget("shop-uid");
  };
  return { ...all, good, forge };
}

const POWERFUL = { kind: "ClusterOverridePolicy", metadata: { name: "p" }, spec: { rules: [] } };

test("an object is not rolled out in stages that no policy places, or whose policy says nothing of it; the hub is not asked either", async () => {
  const { plan, requestOf, hub } = await rollingOut();
  expect(await plan()).toEqual({ kind: "NoRollout" });
  expect(await plan(undefined, { ...requestOf(), placement: undefined })).toEqual({ kind: "NoRollout" });
  expect(hub.count("list", CONTROLLERREVISIONS)).toBe(0);
});

describe("what each cluster gets", () => {
  test("at first: the clusters of the first stage the object, those of later stages nothing", async () => {
    const { staged } = await rollingOut(CANARY);
    const step = await staged();
    expect(step).toMatchObject({ kind: "Rollout", isDurable: false, awaitsContact: false });
    expect(step.status).toMatchObject({ state: "Progressing", revision: 1 });
    expect(step.status).not.toHaveProperty("lastGoodRevision");
    expect(step.turns).toEqual({ waiting: new Set(["b"]), returning: none, kept: none });
    expect([imagesOf(step.target), step.lastGood]).toEqual([["a nginx:1"], undefined]);
    expect(step.transitions.map(({ of, name, to }) => `${of} ${name ?? ""} ${to}`)).toEqual([
      "Run  Planned",
      "Run  Progressing",
      "Stage canary Progressing",
      "Cluster a Applying",
    ]);
    expect(step.recheckAt).toBe(Date.parse("2026-01-01T00:10:00Z"));
    const again = await staged(step.status);
    expect([again.isDurable, again.status, again.transitions]).toEqual([true, step.status, []]);
  });

  test("of a change: those whose turn has not come what they had, sorted by name", async () => {
    const { durable, good } = await changedOnce({
      stages: [{ name: "canary", targetClusters: { clusterNames: ["b"] } }, { name: "rest" }],
    });
    const step = await durable(good.status);
    expect(step.status).toMatchObject({ state: "Progressing", revision: 2, lastGoodRevision: 1 });
    expect(step.turns).toEqual({ waiting: new Set(["a"]), returning: none, kept: none });
    expect(imagesOf(step.target)).toEqual(["a nginx:1", "b nginx:2"]);
    const [a, b] = step.target.clusters;
    expect([JSON.stringify(a?.wanted).includes('"image":"nginx:2"'), b?.wanted]).toEqual([true, undefined]);
    expect(imagesOf(step.lastGood ?? step.target)).toEqual(["a nginx:1", "b nginx:1"]);
  });

  test("of a change that a cluster leaves or comes with: it keeps what it had, or gets nothing yet", async () => {
    const { server, settle, succeed, durable, setImage } = await rollingOut(CANARY, ["a", "b", "c"]);
    server.merge(PLACEMENTS, "default", "everywhere", affinity("a", "b"));
    await settle();
    const good = await succeed();
    server.merge(PLACEMENTS, "default", "everywhere", affinity("a", "c"));
    await setImage("nginx:2");
    const step = await durable(good.status);
    expect([...step.turns.waiting].toSorted()).toEqual(["b", "c"]);
    expect(imagesOf(step.target)).toEqual(["a nginx:2", "b nginx:1"]);
  });

  test("of a change that fails: those that had it the last good revision again, which is another thing than to wait", async () => {
    const { staged } = await changedOnce();
    const back = { state: "Applying", reason: "RollingBack", since: START };
    const step = await staged(runOf("RollingBack", back));
    expect(step.turns).toEqual({ waiting: new Set(["b"]), returning: new Set(["a"]), kept: none });
    expect(imagesOf(step.target)).toEqual(["a nginx:1", "b nginx:1"]);
  });

  const onTheWayBack = { state: "Applying", reason: "RollingBack", since: START };
  test.each<[string, RolloutStatus, string[], string[]]>([
    ["back", runOf("RolledBack", { state: "RolledBack" }), ["a"], ["b"]],
    ["stuck on its way back", runOf("Paused", onTheWayBack, WAITING, { reason: "RollbackFailed" }), ["a"], ["b"]],
    ["back without stages", { ...runOf("RolledBack", {}), stages: [] }, [], ["a", "b"]],
    [
      "going on, with a cluster that was back",
      runOf("Progressing", { state: "RolledBack" }, { state: "Applying", since: START }),
      [],
      ["a"],
    ],
  ])("of a run that is %s", async (_, run, returning, waiting) => {
    const { staged } = await changedOnce();
    const { turns } = await staged(run);
    const seen = [...turns.waiting].filter((name) => waiting.includes(name));
    expect([turns.returning, seen]).toEqual([new Set(returning), waiting]);
  });

  test("that goes back to a revision which has nothing there: nothing", async () => {
    const { server, settle, succeed, staged, has, requestOf } = await rollingOut(CANARY, ["a", "b"]);
    server.merge(PLACEMENTS, "default", "everywhere", affinity("b"));
    await settle();
    const { status: good } = await succeed();
    server.merge(PLACEMENTS, "default", "everywhere", affinity("a", "b"));
    await settle();
    await staged(good);
    has("a", requestOf().target);
    const step = await staged(runOf("RollingBack", { reason: "RollingBack", since: START }));
    expect(step.turns.returning).toEqual(new Set(["a"]));
    expect(imagesOf(step.target)).toEqual(["b nginx:1"]);
  });

  test.each<[string, string, (data: object) => unknown]>([
    ["is gone", "RevisionMissing", () => undefined],
    ["has other rules", "RevisionChanged", (data) => ({ ...data, overrides: [POWERFUL] })],
    ["is of another namespace", "RevisionChanged", (data) => ({ ...data, object: { metadata: { namespace: "x" } } })],
    ["is malformed", "RevisionChanged", () => ({ object: 7, overrides: null })],
  ])("where the last good revision %s: what is there, untouched", async (_name, reason, forged) => {
    const { staged, good, forge } = await changedOnce();
    forge(1, forged);
    const { status, turns, target, lastGood, unusable } = await staged(good.status);
    expect([status.revision, status.lastGoodRevision, lastGood]).toEqual([2, 1, undefined]);
    expect(turns).toEqual({ waiting: none, returning: none, kept: new Set(["b"]) });
    expect(unusable).toMatchObject({ reason });
    expect(target.clusters.map(({ name, frozen, frozenFor: why }) => ({ name, frozen, why }))).toEqual([
      { name: "a", frozen: false, why: undefined },
      { name: "b", frozen: true, why: unusable },
    ]);
  });

  test("that runs something else before its turn: it is left as it is, and shown as what it is to be", async () => {
    const { durable, good, has, requestOf, setImage } = await changedOnce();
    has("b", requestOf().target);
    await setImage("nginx:3");
    const { turns, target } = await durable(good.status);
    expect(turns).toEqual({ waiting: none, returning: none, kept: new Set(["b"]) });
    expect(imagesOf(target)).toEqual(["a nginx:3", "b nginx:3"]);
    expect(target.clusters.map(({ frozen }) => frozen)).toEqual([false, true]);
  });

  test("that is to have nothing and runs something else: it is left as it is, and shown with what it had", async () => {
    const { durable, good, has, requestOf, server, settle } = await changedOnce();
    has("b", requestOf().target);
    server.merge(PLACEMENTS, "default", "everywhere", affinity("a"));
    await settle();
    const { turns, target } = await durable(good.status);
    expect(turns.kept).toEqual(new Set(["b"]));
    expect(imagesOf(target)).toEqual(["a nginx:2", "b nginx:1"]);
    expect(target.clusters.map(({ wanted }) => wanted)).toEqual([undefined, []]);
  });
});

const ended = (late: string) => runOf("Succeeded", { state: "Done" }, { state: late });
test.each<[string, RolloutStatus | undefined, string | undefined, boolean]>([
  ["a cluster of the run is pending", runOf("Progressing", {}), "a", true],
  ["a cluster outside the run is pending", runOf("Progressing", {}), "c", false],
  ["the run begins, and one of its clusters is pending", undefined, "c", true],
  ["the run has ended", ended("Done"), "a", false],
  ["a later cluster of the run is pending", runOf("Progressing", {}), "b", true],
  ["no cluster is pending", runOf("Progressing", {}), undefined, false],
  ["the run was rolled back", runOf("RolledBack", {}), "a", false],
  ["the run has ended, with a late cluster", ended("Deferred"), "b", true],
])(
  "what is known of a cluster before its turn decides whether the rollout waits: %s",
  async (_, run, pending, want) => {
    const all = await rollingOut(CANARY, ["a", "b", "c"]);
    const { status } = await all.succeed();
    await all.setImage("nginx:2");
    await all.staged(status);
    if (pending !== undefined) all.contact(pending, { pending: true });
    const { awaitsContact, transitions } = await all.staged(run);
    expect(awaitsContact).toBe(want);
    // Nothing moves until then.
    if (want) expect(transitions.filter(({ to }) => to !== "Planned")).toEqual([]);
  },
);

test.each<[string, Partial<RolloutStatus>, string | undefined]>([
  ["the last run has succeeded", { state: "Succeeded", revision: 1 }, "nginx:1"],
  ["the last run has not", { state: "Paused", revision: 2, lastGoodRevision: 1 }, "nginx:1"],
  ["no run ever has", { state: "Paused", revision: 2 }, undefined],
  ["this run has succeeded", { state: "Succeeded", revision: 3, lastGoodRevision: 3 }, undefined],
  ["this run goes on", { state: "Progressing", revision: 3, lastGoodRevision: 2 }, "nginx:2"],
])("the revision that a run returns to is chosen if %s", async (_, current, want) => {
  const { staged, good, setImage, hub } = await changedOnce();
  await staged(good.status);
  await setImage("nginx:3");
  await staged(good.status);
  const before = hub.count("get", CONTROLLERREVISIONS);
  const { status, lastGood } = await staged({ startedAt: START, since: START, ...current } as RolloutStatus);
  expect(status.revision).toBe(3);
  expect(lastGood && imagesOf(lastGood)).toEqual(want && [`a ${want}`, `b ${want}`]);
  if (want === undefined) expect(hub.count("get", CONTROLLERREVISIONS)).toBe(before);
});

describe("a status of the version before, which proves no revision", () => {
  const without = ({ revisions: _, ...status }: RolloutStatus): RolloutStatus => status;
  /** The status that the previous version of Meridian has left. */
  async function before(image?: string, change: (status: RolloutStatus) => RolloutStatus = (status) => status) {
    const all = await rollingOut(CANARY);
    const { status } = await all.succeed();
    all.index.of = undefined;
    all.shared.revisions.forget("shop-uid");
    if (image !== undefined) await all.setImage(image);
    return { ...all, old: change(without(status)) };
  }

  test("keeps its revision where every cluster has what the object is now", async () => {
    const { staged, old } = await before();
    const { status, isDurable } = await staged(old);
    expect(status).toEqual({ ...old, revisions: [expect.objectContaining({ revision: 1, succeededAt: old.since })] });
    expect(isDurable).toBe(false);
  });

  test("waits for clusters that have not been heard of, and says nothing until then", async () => {
    const { staged, old, contact } = await before("nginx:2");
    contact("b", { pending: true });
    expect(await staged(old)).toMatchObject({ status: old, isDurable: true, awaitsContact: true });
    contact("b", {});
    expect((await staged(old)).status).toMatchObject({ revision: 2, lastGoodRevision: 1 });
  });

  test("does not take a change for what was good: the change goes by stages, and who waits keeps what it has", async () => {
    const { staged, old } = await before("nginx:2");
    const { status, turns, unusable } = await staged(old);
    expect(status).toMatchObject({
      state: "Progressing",
      revision: 2,
      lastGoodRevision: 1,
      revisions: [{ revision: 2 }],
    });
    expect([turns.kept, unusable?.reason]).toEqual([new Set(["b"]), "RevisionMissing"]);
  });

  test.each([
    ["does not roll out again what was taken back", 4, 4, 2],
    ["rolls out a change since", 4, 5, 3],
  ])("%s", async (_name, seen, generation, want) => {
    const { staged, old, requestOf } = await before("nginx:2", (status) => ({
      ...{ ...status, state: "RolledBack", revision: 2, lastGoodRevision: 1 },
    }));
    const { object, snapshot } = requestOf(old);
    const now = { ...object, metadata: { ...object.metadata, generation } };
    const status = { observedGeneration: seen, rollout: old };
    const step = await staged(old, { object: now, snapshot: { ...snapshot, object: now }, status });
    expect(step.status.revision).toBe(want);
  });

  test("is rid of the revisions that nothing proves once the present one is everywhere", async () => {
    const { durable, old, server, requestOf } = await before();
    const { uid = "", name } = requestOf().object.metadata;
    server.create(CONTROLLERREVISIONS, {
      ...{ apiVersion: "apps/v1", kind: "ControllerRevision" },
      metadata: {
        ...{ name: "shop-of-before", namespace: "default", labels: { [REVISION_OF_LABEL]: uid } },
        ownerReferences: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name, uid }],
      },
    });
    const { status } = await durable(old);
    const left = server.page(CONTROLLERREVISIONS, {}).items.map(({ metadata }) => metadata.name);
    expect(left).toEqual(status.revisions?.map((one) => one.name));
  });
});

describe("how many revisions are kept", () => {
  test.each([{ name: "none but that in use", policy: { ...CANARY, revisionHistoryLimit: 0 }, left: 2 }])(
    "$name",
    async ({ policy, left }) => {
      const { staged, setImage, server, index } = await rollingOut(policy);
      let current: RolloutStatus | undefined;
      for (let n = 1; n <= 14; n += 1) {
        await setImage(`nginx:${n}`);
        current = (await staged(current)).status;
      }
      expect(index.of).toHaveLength(left);
      expect(server.page(CONTROLLERREVISIONS, {}).items).toHaveLength(left);
    },
  );
});

let generation = 1;

/** A patch of the policy with these clusters. */
function affinity(...clusterNames: string[]): object {
  generation += 1;
  return { metadata: { generation }, spec: { clusterAffinities: [{ name: "these", clusterNames }] } };
}

function never(): never {
  throw new Error("the target has no object");
}

async function rollingOutThen() {
  const all = await rollingOut(CANARY);
  return { ...all, good: await all.succeed() };
}

async function withThird() {
  const all = await rollingOut(CANARY);
  const { server, settle, contact } = all;
  const join = async (name: string): Promise<void> => {
    server.create(MEMBERCLUSTERS, cluster(name));
    contact(name, {});
    await settle();
  };
  return { ...all, join };
}

test.each([
  { name: "in contact, all seen", contact: {}, want: "Waiting" },
  { name: "in contact, some kinds unreadable", contact: { synced: false, partlySynced: true }, want: "Waiting" },
  { name: "in contact, nothing seen", contact: { synced: false }, want: "Deferred" },
  { name: "out of contact", contact: { ok: false }, want: "Deferred" },
])("$name: $want", async ({ contact, want }) => {
  const all = await rollingOut(CANARY);
  all.contact("b", contact);
  const { status } = await all.staged();
  expect(status.stages?.[1]?.clusters).toMatchObject([{ name: "b", state: want }]);
});

test("is the one that ran, where what is asked for may not be read now", async () => {
  const { plan, good, requestOf, succeed, hub } = await rollingOutThen();
  const { target } = requestOf();
  const frozenFor = { reason: "SecretAccessDenied", message: "may not be read" };
  const unreadable = { ...target, clusters: target.clusters.map((one) => ({ ...one, frozenFor })) };
  expect(await plan(undefined, { target: unreadable })).toEqual({ kind: "NoRollout" });
  const unnamed = { state: "Planned" as const, startedAt: START, since: START };
  expect(await plan(unnamed as RolloutStatus, { target: unreadable })).toEqual({ kind: "NoRollout" });
  expect(hub.count("get", CONTROLLERREVISIONS)).toBe(0);
  expect(await plan(good.status, { target: unreadable })).toMatchObject({ kind: "Rollout", status: good.status });
  await succeed(good.status);
});

test("and always the one that was rolled out last, and the one that was good last", async () => {
  const { staged, setImage, requestOf, index } = await rollingOut({ ...CANARY, revisionHistoryLimit: 4 });
  let before: RolloutStatus | undefined;
  for (let n = 1; n <= 5; n += 1) {
    await setImage(`nginx:${n}`);
    before = (await staged(before)).status;
  }
  const { placement } = requestOf();
  const few = placement && {
    ...placement,
    spec: { ...placement.spec, rollout: { ...CANARY, revisionHistoryLimit: 0 } },
  };
  const current: RolloutStatus = {
    state: "Paused",
    revision: 4,
    lastGoodRevision: 2,
    startedAt: START,
    since: START,
  };
  await staged(current, { placement: few });
  expect(index.of?.map(({ revision }) => revision)).toEqual([2, 4, 5]);
});

test("what the copies are is asked of whoever plans, and clusters that have some take part", async () => {
  const { staged, requestOf, join } = await withThird();
  await join("c");
  const [{ ref, hash } = never()] = requestOf().target.clusters[0]?.objects ?? [];
  const seen = [observation({ cluster: "c", ref, present: { hash } }), absent({ cluster: "b", ref })];
  const { turns } = await staged(undefined, { observations: () => seen });
  expect(turns).toEqual({ waiting: new Set(["b"]), returning: none, kept: new Set(["c"]) });
});
