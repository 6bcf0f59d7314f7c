import { expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { bundle, placement } from "../builders/index.ts";
import { eventually, meridian, meridianOk } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, type Deployment, objectPath } from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
  joinArgs: ["--kinds", "persistentvolumeclaims,statefulsets"],
});

async function available(cluster: string, namespace: string): Promise<string[]> {
  const deployments = await federation.memberApi(cluster).list<Deployment>(collectionPath("Deployment", namespace));
  return deployments
    .filter(({ status }) => (status?.availableReplicas ?? 0) > 0)
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

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
