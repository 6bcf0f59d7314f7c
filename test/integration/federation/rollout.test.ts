import { expect, test } from "vitest";
import {
  type KubeObject,
  type PlacementSpec,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
  type RolloutStatus,
} from "../../../src/apis/index.ts";
import { CONTROLLERREVISIONS, DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

type Rollout = NonNullable<PlacementSpec["rollout"]>;

const MEMBERS = ["a", "b", "c"];
const GOOD = "registry.test/shop:1";
const BETTER = "registry.test/shop:2";
const BROKEN = "registry.test/does-not-exist:3";

const inStages = placement("all").rollsOut({ gate: { timeout: "20s" }, onFailure: "Rollback" }, ...MEMBERS);
const shop = (image: string): KubeObject => demoApplication("shop").replica(2).image(image).object();

async function rolledOut(): Promise<TestFederation> {
  const federation = await TestFederation.start(...MEMBERS);
  await federation.apply(PLACEMENTS, inStages);
  await federation.apply(DEMOAPPLICATIONS, shop(GOOD));
  await federation.until(() => federation.condition("shop", "Progressing") === "False Settled");
  return federation;
}

const rollout = (federation: TestFederation) => federation.status("shop")?.rollout;

/** What two conditions say, each with the generation that it says it of. */
function saidOf(federation: TestFederation): Record<string, string> {
  const those = federation.status("shop")?.conditions?.filter(({ type }) => ["Applied", "Available"].includes(type));
  return Object.fromEntries(
    (those ?? []).map(({ type, status, reason, observedGeneration: of }) => [type, `${status} ${reason} of ${of}`]),
  );
}

const completed = (federation: TestFederation): unknown[] =>
  federation.events.flatMap(({ ["reason"]: reason, ["note"]: note }) => (reason === "RolloutCompleted" ? [note] : []));

const REVISION_CALL = /^\w+ controllerrevisions/;

/** As the index in the status has them. */
function goodRevisions(federation: TestFederation): string[] {
  return (rollout(federation)?.revisions ?? []).map(
    ({ revision, succeededAt }) => `${revision}${succeededAt === undefined ? "" : " good"}`,
  );
}

function imagesOf(federation: TestFederation): (string | undefined)[] {
  return MEMBERS.map((name) => {
    const { server } = federation.member(name);
    if (!server.has(DEPLOYMENTS, "default", "shop")) return undefined;
    const { spec } = server.get(DEPLOYMENTS, "default", "shop") as unknown as {
      spec: { template: { spec: { containers: { image: string }[] } } };
    };
    return spec.template.spec.containers[0]?.image;
  });
}

test("a broken image rolls itself back, and is not tried again until the object changes", async () => {
  await using federation = await rolledOut();
  await federation.apply(DEMOAPPLICATIONS, shop(BROKEN));
  await federation.until(() => rollout(federation)?.state === "RolledBack", 120_000);
  expect(imagesOf(federation)).toEqual([GOOD, GOOD, GOOD]);
  expect(rollout(federation)).toMatchObject({ revision: 2, lastGoodRevision: 1 });
  await federation.until(() => federation.condition("shop", "Progressing") === "False RolledBack");
  expect(saidOf(federation)).toEqual({ Applied: "False RolledBack of 2", Available: "True AllClustersAvailable of 1" });
  expect(completed(federation)).toEqual([]);
  // As a GitOps tool does, over and over.
  await federation.apply(DEMOAPPLICATIONS, shop(BROKEN));
  await federation.pass(10_000);
  expect(imagesOf(federation)).toEqual([GOOD, GOOD, GOOD]);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  expect(imagesOf(federation)).toEqual([BETTER, BETTER, BETTER]);
  expect(rollout(federation)).toMatchObject({ revision: 3, lastGoodRevision: 3 });
  expect(goodRevisions(federation)).toEqual(["1 good", "2", "3 good"]);
  // Each is written once, and that one was good costs no write of its own.
  const calls = federation.hubClients.flatMap(({ writes }) => writes).filter((call) => REVISION_CALL.test(call));
  expect(calls.map((call) => call.split(" ")[0])).toEqual(["create", "create", "create"]);
});

test("a stage waits for a person, through a restart of the manager; who waits heals its old revision; the approver is recorded", async () => {
  await using federation = await rolledOut();
  const stages = MEMBERS.map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
  const [first, ...others] = stages;
  await federation.apply(
    PLACEMENTS,
    placement("all").rollout({ stages: [{ ...first, name: "a", approval: "Manual" }, ...others] }),
  );
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.reason === "Gate");
  expect(imagesOf(federation)).toEqual([BETTER, GOOD, GOOD]);
  await federation.until(() => saidOf(federation)["Applied"] === "False RolloutPaused of 2");
  expect(completed(federation)).toEqual([]);

  await federation.restart();
  await federation
    .member("b")
    .server.merge(DEPLOYMENTS, "default", "shop", { spec: { minReadySeconds: 7, replicas: 1 } });
  await federation.until(() => replicasOn(federation, "b") === 2);
  expect(imagesOf(federation)).toEqual([BETTER, GOOD, GOOD]);

  const { revision, startedAt: run } = rollout(federation) ?? {};
  const approve = (approved: object) =>
    federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", {
      metadata: { annotations: { [ROLLOUT_APPROVALS_ANNOTATION]: JSON.stringify(approved) } },
    });
  // What was approved of an earlier revision, or of an earlier run of this one, counts for neither.
  const approvals = { a: "alice" };
  await approve({ revision: 1, run, approvals });
  await federation.pass(2_000);
  await approve({ revision, run: "2025-01-01T00:00:00Z", approvals });
  await federation.pass(2_000);
  expect(rollout(federation)?.stages?.[0]).not.toHaveProperty("approvedBy");
  await approve({ revision, run, approvals });
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  expect(imagesOf(federation)).toEqual([BETTER, BETTER, BETTER]);
  expect(rollout(federation)?.stages?.[0]).toMatchObject({ approvedBy: "alice", approverVerified: false });
});

