import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import type { Explanation } from "../../src/desiredstate/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, meridian } from "../envtest/index.ts";
import { explainFailure, Federation } from "./federation.ts";
import { collectionPath } from "./objects.ts";

/** Division by room with the rights that `join` gives. No scheduler runs here: nodes and what it would say of pods come from the test. */

const FRANKFURT = "frankfurt-1";
const SHANGHAI = "shanghai-1";

let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({
    members: [
      { name: FRANKFURT, region: "eu-central-1" },
      { name: SHANGHAI, region: "cn-shanghai" },
    ],
  });
  await addNode(FRANKFURT, "2");
  await addNode(SHANGHAI, "4");
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

async function addNode(cluster: string, cpu: string): Promise<void> {
  const api = federation.memberApi(cluster);
  const metadata = { name: `${cluster}-node` };
  await api.create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata });
  // A node that has just come carries a taint until somebody says that it is ready.
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];
  const allocatable = { cpu, memory: "64Gi", pods: "110" };
  await api.patch(`/api/v1/nodes/${metadata.name}/status`, "merge", { status: { allocatable, conditions } });
  await api.patch(`/api/v1/nodes/${metadata.name}`, "merge", { spec: { taints: [] } });
}

/** Each pod asks for half a core. */
function shop(namespace: string, replica: number): KubeObject {
  const app = demoApplication("shop").namespace(namespace).replica(replica).object();
  return { ...app, spec: { ...(app["spec"] as object), resources: { requests: { cpu: "500m" } } } };
}

/** What a scheduler says of pods that find no node. */
async function refusePods(cluster: string, namespace: string): Promise<void> {
  const api = federation.memberApi(cluster);
  const pods = await api.list<KubeObject & { status?: { phase?: string } }>(collectionPath("Pod", namespace));
  const message = "0/1 nodes are available: 1 Insufficient cpu.";
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  for (const { metadata, status } of pods) {
    if (status?.phase === "Running") continue;
    const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`;
    await api.patch(path, "merge", { status: { conditions: [condition] } });
  }
}

test("replicas go by the room of the nodes, and leave a cluster where their pods find none", async () => {
  const namespace = await federation.namespace();
  const rules = { after: "5s", maxReplicas: 2 };
  await federation.apply(placement("by-room").namespace(namespace).byHeadroom("Available", rules));
  await federation.apply(shop(namespace, 6));
  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 2, [SHANGHAI]: 4 });

  // From here on the pods of Frankfurt wait for a node.
  federation.member(FRANKFURT).kubelet?.behave({ fate: () => "hang" });
  await federation.apply(shop(namespace, 9));
  await federation.untilEntry(namespace, "shop", FRANKFURT, {
    replicas: { desired: 3, updated: 3, ready: 2, available: 2 },
  });
  await eventually(async () => {
    await refusePods(FRANKFURT, namespace);
    const entry = await federation.entry(namespace, "shop", FRANKFURT);
    expect(entry?.unschedulableSince).toMatch(/Z$/);
  });
  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 2, [SHANGHAI]: 7 });

  const said = await meridian(federation.hub, ["explain", "shop", "-n", namespace, "-o", "json"]);
  const [explanation] = (JSON.parse(said.stdout) as { explanations: Explanation[] }).explanations;
  const rooms = explanation?.clusters.map(({ name, scores }) => [name, scores]);
  expect(rooms).toEqual([
    [FRANKFURT, { Room: 2 }],
    [SHANGHAI, { Room: 1 }],
  ]);
});
