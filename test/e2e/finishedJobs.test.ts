import { expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, KubeObject, MemberCluster } from "../../src/apis/index.ts";
import { bundle, placement } from "../builders/index.ts";
import { eventually, meridian, meridianOk, throughout } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, configMap, objectPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

/** A Job that has finished stays finished: with the real Job controllers and TTL controllers on the hub and on the members. */

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const JOBS = { apiVersion: "batch/v1", kind: "Job" };
const BUNDLES = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };

/** Without kubelets: the tests end the pods. */
const quiet = { kubelet: false, moreControllers: ["ttl-after-finished-controller"] };

const federation = useFederation({
  hub: quiet,
  members: [
    { name: SHANGHAI, region: "cn-shanghai", ...quiet },
    { name: SINGAPORE, region: "ap-southeast-1", ...quiet },
  ],
  joinArgs: ["--kinds", "jobs"],
});

const job = (name: string, spec: object = {}, metadata: object = {}): KubeObject => ({
  ...JOBS,
  metadata: { name, ...metadata },
  spec: {
    ...spec,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "work", image: "registry.example/work:1" }] } },
  },
});

type Cluster = "hub" | typeof SHANGHAI | typeof SINGAPORE;
const apiOf = (cluster: Cluster) => (cluster === "hub" ? federation.api : federation.memberApi(cluster));

/** Ends the pods of the Job there as its kubelet would. */
async function finish(cluster: Cluster, namespace: string, name: string): Promise<void> {
  const api = apiOf(cluster);
  await eventually(async () => {
    const pods = await api.list(collectionPath("Pod", namespace));
    const own = pods.filter(({ metadata }) => metadata.labels?.["batch.kubernetes.io/job-name"] === name);
    expect(own).not.toEqual([]);
    for (const { metadata } of own)
      await api.patch(`${objectPath("Pod", namespace, metadata.name)}/status`, "merge", {
        status: { phase: "Succeeded" },
      });
  });
}

async function statusOf(namespace: string, kind: "Job" | "ManifestBundle", name: string): Promise<FederatedStatus> {
  const path =
    kind === "Job"
      ? objectPath("ResourceBinding", namespace, `job.batch.${name}`)
      : objectPath("ManifestBundle", namespace, name);
  return (await federation.api.get<KubeObject & { status?: FederatedStatus }>(path)).status ?? {};
}

/** Waits until the entry of the cluster says that the work there is done, and the record has it. */
async function untilFinished(
  namespace: string,
  kind: "Job" | "ManifestBundle",
  name: string,
  cluster: string,
): Promise<ClusterStatusEntry> {
  return await eventually(async () => {
    const { clusters = [], finished } = await statusOf(namespace, kind, name);
    expect(finished?.clusters).toContainEqual(expect.objectContaining({ name: cluster }));
    const entry = clusters.find((one) => one.name === cluster);
    expect(entry).toMatchObject({ state: "Available" });
    return entry as ClusterStatusEntry;
  });
}

async function untilGone(cluster: Cluster, namespace: string, name: string): Promise<void> {
  await eventually(async () => expect(await apiOf(cluster).find(objectPath("Job", namespace, name))).toBeUndefined());
}

async function taint(cluster: string, taints: MemberCluster["spec"]["taints"]): Promise<void> {
  await federation.api.patch(objectPath("MemberCluster", undefined, cluster), "merge", { spec: { taints } });
}

const AWAY = [{ key: "maintenance", value: "now", effect: "NoExecute" as const }];

