import { expect, test } from "vitest";
import { type DemoApplication, ROLLOUT_COMMAND_ANNOTATION } from "../../src/apis/index.ts";
import { clusterPlacement, demoApplication, placement } from "../builders/index.ts";
import { eventually, kubectl, meridian } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { FORGERIES, forge, revisionsOf } from "./forgedRevisions.ts";
import { collectionPath, type Deployment, objectPath } from "./objects.ts";
import { tenantOf } from "./tenant.ts";

const REGIONS = ["frankfurt-1", "shanghai-1", "singapore-1"] as const;

const federation = useFederation({ members: REGIONS.map((name) => ({ name, region: name })) });

const inStages = placement("all").rollsOut(
  { gate: { timeout: "5s" }, onFailure: "Rollback", revisionHistoryLimit: 0 },
  ...REGIONS,
);

/** What `kubectl get` shows in that column. */
async function columnOf(namespace: string, column: string): Promise<string | undefined> {
  const [heads = "", row = ""] = (await kubectl(federation.hub, ["get", "demo", "shop", "-n", namespace])).split("\n");
  return row.slice(heads.indexOf(column)).split(/ {2,}/)[0];
}

async function untilRolloutIs(namespace: string, state: string, revision: number): Promise<DemoApplication> {
  return await eventually(
    async () => {
      const application = await federation.application(namespace, "shop");
      expect(application.status?.rollout).toMatchObject({ state, revision });
      return application;
    },
    { message: `the rollout of revision ${revision} is ${state}` },
  );
}

const images = (namespace: string): Promise<string[]> =>
  Promise.all(REGIONS.map((name) => federation.image(name, namespace, "shop")));

test("a change that fails in the second of three regions goes back from the first, and never reaches the third", async () => {
  const namespace = await federation.namespace();
  const shop = (tag: string) =>
    demoApplication("shop").namespace(namespace).replica(1).image(`registry.test/shop:${tag}`);
  await federation.apply(inStages.namespace(namespace));
  await federation.apply(shop("1"));
  await untilRolloutIs(namespace, "Succeeded", 1);

  await eventually(async () => expect(await columnOf(namespace, "RUNS")).toBe("registry.test/shop:1"));
  federation.member("shanghai-1").kubelet?.failImages(/:2$/);
  const third = await federation.deployment("singapore-1", namespace, "shop");
  await federation.apply(shop("2"));
  const back = await untilRolloutIs(namespace, "RolledBack", 2);
  expect(await images(namespace)).toEqual(Array(3).fill("registry.test/shop:1"));
  expect(back.status?.rollout?.stages?.map(({ state }) => state)).toEqual(["RolledBack", "RolledBack", "Waiting"]);
  const { generation = 0 } = back.metadata;
  const before = { status: "True", observedGeneration: generation - 1 };
  await eventually(async () => {
    const application = await federation.application(namespace, "shop");
    expect(conditionOf(application, "Progressing")).toMatchObject({ status: "False", reason: "RolledBack" });
    expect(conditionOf(application, "Applied")).toMatchObject({ status: "False", observedGeneration: generation });
    expect(conditionOf(application, "Available")).toMatchObject(before);
  });
  expect(await columnOf(namespace, "IMAGE")).toBe("registry.test/shop:2");
  await eventually(async () => expect(await columnOf(namespace, "RUNS")).toBe("registry.test/shop:1"));
  const sentence = "registry.test/shop:2 wanted, registry.test/shop:1 runs: rolled back";
  const answers = [
    ["status", "shop"],
    ["explain", "shop"],
  ].map((args) => meridian(federation.hub, [...args, "-n", namespace]));
  for (const { stdout } of await Promise.all(answers)) expect(stdout).toContain(sentence);
  const history = await meridian(federation.hub, ["rollout", "history", "shop", "-n", namespace, "-o", "json"]);
  expect(JSON.parse(history.stdout)).toMatchObject([
    { revision: 1, image: "registry.test/shop:1", clusters: 3 },
    { revision: 2, image: "registry.test/shop:2", clusters: 0 },
  ]);
  const untouched = await federation.deployment("singapore-1", namespace, "shop");
  expect(untouched.metadata.generation).toBe(third.metadata.generation);

  federation.member("shanghai-1").kubelet?.behave({});
  await federation.apply(shop("3"));
  await untilRolloutIs(namespace, "Succeeded", 3);
  expect(await images(namespace)).toEqual(Array(3).fill("registry.test/shop:3"));
  // Only what is in use is kept.
  await federation.apply(shop("4"));
  await untilRolloutIs(namespace, "Succeeded", 4);
  await eventually(async () => {
    const revisions = await federation.api.list(`/apis/apps/v1/namespaces/${namespace}/controllerrevisions`);
    expect(revisions.length).toBeLessThan(3);
  });
});

