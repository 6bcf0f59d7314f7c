import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type KubeObject, MANAGED_BY_LABEL, REGION_LABEL } from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import { eventually, REPOSITORY } from "../envtest/index.ts";
import { explainFailure, Federation } from "./federation.ts";
import { collectionPath, objectPath } from "./objects.ts";

/** Those of placements/. */
const REGIONS = [
  "cn-shanghai",
  "ap-southeast-1",
  "eu-central-1",
  "us-east-1",
  "cn-beijing",
  "cn-shenzhen",
  "cn-hongkong",
  "ap-northeast-1",
  "ap-south-1",
  "eu-west-1",
  "us-west-2",
  "sa-east-1",
];
const clusterOf = (region: string) => `${region}-a`;

let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({
    members: REGIONS.map((region) => ({ name: clusterOf(region), region })),
    hub: { controllerManager: false },
  });
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

test("twelve regions run the object with their own replicas, and one status sums them", async () => {
  await federation.apply(
    placement("all").affinity({
      name: "all",
      labelSelector: { matchExpressions: [{ key: "topology.kubernetes.io/region", operator: "Exists" }] },
    }),
  );
  await federation.apply(
    overridePolicy("regional").inRegion("cn-shanghai", { replicas: 5 }).inRegion("ap-southeast-1", { replicas: 3 }),
  );
  const shop = demoApplication("shop").replica(2).port(80);
  await federation.apply(shop);
  const expected = Object.fromEntries(
    REGIONS.map((region) => [clusterOf(region), region === "cn-shanghai" ? 5 : region === "ap-southeast-1" ? 3 : 2]),
  );
  const application = await federation.untilAvailable("default", "shop", expected, 120_000);
  expect(application.status?.replicas).toEqual({ desired: 28, updated: 28, ready: 28, available: 28 });

  await federation.apply(shop.image("nginx:1.28"));
  await federation.untilAvailable("default", "shop", expected, 120_000);
  for (const region of REGIONS) expect(await federation.image(clusterOf(region), "default", "shop")).toBe("nginx:1.28");
});

test("a fleet loses one region and keeps eleven", async () => {
  const lost = clusterOf("sa-east-1");
  await federation.member(lost).plane.kill();
  await federation.untilEntry("default", "shop", lost, { state: "Unknown", reason: "ClusterUnreachable" });
  const { status } = await federation.application("default", "shop");
  expect(status?.clusters?.filter(({ state }) => state === "Available")).toHaveLength(11);
  expect(status?.replicas?.desired).toBe(28);
  await federation.member(lost).plane.start();
  await federation.untilEntry("default", "shop", lost, { state: "Available" }, 90_000);
});

test("deletion leaves nothing in any region", async () => {
  await federation.remove(demoApplication("shop"), 90_000);
  for (const region of REGIONS) {
    const api = federation.memberApi(clusterOf(region));
    for (const kind of ["Deployment", "Service"]) {
      await eventually(async () => expect(await api.find(objectPath(kind, "default", "shop"))).toBeUndefined());
    }
  }
});

test("the example of own-region instances runs each of them in its own region, and nowhere else", async () => {
  const text = await readFile(join(REPOSITORY, "placements/examples/own-region.yaml"), "utf8");
  const objects = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
  const instances = objects.filter(({ kind }) => kind === "DemoApplication");
  const regions = instances.map(({ metadata }) => metadata.labels?.[REGION_LABEL] ?? "");
  expect(regions).toEqual(REGIONS);
  // Of the tests before; they would change the replicas.
  for (const policy of [placement("all"), overridePolicy("regional")]) await federation.remove(policy);
  for (const object of objects) await federation.apply(object);
  for (const [index, { metadata }] of instances.entries()) {
    const cluster = clusterOf(REGIONS[index] ?? "");
    await federation.untilAvailable("default", metadata.name, { [cluster]: 2 });
    const managed = `${collectionPath("Deployment", "default")}?labelSelector=${MANAGED_BY_LABEL}`;
    const there = await federation.memberApi(cluster).list(managed);
    expect(there.map((deployment) => deployment.metadata.name)).toEqual([metadata.name]);
  }
  await Promise.all(instances.map((object) => federation.remove(object)));
});