test("a revision that was aborted is rolled out anew when the object comes back to it", async () => {
  await using federation = await rolledOut();
  federation.member("b").stickPods();
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.stages?.[1]?.clusters?.[0]?.state === "Verifying");
  const { revision, startedAt = "" } = rollout(federation) ?? {};
  const abort = JSON.stringify({ revision, run: startedAt, abort: true });
  await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", {
    metadata: { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: abort } },
  });
  await federation.until(() => rollout(federation)?.state === "RolledBack");
  federation.member("b").server.faults.set({ podsStuck: undefined });

  await federation.apply(DEMOAPPLICATIONS, shop(GOOD));
  await federation.until(() => rollout(federation)?.revision === 1 && rollout(federation)?.state === "Succeeded");
  await federation.pass(2_000);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(
    () => rollout(federation)?.revision === revision && rollout(federation)?.state === "Succeeded",
  );
  expect(imagesOf(federation)).toEqual([BETTER, BETTER, BETTER]);
});

/** Points of a run, each with what makes a run come to it and stand there. */
const STANDING: Record<string, { policy: Rollout; broken?: string; isThere: (run: RolloutStatus) => boolean }> = {
  "a cluster is being verified": {
    policy: { gate: { timeout: "10m" } },
    broken: "b",
    isThere: ({ stages }) => stages?.[1]?.clusters?.[0]?.state === "Verifying",
  },
  "a stage soaks": {
    policy: { stages: [{ name: "first", targetClusters: { clusterNames: ["a"] }, soak: "10m" }, { name: "rest" }] },
    isThere: ({ stages }) => stages?.[0]?.state === "Soaking",
  },
  "it has gone back": {
    policy: { gate: { timeout: "10s" }, onFailure: "Rollback" },
    broken: "b",
    isThere: ({ state }) => state === "RolledBack",
  },
};

test.each(Object.entries(STANDING))("%s: a new manager changes nothing", async (_, { policy, broken, isThere }) => {
  await using federation = await TestFederation.start(...MEMBERS);
  await federation.apply(DEMOAPPLICATIONS, shop(GOOD));
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.untilAvailable("shop");
  const staged = policy.stages === undefined ? placement("all").rollsOut(policy, ...MEMBERS) : placement("all");
  await federation.apply(PLACEMENTS, policy.stages === undefined ? staged : staged.rollout(policy));
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  if (broken !== undefined) federation.member(broken).stickPods();
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => isThere(rollout(federation) ?? { state: "Planned" }), 120_000);
  await federation.pass(5_000);

  const [run, images] = [rollout(federation), imagesOf(federation)];
  const writes = MEMBERS.map((name) => federation.member(name).writes.length);
  const conditions = federation.status("shop")?.conditions;
  const told = federation.events.length;
  await federation.restart();
  await federation.pass(20_000);
  expect(rollout(federation)).toEqual(run);
  expect(imagesOf(federation)).toEqual(images);
  expect(federation.status("shop")?.conditions).toEqual(conditions);
  expect(federation.hubClients.at(-1)?.writes).toEqual([]);
  expect(MEMBERS.map((name) => federation.member(name).writes.length)).toEqual(writes);
  expect(federation.events.slice(told).map(({ ["reason"]: reason }) => reason)).toEqual([]);
});

