import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { MemberCluster } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, throughout } from "../envtest/index.ts";
import { explainFailure, Federation } from "./federation.ts";
import { collectionPath, type Deployment, objectPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const NAMES = Array.from({ length: 12 }, (_, index) => `shop-${index}`);

let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({
    members: [
      { name: SHANGHAI, region: "cn-shanghai" },
      { name: SINGAPORE, region: "ap-southeast-1" },
    ],
  });
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

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