test("a Job that its TTL has removed from a member does not run again, whoever leads", async () => {
  const namespace = await federation.namespace();
  await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Job"]);
  await federation.apply(placement("work").namespace(namespace).selects(JOBS, BUNDLES).onClusters(SHANGHAI));
  await federation.apply(job("once", { ttlSecondsAfterFinished: 1 }, { namespace }));
  await federation.apply(bundle("more", [job("packed", { ttlSecondsAfterFinished: 0 })], { namespace }));
  for (const name of ["once", "packed"]) await finish(SHANGHAI, namespace, name);
  for (const name of ["once", "packed"]) await untilGone(SHANGHAI, namespace, name);
  await untilFinished(namespace, "Job", "once", SHANGHAI);
  await untilFinished(namespace, "ManifestBundle", "more", SHANGHAI);

  await federation.manager.stop();
  await federation.startManager();
  await federation.apply(job("once", { ttlSecondsAfterFinished: 2 }, { namespace, labels: { team: "a" } }));
  await throughout(4_000, () => expect(recorder.countsOf(namespace)).toEqual({ "Job once": 1, "Job packed": 1 }));

  // Other work is a new run.
  const next = job("packed", { ttlSecondsAfterFinished: 0, backoffLimit: 3 });
  await federation.apply(bundle("more", [next], { namespace }));
  await eventually(() => expect(recorder.countsOf(namespace)).toEqual({ "Job once": 1, "Job packed": 2 }));
  await federation.remove(bundle("more", [], { namespace }));
});

test("a Job that has finished moves nowhere: neither for a taint nor for a drain", async () => {
  const namespace = await federation.namespace();
  await using recorder = new Recorder(federation.memberApi(SINGAPORE), ["Job"]);
  const groups = [SHANGHAI, SINGAPORE].map((name) => ({ name, clusterNames: [name] }));
  await federation.apply(
    placement("work")
      .namespace(namespace)
      .selects(JOBS, BUNDLES)
      .affinity(...groups),
  );
  await federation.apply(job("done", {}, { namespace }));
  const parts = [job("packed", { ttlSecondsAfterFinished: 0 }), configMap(namespace, "beside", { a: "b" })];
  await federation.apply(bundle("moving", parts, { namespace }));
  for (const name of ["done", "packed"]) await finish(SHANGHAI, namespace, name);
  await untilFinished(namespace, "Job", "done", SHANGHAI);
  await untilFinished(namespace, "ManifestBundle", "moving", SHANGHAI);
  const { uid } = (await federation.memberApi(SHANGHAI).get(objectPath("Job", namespace, "done"))).metadata;
  try {
    await taint(SHANGHAI, AWAY);
    // The bundle moves for the sake of what does not finish; its Job is done there as well.
    await eventually(() => federation.memberApi(SINGAPORE).get(objectPath("ConfigMap", namespace, "beside")));
    await untilFinished(namespace, "ManifestBundle", "moving", SINGAPORE);
    await taint(SHANGHAI, []);
    await eventually(() => federation.memberApi(SHANGHAI).get(objectPath("ConfigMap", namespace, "beside")));
    expect(await meridian(federation.hub, ["drain", SHANGHAI, "--yes", "--timeout", "30s"])).toMatchObject({ code: 0 });
    await throughout(2_000, () => expect(recorder.countsOf(namespace)).toEqual({}));
    const kept = await federation.memberApi(SHANGHAI).get(objectPath("Job", namespace, "done"));
    expect(kept.metadata).toMatchObject({ uid });
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
  } finally {
    await taint(SHANGHAI, []);
    await meridianOk(federation.hub, ["uncordon", SHANGHAI]);
  }
});

test("when the TTL removes the Job from the hub, members' Jobs that still run are not removed", async () => {
  const namespace = await federation.namespace();
  await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Job"]);
  await federation.apply(placement("work").namespace(namespace).selects(JOBS).onClusters(SHANGHAI));
  await federation.apply(job("long", { ttlSecondsAfterFinished: 0 }, { namespace }));
  await eventually(() => federation.memberApi(SHANGHAI).get(objectPath("Job", namespace, "long")));
  await finish("hub", namespace, "long");
  const path = objectPath("Job", namespace, "long");
  await eventually(async () => expect((await federation.api.get(path)).metadata.deletionTimestamp).toBeDefined());
  await eventually(async () => {
    const { clusters } = await statusOf(namespace, "Job", "long");
    expect(clusters).toMatchObject([{ name: SHANGHAI, state: "Held", reason: "StillRunning" }]);
  });
  await throughout(2_000, () => expect(recorder.deletions).toEqual([]));
  await finish(SHANGHAI, namespace, "long");
  await untilGone("hub", namespace, "long");
  await untilGone(SHANGHAI, namespace, "long");
  expect(recorder.countsOf(namespace)).toEqual({ "Job long": 1 });
});
