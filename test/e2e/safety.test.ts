import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ACCEPT_CLUSTER_UID_ANNOTATION, type KubeObject, type MemberCluster } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, FaultProxy, startManager, throughout } from "../envtest/index.ts";
import { emptyOnce, forbidding, hubThrough, isWrite, managerThrough, ordinaryManager } from "./faultyHub.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { collectionPath, objectPath, secret } from "./objects.ts";
import { Recorder } from "./recorder.ts";
import { hubObjects, memberTokens } from "./safetySecrets.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
/** Not joined. */
const SPARE = "spare-1";

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: SPARE, region: "eu-central-1" },
  ],
  unjoined: [SPARE],
});

const both = (replicas = 1) => ({ [SHANGHAI]: replicas, [SINGAPORE]: replicas });

describe("rule 1: nothing is deleted before every cache of the hub has synced", () => {
  test.each(["demoapplications", "placements", "clusterplacements", "overridepolicies", "memberclusters"])(
    "a manager that cannot read %s touches nothing, and begins once it can",
    async (plural) => {
      const namespace = await federation.namespace();
      await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
      const shop = demoApplication("shop").namespace(namespace).port(80);
      await federation.apply(shop);
      await federation.untilAvailable(namespace, "shop", both());
      await using proxy = await FaultProxy.start(federation.hub);
      await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);
      try {
        proxy.fault = forbidding(plural);
        await managerThrough(federation, proxy, false);
        await eventually(() => expect(proxy.requests.some(({ path }) => path.endsWith(`/${plural}`))).toBe(true));
        // The one that was away meanwhile: a plan without it would look as if it should be nowhere.
        await federation.apply(shop.image("nginx:1.28"));
        await throughout(4000, async () => {
          expect(recorder.deletions).toEqual([]);
          await federation.service(SINGAPORE, namespace, "shop");
        });
        proxy.fault = undefined;
        await federation.untilAvailable(namespace, "shop", both(), 90_000);
        expect(await federation.image(SINGAPORE, namespace, "shop")).toBe("nginx:1.28");
        expect(recorder.deletions).toEqual([]);
      } finally {
        await ordinaryManager(federation);
      }
    },
  );
});

describe("rule 2: a relist in which most objects vanish deletes nothing", () => {
  test("until a second read agrees", async () => {
    const namespace = await federation.namespace();
    const names = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
    await using proxy = await FaultProxy.start(federation.hub);
    await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment"]);
    try {
      await managerThrough(federation, proxy);
      await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI));
      for (const name of names) await federation.apply(demoApplication(name).namespace(namespace));
      for (const name of names) await federation.untilAvailable(namespace, name, { [SHANGHAI]: 1 });

      const { metadata } = await federation.api.get<{ metadata: { resourceVersion: string } }>(
        collectionPath("DemoApplication"),
      );
      // The watch breaks, its place is too old, and the first read of everything comes back empty: a stale or wrong answer.
      const lie = emptyOnce(metadata);
      proxy.fault = lie.fault;
      proxy.disconnect();
      await eventually(() => expect(lie.told).toBe(1), { timeout: 60_000 });
      expect(lie.refusedWatches).toBeGreaterThan(0);
      await throughout(5000, () => expect(recorder.deletions).toEqual([]));
      proxy.fault = undefined;
      for (const name of names) await federation.untilAvailable(namespace, name, { [SHANGHAI]: 1 });
      expect(recorder.deletions).toEqual([]);

      // What is deleted properly still goes.
      for (const name of names) await federation.api.delete(objectPath("DemoApplication", namespace, name));
      await eventually(
        async () => expect(await federation.api.list(collectionPath("DemoApplication", namespace))).toEqual([]),
        { timeout: 60_000 },
      );
    } finally {
      await ordinaryManager(federation);
    }
  });
});

