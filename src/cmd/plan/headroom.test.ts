import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Explanation } from "../../desiredstate/index.ts";
import { runMeridian } from "../testing/commandLine.ts";
import { SandboxHub } from "../testing/sandboxHub.ts";
import type { PlanReport } from "./report.ts";
import { FEDERATION } from "./testing/objects.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `explain` and `plan` of an object that is divided by room, with two members and no manager: the room is read from the members. */

const NODES = { m1: "3", m2: "9" };
let fleet: SandboxHub;

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
  fleet = await SandboxHub.start({ namespace: "shop" });
  for (const [name, cpu] of Object.entries(NODES)) {
    const nodes = [{ name: `${name}-node`, cpu, memory: "64Gi", pods: 110 }];
    await fleet.join(name, { controllers: { nodes } });
  }
  await fleet.makeNamespaces("shop");
  for (const object of [application(8), placement]) await fleet.make(object);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("explain says how much room each cluster has, with the rights that join gave", async () => {
  const { out, err } = await fleet.run("explain web -o json");
  expect(err).toBe("");
  const [explanation] = (JSON.parse(out) as { explanations: Explanation[] }).explanations;
  expect(explanation?.clusters.map(({ name, replicas }) => [name, replicas])).toEqual([
    ["m1", 2],
    ["m2", 6],
  ]);
  expect((await fleet.run("explain web -o wide")).out).toMatch(/room for 6 more[^]*room for 18 more/);
});

test("plan divides by the same room", async () => {
  const { out } = await fleet.run(`plan -f ${await fleet.fileOf(application(12))} -o json`);
  const [planned] = (JSON.parse(out) as PlanReport).objects;
  expect(planned?.clusters.map(({ name, replicas }) => [name, replicas?.after])).toEqual([
    ["m1", 3],
    ["m2", 9],
  ]);
});

test("without a hub nobody measures, and the replicas are divided evenly", async () => {
  const members = Object.keys(NODES).map((name) => ({
    apiVersion: FEDERATION,
    kind: "MemberCluster",
    metadata: { name },
    spec: { connection: { kubeconfigSecretRef: { name } } },
  }));
  const file = await fleet.fileOf(...members, placement, application(8));
  const { out } = await runMeridian(`explain web -n shop --without-hub -f ${file} -o json`.split(" "));
  const [explanation] = (JSON.parse(out) as { explanations: Explanation[] }).explanations;
  expect(explanation?.clusters.map(({ replicas }) => replicas)).toEqual([4, 4]);
  expect(out).toMatch(/nobody measures its room here/);
});
