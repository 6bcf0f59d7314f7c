import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Explanation } from "../../desiredstate/index.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, NAMESPACES, PLACEMENTS, type ResourceType } from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember, type Connection } from "../shared/connection.ts";
import type { PlanReport } from "./report.ts";
import { type Ran, runMeridian } from "../testing/commandLine.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `explain` and `plan` of an object that is divided by room, with two members and no manager: the room is read from the members. */

const FEDERATION = "federation.paas.cmft.com/v1alpha1";
const NODES = { m1: "3", m2: "9" };
let folder: string;
let clusters: SandboxCluster[];
let admin: Connection;
const hubFile = (): string => join(folder, "hub");
const run = (line: string): Promise<Ran> => runMeridian(`${line} --kubeconfig ${hubFile()}`.split(" "));
const make = (type: ResourceType, object: KubeObject): Promise<KubeObject> => admin.client.create(type, object);

const placement = {
  apiVersion: FEDERATION,
  kind: "Placement",
  metadata: { name: "by-room", namespace: "shop" },
  spec: {
    resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }],
    replicaScheduling: { mode: "Divided", strategy: "Available" },
  },
};
const application = (replica: number): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "web", namespace: "shop" },
  spec: { image: "nginx:1.27", replica, resources: { requests: { cpu: "500m" } } },
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-room-"));
  const hub = await startSandboxCluster({ name: "hub", controllers: false });
  clusters = [hub];
  await writeFile(hubFile(), hub.kubeconfig({ namespace: "shop" }));
  admin = connectMember("hub", hubFile(), undefined);
  expect((await run("install")).code).toBe(0);
  for (const [name, cpu] of Object.entries(NODES)) {
    const nodes = [{ name: `${name}-node`, cpu, memory: "64Gi", pods: 110 }];
    const member = await startSandboxCluster({ name, controllers: { nodes } });
    clusters.push(member);
    await writeFile(join(folder, name), member.kubeconfig());
    expect(await run(`join ${name} --region eu --member-kubeconfig ${join(folder, name)}`)).toMatchObject({ code: 0 });
    const lastTransitionTime = "2026-11-21T08:25:00Z";
    const conditions = [{ type: "Ready", status: "True", reason: "Connected", message: "", lastTransitionTime }];
    await admin.client.patch(
      MEMBERCLUSTERS,
      undefined,
      name,
      "application/merge-patch+json",
      { status: { conditions } },
      { subresource: "status" },
    );
  }
  await make(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await make(DEMOAPPLICATIONS, application(8));
  await make(PLACEMENTS, placement);
});

afterAll(async () => {
  await admin?.[Symbol.asyncDispose]();
  await Promise.all((clusters ?? []).map((cluster) => cluster.stop()));
  await rm(folder, { recursive: true, force: true });
});

test("explain says how much room each cluster has, with the rights that join gave", async () => {
  const { out, err } = await run("explain web -o json");
  expect(err).toBe("");
  const [explanation] = (JSON.parse(out) as { explanations: Explanation[] }).explanations;
  expect(explanation?.clusters.map(({ name, replicas }) => [name, replicas])).toEqual([
    ["m1", 2],
    ["m2", 6],
  ]);
  expect((await run("explain web -o wide")).out).toMatch(/room for 6 more[^]*room for 18 more/);
});

test("plan divides by the same room", async () => {
  const file = join(folder, "web.json");
  await writeFile(file, JSON.stringify(application(12)));
  const { out } = await run(`plan -f ${file} -o json`);
  const [planned] = (JSON.parse(out) as PlanReport).objects;
  expect(planned?.clusters.map(({ name, replicas }) => [name, replicas?.after])).toEqual([
    ["m1", 3],
    ["m2", 9],
  ]);
});

test("without a hub nobody measures, and the replicas are divided evenly", async () => {
  const file = join(folder, "all.json");
  const members = Object.keys(NODES).map((name) => ({
    apiVersion: FEDERATION,
    kind: "MemberCluster",
    metadata: { name },
    spec: { connection: { kubeconfigSecretRef: { name } } },
  }));
  await writeFile(
    file,
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [...members, placement, application(8)] }),
  );
  const { out } = await runMeridian(`explain web -n shop --without-hub -f ${file} -o json`.split(" "));
  const [explanation] = (JSON.parse(out) as { explanations: Explanation[] }).explanations;
  expect(explanation?.clusters.map(({ replicas }) => replicas)).toEqual([4, 4]);
  expect(out).toMatch(/nobody measures its room here/);
});