describe("rule 3: deletion is seen through to the end", () => {
  test("every delete names the life that it means, and the hub object stays until the member's are gone", async () => {
    const namespace = await federation.namespace();
    const { plane } = federation.member(SPARE);
    await using proxy = await federation.joinThroughProxy(SPARE);
    try {
      await federation.apply(placement("one").namespace(namespace).onClusters(SPARE));
      await federation.apply(demoApplication("shop").namespace(namespace).port(80));
      await federation.untilAvailable(namespace, "shop", { [SPARE]: 1 });
      proxy.requests.length = 0;
      proxy.cut();
      await federation.untilMemberIs(SPARE, "False", "ClusterUnreachable");
      await federation.api.delete(objectPath("DemoApplication", namespace, "shop"));
      await throughout(2000, async () => {
        const { metadata } = await federation.application(namespace, "shop");
        expect(metadata.finalizers).not.toEqual([]);
        expect(metadata.deletionTimestamp).toBeDefined();
      });
      proxy.heal();
      await eventually(
        async () => expect(await federation.api.find(objectPath("DemoApplication", namespace, "shop"))).toBeUndefined(),
        { timeout: 90_000 },
      );
      for (const kind of ["Deployment", "Service"])
        expect(await plane.api.find(objectPath(kind, namespace, "shop"))).toBeUndefined();
      const deletes = proxy.requests.filter(({ method }) => method === "DELETE");
      expect(deletes.map(({ path }) => path)).toEqual(
        expect.arrayContaining([objectPath("Deployment", namespace, "shop"), objectPath("Service", namespace, "shop")]),
      );
      for (const { body } of deletes)
        expect(JSON.parse(body)).toMatchObject({ preconditions: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
    } finally {
      proxy.heal();
      await federation.removeMember(SPARE);
    }
  });

  test("an unjoined cluster that cannot be reached holds no object back", async () => {
    const namespace = await federation.namespace();
    const { plane } = federation.member(SPARE);
    await using proxy = await federation.joinThroughProxy(SPARE);
    await federation.apply(placement("two").namespace(namespace).onClusters(SHANGHAI, SPARE));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1, [SPARE]: 1 });
    proxy.cut();
    await federation.untilMemberIs(SPARE, "False", "ClusterUnreachable");
    await federation.api.delete(objectPath("DemoApplication", namespace, "shop"));
    await federation.removeMember(SPARE);
    await eventually(
      async () => expect(await federation.api.find(objectPath("DemoApplication", namespace, "shop"))).toBeUndefined(),
      { timeout: 60_000 },
    );
    // Let go, not deleted.
    expect(await plane.api.find(objectPath("Deployment", namespace, "shop"))).toBeDefined();
    await plane.api.delete(objectPath("Namespace", undefined, namespace));
  });
});

describe("rule 5: a cluster is who it was", () => {
  test("a Secret that leads to another cluster stops the writing until a person agrees", async () => {
    const namespace = await federation.namespace();
    const spare = federation.member(SPARE).plane;
    await federation.apply(placement("one").namespace(namespace).onClusters("moving-1"));
    const shop = demoApplication("shop").namespace(namespace);
    await federation.apply(shop);
    // The cluster under this name is Singapore's at first; nobody else may have joined that one.
    const singapore = federation.member(SINGAPORE).plane;
    await federation.removeMember(SINGAPORE);
    await using proxy = await FaultProxy.start(spare);
    try {
      await federation.joinByHand("moving-1", singapore.kubeconfig, "ap-southeast-1");
      await federation.untilMemberIs("moving-1", "True");
      await federation.untilAvailable(namespace, "shop", { "moving-1": 1 });

      await federation.setKubeconfig("moving-1", proxy.kubeconfigFor(spare.adminToken));
      await federation.untilMemberIs("moving-1", "False", "ClusterIdentityChanged");
      await federation.apply(shop.image("nginx:1.28"));
      await federation.untilEntry(namespace, "shop", "moving-1", { reason: "ClusterIdentityChanged" });
      await throughout(3000, async () => {
        expect(await spare.api.find(objectPath("Namespace", undefined, namespace))).toBeUndefined();
        expect(await federation.image(SINGAPORE, namespace, "shop")).toBe("nginx:1.27");
      });
      expect(proxy.requests.length).toBeGreaterThan(0);
      expect(proxy.requests.filter(isWrite)).toEqual([]);

      const { metadata } = await spare.api.get(objectPath("Namespace", undefined, "kube-system"));
      await federation.api.patch(objectPath("MemberCluster", undefined, "moving-1"), "merge", {
        metadata: { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: metadata.uid } },
      });
      await federation.untilAvailable(namespace, "shop", { "moving-1": 1 });
      expect((await spare.api.get(objectPath("Deployment", namespace, "shop"))).metadata.uid).toBeDefined();
      const cluster = await federation.api.get<MemberCluster>(objectPath("MemberCluster", undefined, "moving-1"));
      expect(cluster.status?.clusterUID).toBe(metadata.uid);
      await federation.remove(shop);
    } finally {
      await federation.removeMember("moving-1");
      await federation.join(federation.member(SINGAPORE));
    }
  });
});