test("a stage waits for a person, through a new manager, and the status names who approved", async () => {
  const namespace = await federation.namespace();
  const shop = (tag: string) =>
    demoApplication("shop").namespace(namespace).replica(1).image(`registry.test/shop:${tag}`);
  const [first, ...others] = REGIONS.map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
  const stages = [{ ...first, name: "first", approval: "Manual" as const }, ...others];
  const rollout = (...args: string[]) => meridian(federation.hub, ["rollout", ...args, "shop", "-n", namespace]);
  await federation.apply(placement("all").namespace(namespace).rollout({ stages }));
  await federation.apply(shop("1"));
  await untilRolloutIs(namespace, "Paused", 1);
  // The stages of a rollout are approved without webhooks, too; then the status does not vouch for the name.
  expect((await rollout("approve")).stdout).toContain("stage first approved by");
  await untilRolloutIs(namespace, "Succeeded", 1);
  expect((await rollout("status")).stdout).toMatch(/first .*approved by \S+ \(not verified\)/);

  await federation.apply(shop("2"));
  const paused = await untilRolloutIs(namespace, "Paused", 2);
  expect(paused.status?.rollout).toMatchObject({
    reason: "Gate",
    stages: [{ name: "first", state: "Paused" }, {}, {}],
  });
  await federation.manager.stop();
  await federation.startManager();
  expect(await images(namespace)).toEqual(["2", "1", "1"].map((tag) => `registry.test/shop:${tag}`));
  expect((await federation.application(namespace, "shop")).status?.rollout).toEqual(paused.status?.rollout);
  const { code, stdout } = await rollout("status");
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringMatching(/first .*Paused/) as unknown });

  expect((await rollout("approve")).code).toBe(0);
  const done = await untilRolloutIs(namespace, "Succeeded", 2);
  const [approved] = done.status?.rollout?.stages ?? [];
  expect(approved).toMatchObject({ approvedBy: expect.stringMatching(/\S/) as unknown, approverVerified: false });
  expect(await images(namespace)).toEqual(Array(3).fill("registry.test/shop:2"));
  expect((await rollout("status")).code).toBe(0);
  expect((await rollout("history")).stdout).toMatch(/^1 .* good\n2 .* Succeeded, last good\n/m);

  expect((await rollout("undo")).stdout).toContain("rolled back to revision 1");
});

