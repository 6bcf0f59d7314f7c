import { expect, test } from "vitest";
import type { KubeObject, MemberCluster } from "../../src/apis/index.ts";
import { bundle, demoApplication, placement } from "../builders/index.ts";
import { eventually, meridian, meridianOk, throughout } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, type Deployment, objectPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const NAMES = Array.from({ length: 12 }, (_, index) => `shop-${index}`);

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
  joinArgs: ["--kinds", "persistentvolumeclaims,statefulsets"],
});

/** A namespace with twelve applications, all of them available on these clusters. */
async function running(...clusters: string[]): Promise<string> {
  const namespace = await federation.namespace();
  await federation.apply(
    placement("where")
      .namespace(namespace)
      .onClusters(...clusters),
  );
  for (const name of NAMES) await federation.apply(demoApplication(name).namespace(namespace).port(80));
  const replicas = Object.fromEntries(clusters.map((cluster) => [cluster, 1]));
  for (const name of NAMES) await federation.untilAvailable(namespace, name, replicas);
  return namespace;
}

async function available(cluster: string, namespace: string): Promise<string[]> {
  const deployments = await federation.memberApi(cluster).list<Deployment>(collectionPath("Deployment", namespace));
  return deployments
    .filter(({ status }) => (status?.availableReplicas ?? 0) > 0)
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

async function untilWaiting(namespace: string): Promise<void> {
  for (const name of NAMES)
    await federation.untilEntry(namespace, name, SHANGHAI, { state: "Removing", reason: "AwaitingReplacement" });
}

/** The member comes back, takes over, and only then the other one lets go. */
async function untilMoved(namespace: string, back: () => Promise<void>): Promise<void> {
  await back();
  await eventually(
    async () => {
      const [gone, come] = await Promise.all([available(SHANGHAI, namespace), available(SINGAPORE, namespace)]);
      for (const name of NAMES) expect([...gone, ...come], `${name} runs nowhere`).toContain(name);
      expect(come).toEqual(NAMES.toSorted());
      expect(gone).toEqual([]);
    },
    { timeout: 90_000, interval: 50 },
  );
  for (const name of NAMES) await federation.untilAvailable(namespace, name, { [SINGAPORE]: 1 });
}

test.each([
  {
    how: "dead",
    leave: () => federation.member(SINGAPORE).plane.kill(),
    back: () => federation.member(SINGAPORE).plane.start(),
  },
  {
    how: "silent",
    leave: async () => federation.member(SINGAPORE).plane.pause(),
    back: async () => federation.member(SINGAPORE).plane.resume(),
  },
])("a move to a cluster that is $how takes nothing away before the cluster has taken over", async ({ leave, back }) => {
  const namespace = await running(SHANGHAI);
  await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);
  await leave();
  let isBack = false;
  try {
    await federation.apply(placement("where").namespace(namespace).onClusters(SINGAPORE));
    await untilWaiting(namespace);
    await throughout(5000, async () => expect(await available(SHANGHAI, namespace)).toHaveLength(NAMES.length));
    expect(recorder.deletions).toEqual([]);
    isBack = true;
    await untilMoved(namespace, back);
  } finally {
    if (!isBack) await back();
  }
});

test("a taint that moves what runs takes nothing away before it runs elsewhere", async () => {
  const namespace = await running(SHANGHAI);
  await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);
  const path = objectPath("MemberCluster", undefined, SHANGHAI);
  const taint = async (taints: MemberCluster["spec"]["taints"]): Promise<void> => {
    await federation.kubectl([
      "patch",
      "membercluster",
      SHANGHAI,
      "--type=merge",
      "-p",
      JSON.stringify({ spec: { taints } }),
    ]);
    expect((await federation.api.get<MemberCluster>(path)).spec.taints ?? []).toHaveLength(taints?.length ?? 0);
  };
  await federation.member(SINGAPORE).plane.kill();
  await federation.apply(placement("where").namespace(namespace).onClusters(SHANGHAI, SINGAPORE));
  try {
    await taint([{ key: "maintenance", value: "now", effect: "NoExecute" }]);
    await untilWaiting(namespace);
    await throughout(5000, async () => expect(await available(SHANGHAI, namespace)).toHaveLength(NAMES.length));
    expect(recorder.deletions).toEqual([]);
    await untilMoved(namespace, () => federation.member(SINGAPORE).plane.start());
  } finally {
    await federation.member(SINGAPORE).plane.start();
    await taint([]);
  }
});