describe("rule 6: what was not reported is unknown", () => {
  test("a cluster that was never reached is not healthy, and its silence is not success", async () => {
    const namespace = await federation.namespace();
    try {
      await federation.joinByHand(
        SPARE,
        federation.member(SPARE).plane.kubeconfigFor({ token: "any", server: "https://127.0.0.1:9" }),
      );
      await federation.apply(placement("two").namespace(namespace).onClusters(SHANGHAI, SPARE));
      await federation.apply(demoApplication("shop").namespace(namespace).replica(2));
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
      const entry = await federation.untilEntry(namespace, "shop", SPARE, { reason: "ClusterUnreachable" });
      expect(["Unknown", "Pending"]).toContain(entry.state);
      expect(entry.replicas).toMatchObject({ ready: 0, available: 0 });
      const application = await federation.application(namespace, "shop");
      expect(conditionOf(application, "Available")?.status).not.toBe("True");
      expect(conditionOf(application, "Applied")?.status).not.toBe("True");
      await federation.apply(placement("two").namespace(namespace).onClusters(SHANGHAI));
      // Nobody has seen that nothing is left there: the cluster is named until it is reached or removed, and counts for nothing.
      await eventually(async () => {
        const { status } = await federation.application(namespace, "shop");
        expect(status?.conditions?.find(({ type }) => type === "Available")).toMatchObject({ status: "True" });
        expect(status?.replicas).toMatchObject({ desired: 2, available: 2 });
        expect(status?.clusters?.map(({ name, state }) => `${name} ${state}`)).toEqual([
          `${SHANGHAI} Available`,
          `${SPARE} Unknown`,
        ]);
      });
    } finally {
      await federation.removeMember(SPARE);
    }
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 2 });
  });

  test("a Deployment whose controller has not looked yet is not available", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("one").namespace(namespace).onClusters(SHANGHAI));
    const { kubelet } = federation.member(SHANGHAI);
    kubelet?.behave({ fate: () => "hang" });
    try {
      await federation.apply(demoApplication("shop").namespace(namespace).replica(2));
      await federation.untilEntry(namespace, "shop", SHANGHAI, {
        state: "Progressing",
        replicas: { desired: 2, updated: 2, ready: 0, available: 0 },
      });
      expect(conditionOf(await federation.application(namespace, "shop"), "Available")?.status).not.toBe("True");
    } finally {
      kubelet?.behave({});
    }
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 2 });
  });
});

describe("rule 7: a stale leader writes nothing", () => {
  test("a process that slept through the end of its Lease does not write when it wakes", async () => {
    const namespace = await federation.namespace();
    const quick = ["--lease-duration", "4s", "--renew-deadline", "3s", "--retry-period", "500ms"];
    const { plane } = federation.member(SPARE);
    await using hubProxy = await FaultProxy.start(federation.hub);
    await federation.manager.stop();
    await using sleeper = await startManager({
      hub: federation.hub,
      folder: federation.fleet.dir,
      args: ["--kubeconfig", await hubThrough(federation, hubProxy), ...quick],
    });
    try {
      await federation.joinByHand(SPARE, plane.kubeconfig);
      await federation.apply(placement("one").namespace(namespace).onClusters(SPARE));
      const shop = demoApplication("shop").namespace(namespace).port(80);
      await federation.apply(shop);
      await federation.untilAvailable(namespace, "shop", { [SPARE]: 1 });

      sleeper.pause();
      await federation.startManager({ args: quick, waitUntilReady: false });
      await federation.apply(shop.image("nginx:1.28"));
      await federation.untilAvailable(namespace, "shop", { [SPARE]: 1 });
      const before = await federation.deployment(SPARE, namespace, "shop");
      expect(before.spec.template.spec.containers[0].image).toBe("nginx:1.28");

      const earlier = hubProxy.requests.length;
      sleeper.resume();
      await sleep(4000);
      const writes = hubProxy.requests.slice(earlier).filter(isWrite);
      expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      const after = await federation.deployment(SPARE, namespace, "shop");
      expect(after.metadata.generation).toBe(before.metadata.generation);
      await federation.remove(shop);
    } finally {
      await sleeper.kill();
      await federation.removeMember(SPARE);
      await ordinaryManager(federation);
    }
  });
});