test("a revision that a tenant has forged is none: nothing of it comes to a member, and the object goes on", async () => {
  const victim = await federation.namespace();
  const namespace = "forgers";
  const verbs = ["get", "list", "create", "delete"];
  const tenant = await tenantOf(federation, namespace, [
    { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs },
  ]);
  const names = Object.keys(FORGERIES);
  const [first, second, third] = REGIONS;
  const stages = [
    { name: first, targetClusters: { clusterNames: [first] }, approval: "Manual" as const },
    { name: "others", targetClusters: { clusterNames: [second, third] } },
  ];
  const policy = placement("all").namespace(namespace);
  const app = (name: string, tag: string) =>
    demoApplication(name).namespace(namespace).replica(1).image(`registry.test/shop:${tag}`);
  const rolloutOf = async (name: string) => (await federation.application(namespace, name)).status?.rollout;
  const until = (name: string, wanted: object) =>
    eventually(async () => expect(await rolloutOf(name)).toMatchObject(wanted), { message: name });

  await federation.apply(policy.rollout({ stages: [{ name: "all" }] }));
  for (const name of names) await federation.apply(app(name, "1"));
  for (const name of names) await until(name, { state: "Succeeded", revision: 1 });
  const before = await federation.memberApi(second).list<Deployment>(collectionPath("Deployment", namespace));
  expect(before.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted());

  // What a manager knows of a rollout it forgets while the policy is suspended, which is the tenant's own to say.
  await tenant.patch(objectPath("Placement", namespace, "all"), "merge", {
    spec: { suspend: true, rollout: { stages } },
  });
  for (const name of names) {
    const application = await federation.application(namespace, name);
    await eventually(async () =>
      expect(conditionOf(await federation.application(namespace, name), "Scheduled")?.reason).toBe("Suspended"),
    );
    const [revision] = await revisionsOf(tenant, application);
    if (revision === undefined) throw new Error(`${name} has no revision`);
    await forge(tenant, revision, FORGERIES[name]?.(revision.data, victim));
    await federation.apply(app(name, "2"));
  }
  await tenant.patch(objectPath("Placement", namespace, "all"), "merge", { spec: { suspend: false } });
  for (const name of names) await until(name, { state: "Paused", reason: "Gate", revision: 2 });
  for (const name of names) {
    expect(await federation.image(first, namespace, name)).toBe("registry.test/shop:2");
    const entry = await federation.untilEntry(namespace, name, second, { reason: "RevisionChanged" });
    expect(entry.message).toContain("revision 1");
    const { stdout } = await meridian(federation.hub, ["rollout", "history", name, "-n", namespace]);
    expect(stdout).toMatch(/^1 .*not usable/m);
    const undo = await meridian(federation.hub, ["rollout", "undo", name, "-n", namespace, "--to-revision", "1"]);
    expect(undo).toMatchObject({ code: 2, stderr: expect.stringContaining("revision 1") });
  }
  await meridian(federation.hub, ["rollout", "abort", names[0] ?? "", "-n", namespace]);
  await until(names[0] ?? "", { state: "Paused", reason: "User", message: expect.stringContaining("revision 1") });
  for (const region of [second, third])
    expect(await federation.memberApi(region).list(collectionPath("Deployment", victim))).toEqual([]);
  const after = await federation.memberApi(second).list<Deployment>(collectionPath("Deployment", namespace));
  expect(after.map(({ metadata, spec }) => ({ uid: metadata.uid, spec }))).toEqual(
    before.map(({ metadata, spec }) => ({ uid: metadata.uid, spec })),
  );

  for (const name of names.slice(1)) {
    expect((await meridian(federation.hub, ["rollout", "approve", name, "-n", namespace])).code).toBe(0);
    await until(name, { state: "Succeeded", revision: 2, lastGoodRevision: 2 });
    expect(await federation.image(third, namespace, name)).toBe("registry.test/shop:2");
  }
  tenant.close();
});

test("one tenant's stopped rollout holds up no other tenant of the policy", async () => {
  const [a, b] = [await federation.namespace(), await federation.namespace()];
  const everywhere = REGIONS.map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
  const stages = everywhere.map((stage) => ({ ...stage, approval: "Manual" as const }));
  const policy = clusterPlacement("tenants").rollout({ maxObjects: 1, stages: everywhere });
  const shop = (namespace: string, tag: string) =>
    demoApplication("shop").namespace(namespace).replica(1).image(`registry.test/shop:${tag}`);
  const say = (namespace: string, command: object) =>
    federation.api.patch(objectPath("DemoApplication", namespace, "shop"), "merge", {
      metadata: { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify(command) } },
    });
  await federation.apply(policy);
  for (const namespace of [a, b]) {
    await federation.apply(shop(namespace, "1"));
    await untilRolloutIs(namespace, "Succeeded", 1);
  }

  await federation.api.patch(objectPath("DemoApplication", a, "shop"), "merge", {
    spec: { image: "registry.test/shop:2" },
    metadata: { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify({ revision: 2, paused: true }) } },
  });
  await untilRolloutIs(a, "Planned", 2);
  await eventually(async () => {
    const waits = await federation.application(a, "shop");
    expect(conditionOf(waits, "Progressing")).toMatchObject({ status: "False", reason: "RolloutPaused" });
  });
  await federation.apply(shop(b, "2"));
  await untilRolloutIs(b, "Succeeded", 2);

  await federation.apply(policy.rollout({ maxObjects: 1, yieldAfter: "10s", stages }));
  await say(a, { revision: 2 });
  await untilRolloutIs(a, "Paused", 2);
  await federation.apply(shop(b, "3"));
  const held = await untilRolloutIs(b, "Planned", 3);
  await eventually(async () => {
    const { stdout } = await meridian(federation.hub, ["rollout", "status", "shop", "-n", b]);
    expect(stdout).toContain(`DemoApplication ${a}/shop has stopped since`);
  });
  expect(JSON.stringify(held.status)).not.toContain(a);
  await federation.manager.stop();
  await federation.startManager();
  await untilRolloutIs(b, "Paused", 3);
  expect((await federation.application(a, "shop")).status?.rollout).toMatchObject({ state: "Paused", reason: "Gate" });
  for (const namespace of [a, b]) await federation.remove(shop(namespace, "3"));
  await federation.remove(policy);
});