/** A volume claim, a Deployment whose pod uses it, and a StatefulSet that asks for the deletion of its claims along with it. */
function database(): KubeObject[] {
  const labels = { app: "db" };
  const container = { name: "db", image: "mysql:8", volumeMounts: [{ name: "data", mountPath: "/data" }] };
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "db" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container], volumes } },
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "queue" },
      spec: {
        serviceName: "queue",
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
        selector: { matchLabels: { app: "queue" } },
        template: { metadata: { labels: { app: "queue" } }, spec: { containers: [{ ...container, name: "queue" }] } },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
  ];
}

test("a drain ends when what is left waits for a person, and leaves volume claims with their data", async () => {
  const namespace = await federation.namespace();
  const selects = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
  const groups = [SHANGHAI, SINGAPORE].map((name) => ({ name, clusterNames: [name] }));
  await federation.apply(
    placement("db")
      .namespace(namespace)
      .selects(selects)
      .affinity(...groups),
  );
  await federation.apply(bundle("db", database(), { namespace }));
  await eventually(async () => expect(await available(SHANGHAI, namespace)).toEqual(["db"]));
  const claim = objectPath("PersistentVolumeClaim", namespace, "data");
  const made = objectPath("PersistentVolumeClaim", namespace, "data-queue-0");
  const onShanghai = federation.memberApi(SHANGHAI);
  // The StatefulSet's controller has made it the owner of its claim.
  await eventually(async () => expect((await onShanghai.get(made)).metadata.ownerReferences).toHaveLength(1));
  const claims = () => Promise.all([claim, made].map(async (path) => (await onShanghai.get(path)).metadata));
  const uids = (await claims()).map(({ uid }) => uid);
  const drain = () => meridian(federation.hub, ["drain", SHANGHAI, "--yes", "--timeout", "30s"]);
  try {
    const draining = drain();
    // Nobody provides volumes in these clusters.
    await eventually(() =>
      federation.memberApi(SINGAPORE).patch(`${claim}/status`, "merge", { status: { phase: "Bound" } }),
    );
    expect(await draining).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("cordoned, but not empty: 1 object stays there") as string,
      stderr: expect.stringContaining("manifestbundle/db") as string,
    });
    expect(await available(SHANGHAI, namespace)).toEqual([]);
    expect(await available(SINGAPORE, namespace)).toEqual(["db"]);
    expect(await onShanghai.find(objectPath("StatefulSet", namespace, "queue"))).toBeUndefined();
    const left = await claims();
    expect(left.map(({ uid }) => uid)).toEqual(uids);
    expect(left.map(({ deletionTimestamp }) => deletionTimestamp)).toEqual([undefined, undefined]);
    expect(left[1]?.ownerReferences ?? []).toEqual([]);

    await onShanghai.patch(claim, "merge", { metadata: { finalizers: null } });
    await onShanghai.delete(claim);
    expect(await drain()).toMatchObject({ code: 0 });
  } finally {
    await meridianOk(federation.hub, ["uncordon", SHANGHAI]);
  }
});

test("a drain says which objects have fewer replicas now, and where the others went", async () => {
  const namespace = await federation.namespace();
  const both = [SHANGHAI, SINGAPORE];
  const groups = both.map((name) => ({ name, clusterNames: [name] }));
  const selects = (name: string) => ({ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name });
  await federation.apply(
    placement("everywhere")
      .namespace(namespace)
      .selects(selects("wide"))
      .onClusters(...both),
  );
  await federation.apply(
    placement("one")
      .namespace(namespace)
      .selects(selects("single"))
      .affinity(...groups),
  );
  await federation.apply(demoApplication("wide").namespace(namespace).port(80).replica(2));
  await federation.apply(demoApplication("single").namespace(namespace).port(80));
  await eventually(async () => expect(await available(SHANGHAI, namespace)).toEqual(["single", "wide"]));
  try {
    const { stdout, stderr } = await meridian(federation.hub, ["drain", SHANGHAI, "--yes", "--timeout", "60s"]);
    expect(stderr).toContain(
      `demoapplication/wide in ${namespace}: removed, and no other cluster took over (runs on 1 cluster); 4 replicas before, 2 now`,
    );
    expect(stderr).toContain(`demoapplication/single in ${namespace}: moved to ${SINGAPORE}`);
    expect(stdout).toMatch(/; \d+ objects? ha(s|ve) fewer replicas or clusters now/);
    const table = await federation.kubectl(["get", "memberclusters"]);
    expect(table).toMatch(/^NAME .* CORDONED +DRAINING /);
    expect(table).toMatch(new RegExp(`^${SHANGHAI} .* \\d+s +\\d+s `, "m"));
    expect(table).not.toMatch(new RegExp(`^${SINGAPORE} .* \\d+s +\\d+s `, "m"));
  } finally {
    await meridianOk(federation.hub, ["uncordon", SHANGHAI]);
  }
});