describe("rule 8: secrets stay secret", () => {
  const PASSWORD = "correct-horse-battery-staple";
  const PASSWORD_BASE64 = Buffer.from(PASSWORD).toString("base64");

  beforeEach(async () => {
    await federation.manager.stop();
    await federation.startManager({ args: ["--log-level", "debug"] });
  });
  afterEach(() => ordinaryManager(federation));

  test("no value of a Secret and no token reaches a log, a status, an Event or a metric, however things fail", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(SINGAPORE);
    const { plane } = federation.member(SPARE);
    const broken = `users: [${PASSWORD}`;
    try {
      // A Secret that travels, one that a member refuses, one that drifts, a kubeconfig that cannot be read and a token that is refused.
      await api.create(collectionPath("Namespace"), {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
      await api.create(collectionPath("ResourceQuota", namespace), {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "none", namespace },
        spec: { hard: { secrets: "0" } },
      });
      await eventually(async () =>
        expect(await api.get(objectPath("ResourceQuota", namespace, "none"))).toMatchObject({
          status: { hard: { secrets: "0" } },
        }),
      );
      await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE, SPARE));
      await federation.kubectl(["apply", "-f", "-"], JSON.stringify(secret(namespace, "db", { password: PASSWORD })));
      await federation.apply(demoApplication("shop").namespace(namespace).envFromSecret("db"));
      await federation.joinByHand(SPARE, broken);
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
      await federation.untilEntry(namespace, "shop", SINGAPORE, { reason: expect.stringMatching(/./) });
      await federation
        .memberApi(SHANGHAI)
        .patch(`${objectPath("Secret", namespace, "db")}?fieldManager=rogue`, "merge", {
          data: { password: Buffer.from(`${PASSWORD}-changed`).toString("base64") },
        });
      await eventually(async () => {
        const carried = await federation
          .memberApi(SHANGHAI)
          .get<KubeObject & { data: Record<string, string> }>(objectPath("Secret", namespace, "db"));
        expect(carried.data["password"]).toBe(PASSWORD_BASE64);
        // What the person's kubectl noted down holds the value too, and stays at home.
        expect(carried.metadata.annotations).not.toHaveProperty(["kubectl.kubernetes.io/last-applied-configuration"]);
      });
      await federation.untilMemberIs(SPARE, "False");
      await federation.setKubeconfig(SPARE, plane.kubeconfigFor({ token: PASSWORD }));
      await federation.untilMemberIs(SPARE, "False", "CredentialsRejected");

      await eventually(async () => expect(await federation.manager.log()).toContain("CredentialsRejected"));
      const tokens = await memberTokens(federation);
      expect(tokens.length).toBeGreaterThanOrEqual(2);
      const places = {
        log: await federation.manager.log(),
        metrics: await federation.manager.metricsText(),
        hub: JSON.stringify(await hubObjects(federation)),
        memberEvents: JSON.stringify(await api.list(collectionPath("Event"))),
        memberWorkloads: JSON.stringify(await federation.memberApi(SHANGHAI).list(collectionPath("Deployment"))),
      };
      for (const [place, text] of Object.entries(places)) {
        expect(text.length, place).toBeGreaterThan(100);
        for (const value of [PASSWORD, PASSWORD_BASE64, ...tokens])
          expect(text.includes(value), `${place} holds a secret`).toBe(false);
      }
    } finally {
      await federation.removeMember(SPARE);
    }
  });
});