test("a cluster that became healthy while no manager ran has passed, however long that took", async () => {
  await using federation = await rolledOut();
  federation.member("b").stickPods();
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.stages?.[1]?.clusters?.[0]?.state === "Verifying");
  await federation.stopManager();
  federation.member("b").server.faults.set({ podsStuck: undefined });
  await federation.pass(60_000);
  await federation.startManager();
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  expect(imagesOf(federation)).toEqual([BETTER, BETTER, BETTER]);
});

test("a newer change that came while no manager ran goes stage by stage from where each cluster stands", async () => {
  const image = "registry.test/shop:4";
  await using federation = await rolledOut();
  federation.member("b").stickPods();
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.stages?.[1]?.clusters?.[0]?.state === "Verifying");
  expect(imagesOf(federation)).toEqual([BETTER, BETTER, GOOD]);
  await federation.stopManager();
  federation.member("b").server.faults.set({ podsStuck: undefined });
  await federation.apply(DEMOAPPLICATIONS, shop(image));
  await federation.startManager();
  const seen = new Set<string>();
  await federation.until(() => {
    seen.add(imagesOf(federation).join(" "));
    return rollout(federation)?.state === "Succeeded";
  });
  const steps = [BETTER, BETTER, GOOD].map((_one, i, all) => [...Array(i).fill(image), ...all.slice(i)].join(" "));
  for (const step of seen) expect([...steps, Array(3).fill(image).join(" ")]).toContain(step);
  expect(imagesOf(federation)).toEqual([image, image, image]);
});

test("a new manager waits for a silent cluster no longer than for its first answer", async () => {
  await using federation = await rolledOut();
  await federation.stopManager();
  federation.member("c").cutOff("silent");
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.startManager();
  await federation.until(() => imagesOf(federation)[0] === BETTER, 30_000);
  await federation.until(() => imagesOf(federation)[1] === BETTER, 30_000);
  expect(rollout(federation)?.stages?.[2]?.clusters?.[0]?.state).toBe("Deferred");
  expect(imagesOf(federation)[2]).toBe(GOOD);
});

const replicasOn = (federation: TestFederation, member: string): unknown =>
  (federation.member(member).server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas?: number }).replicas;

/** Puts other data into the first revision of the object, as a tenant who may write ControllerRevisions can. */
async function forgeFirst(
  federation: TestFederation,
  data: (stored: Record<string, KubeObject>) => unknown,
): Promise<void> {
  const [{ name } = { name: "" }] = rollout(federation)?.revisions ?? [];
  const { metadata, ...stored } = federation.hub.get(CONTROLLERREVISIONS, "default", name);
  await federation.hub.delete(CONTROLLERREVISIONS, "default", name);
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  await federation.hub.create(CONTROLLERREVISIONS, {
    ...stored,
    metadata: { name, namespace: "default", labels, annotations, ownerReferences },
    data: data(stored["data"] as Record<string, KubeObject>),
  });
}

const FORGED: [string, (stored: Record<string, KubeObject>) => unknown][] = [
  [
    "another image",
    ({ object, ...rest }) => ({ ...rest, object: { ...object, spec: { image: "evil:1", replica: 9 } } }),
  ],
  ["nothing that makes sense", () => ["evil"]],
];

test.each(FORGED)("a revision into which somebody has put %s is used by nobody", async (_, forged) => {
  await using federation = await rolledOut();
  federation.member("b").stickPods();
  await federation.stopManager();
  await forgeFirst(federation, forged);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.startManager();
  // The second stage fails, and there is no way back.
  await federation.until(() => rollout(federation)?.reason === "Failures", 120_000);
  expect(imagesOf(federation)).toEqual([BETTER, BETTER, GOOD]);
  expect(rollout(federation)?.message).toContain("revision 1");
  expect(federation.entry("shop", "c")).toMatchObject({ state: "Held", reason: "RevisionChanged" });
  for (const name of MEMBERS)
    expect(
      federation
        .member(name)
        .server.list(DEPLOYMENTS)
        .map(({ metadata }) => metadata.namespace),
    ).toEqual(["default"]);
  federation.member("b").server.faults.set({ podsStuck: undefined });
  await federation.apply(DEMOAPPLICATIONS, shop("registry.test/shop:4"));
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  expect(imagesOf(federation)).toEqual(Array(3).fill("registry.test/shop:4"));
});
