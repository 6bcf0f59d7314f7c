import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  clusterOverridePolicy,
  clusterPlacement,
  demoApplication,
  memberCluster,
  overridePolicy,
  placement,
} from "../../../test/builders/index.ts";
import type { KubeObject } from "../../apis/index.ts";
import { type Ran, runMeridian } from "../testing/commandLine.ts";
import { condition } from "../testing/statusObjects.ts";
import type { AnalysisReport } from "./text.ts";

/** `meridian analyze --without-hub`: the fleet is two clusters, a third one with a taint, and what `present` has. */

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-analyze-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(...items: unknown[]): Promise<string> {
  const path = join(folder, `file-${count++}.json`);
  await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  return path;
}
const run = (...args: string[]): Promise<Ran> =>
  runMeridian(["analyze", "--without-hub", ...args], { KUBECONFIG: join(folder, "there-is-none") });

const CAPACITY = { nodes: 1, cpu: "4", memory: "8Gi", pods: "10" };
const APIS = ["apps/v1", "v1", "networking.k8s.io/v1"];
const ready = (object: KubeObject, status: object = {}): KubeObject => ({
  ...object,
  status: { conditions: [condition("Ready", "True", "Connected")], apis: APIS, capacity: CAPACITY, ...status },
});
const fleet = [
  ready(memberCluster("eu-1").region("eu").object()),
  ready(memberCluster("eu-2").region("eu").object()),
  ready(memberCluster("us-1").region("us").taint({ key: "maintenance", value: "soon", effect: "NoSchedule" }).object()),
];

async function analyzed(
  given: readonly unknown[],
  present: readonly unknown[],
): Promise<AnalysisReport & { code: number }> {
  const from = await file(...present);
  const { code, out, err } = await run("--from", from, "-f", await file(...given), "-o", "json");
  expect(err).toBe("");
  return { code, ...(JSON.parse(out) as AnalysisReport) };
}

const shop = demoApplication("shop").replica(4);
const everywhere = placement("everywhere");
const quota = (hard: object): KubeObject => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "team", namespace: "default" },
  spec: { hard },
});

interface Case {
  name: string;
  given: unknown[];
  present?: unknown[];
  /** `Severity Code`. */
  found: string[];
  says?: string;
}

async function expectFound({ given, present = [], found, says = "" }: Case): Promise<void> {
  const { findings, code } = await analyzed(given, [...fleet, ...present]);
  expect(findings.map((one) => `${one.severity} ${one.code}`).toSorted()).toEqual(found.toSorted());
  expect(code).toBe(found.every((one) => one.startsWith("Info")) ? 0 : 1);
  expect(findings.map(({ where, what, remedy }) => `${where} | ${what} | ${remedy}`).join("\n")).toContain(says);
  for (const { remedy } of findings) expect(remedy.length).toBeGreaterThan(10);
}

describe("a Placement", () => {
  test.each<Case>([
    { name: "that places an object is fine", given: [everywhere.object()], present: [shop.object()], found: [] },
    {
      name: "that selects nothing says so",
      given: [everywhere.of("shopp").object()],
      present: [shop.object()],
      found: ["Warning NoObjectMatches"],
    },
    {
      name: "of which one selector selects nothing names the selector",
      given: [
        everywhere
          .selects(
            { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name: "shop" },
            { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", name: "shopp" },
          )
          .object(),
      ],
      present: [shop.object()],
      found: ["Warning SelectorMatchesNothing"],
      says: "spec.resourceSelectors[1] (DemoApplication, shopp) selects no object in namespace default",
    },
    {
      name: "that names a cluster which does not exist",
      given: [everywhere.onClusters("eu-1", "eu-9").object()],
      present: [shop.object()],
      found: ["Error UnknownCluster"],
      says: "eu-9",
    },
    {
      name: "that takes no cluster leaves its objects nowhere",
      given: [everywhere.inRegions("asia").object()],
      present: [shop.object()],
      found: ["Error NoClusterFits"],
    },
    {
      name: "that takes no cluster says so without any object",
      given: [everywhere.inRegions("asia").object()],
      found: ["Error NoClusterFits", "Warning NoObjectMatches"],
      says: "no cluster can be taken",
    },
    {
      name: "of which one group takes no cluster",
      given: [
        everywhere
          .affinity(
            { name: "near", clusterNames: ["eu-1"] },
            { name: "far", labelSelector: { matchLabels: { tier: "x" } } },
          )
          .object(),
      ],
      present: [shop.object()],
      found: ["Warning TakesNoCluster"],
      says: "spec.clusterAffinities (far) takes no cluster of the fleet",
    },
    {
      name: "of which a weight takes no cluster",
      given: [
        everywhere
          .divided(
            { targetClusters: { clusterNames: ["eu-1", "eu-2"] }, weight: 1 },
            { targetClusters: { labelSelector: { matchLabels: { tier: "x" } } }, weight: 1 },
          )
          .object(),
      ],
      present: [shop.object()],
      found: ["Warning TakesNoCluster"],
      says: "spec.replicaScheduling.weights[1]",
    },
    {
      name: "that names a cluster whose taint it does not tolerate",
      given: [everywhere.onClusters("eu-1", "us-1").object()],
      present: [shop.object()],
      found: ["Warning TaintNotTolerated"],
      says: "the policy names us-1, and taint maintenance=soon:NoSchedule is not tolerated",
    },
    {
      name: "that tolerates the taint is fine",
      given: [
        everywhere
          .onClusters("eu-1", "us-1")
          .tolerates({ key: "maintenance", operator: "Equal", value: "soon" })
          .object(),
      ],
      present: [shop.object()],
      found: [],
    },
    {
      name: "that tolerates the wrong value of a taint is told the right one",
      given: [everywhere.tolerates({ key: "maintenance", operator: "Equal", value: "later" }).object()],
      present: [shop.object()],
      found: ["Info TolerationUnused"],
      says: "a cluster has the taint maintenance=soon:NoSchedule",
    },
    {
      name: "that another one outranks",
      given: [everywhere.object()],
      present: [shop.object(), placement("first").priority(5).object()],
      found: ["Warning LostToOther"],
      says: "Placement first",
    },
    {
      name: "that leaves another one nothing to place",
      given: [everywhere.priority(5).object()],
      present: [shop.object(), placement("first").object()],
      found: ["Warning ShadowsOther"],
      says: "Placement default/first would place nothing: this policy takes its object",
    },
    {
      name: "that leaves another one something to place is fine",
      given: [everywhere.of("shop").object()],
      present: [shop.object(), demoApplication("blog").object(), placement("first").object()],
      found: [],
    },
    {
      name: "that another one outranks for some of its objects",
      given: [everywhere.object()],
      present: [shop.object(), demoApplication("blog").object(), placement("first").of("shop").object()],
      found: ["Info PartlyShadowed"],
      says: "Placement first places 1 of 2 objects",
    },
    {
      name: "that asks for more clusters than there are",
      given: [everywhere.clusterCount(9).object()],
      present: [shop.object()],
      found: ["Warning PartlyEnforced"],
      says: "clusterCount 9",
    },
    {
      name: "that selects in another namespace",
      given: [
        everywhere.selects({ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "other" }).object(),
      ],
      found: ["Error NamespaceOutOfReach"],
    },
    {
      name: "that selects a kind which is never placed",
      given: [clusterPlacement("nodes").selects({ apiVersion: "v1", kind: "Node" }).object()],
      found: ["Error KindNotPlaced"],
    },
    {
      name: "with a stage that takes no cluster",
      given: [everywhere.rollsOut({}, "eu-1", "eu-9").object()],
      present: [shop.object()],
      found: ["Error UnknownCluster", "Warning RolloutStages", "Warning TakesNoCluster"],
      says: "no stage takes eu-2",
    },
  ])("$name", expectFound);

  test("by labels of the object is not judged without an object", () =>
    expectFound({
      name: "",
      given: [everywhere.affinity({ name: "own", matchLabelKeys: ["topology.kubernetes.io/region"] }).object()],
      found: ["Warning NoObjectMatches"],
    }));
});

describe("an override policy", () => {
  const placed = [shop.object(), everywhere.object()];
  test.each<Case>([
    {
      name: "that changes something is fine",
      given: [overridePolicy("o").inRegion("eu", { replicas: 7 }).object()],
      present: placed,
      found: [],
    },
    {
      name: "for clusters that do not exist",
      given: [overridePolicy("o").inRegion("eu", { replicas: 7 }).onClusters(["eu-9"], { replicas: 8 }).object()],
      present: placed,
      found: ["Warning TakesNoCluster", "Warning UnknownCluster"],
      says: "spec.rules[1].targetClusters takes no cluster of the fleet",
    },
    {
      name: "for a cluster on which nothing runs",
      given: [overridePolicy("o").onClusters(["us-1"], { replicas: 7 }).object()],
      present: placed,
      found: ["Warning NoClusterMatches"],
    },
    {
      name: "whose patch cannot be applied",
      given: [
        overridePolicy("o")
          .rule({ patches: [{ kind: "Deployment", op: "replace", path: "/spec/nothing/here", value: 1 }] })
          .object(),
      ],
      present: placed,
      found: ["Error InvalidPatch"],
    },
    {
      name: "whose patch writes the value that stands there",
      given: [
        overridePolicy("o")
          .rule({
            labels: { team: "a" },
            patches: [{ kind: "Deployment", op: "test", path: "/kind", value: "Deployment" }],
          })
          .object(),
      ],
      present: placed,
      found: ["Warning OverrideWithoutEffect"],
      says: "spec.rules[0].patches[0] (/kind) changes nothing on the object that the policy selects",
    },
    {
      name: "whose image is the object's own",
      given: [
        overridePolicy("o")
          .rule({ labels: { team: "a" }, image: { tag: "1.27" } })
          .object(),
      ],
      present: placed,
      found: ["Warning OverrideWithoutEffect"],
      says: "spec.rules[0].image",
    },
    {
      name: "with the replicas that the object has anyway",
      given: [overridePolicy("o").inRegion("eu", { replicas: 4 }).object()],
      present: placed,
      found: ["Info OverrideRedundant"],
    },
    {
      name: "that a later policy replaces",
      given: [clusterOverridePolicy("o").rule({ replicas: 7 }).object()],
      present: [...placed, overridePolicy("later").rule({ replicas: 9 }).object()],
      found: ["Warning OverrideWithoutEffect", "Warning Superseded"],
      says: "OverridePolicy later",
    },
    {
      name: "that selects nothing",
      given: [overridePolicy("o").rule({ replicas: 7 }).object()],
      found: ["Warning NoObjectMatches"],
    },
  ])("$name", expectFound);
});

describe("an object", () => {
  test.each<Case>([
    { name: "that a policy places is fine", given: [shop.object()], present: [everywhere.object()], found: [] },
    {
      name: "that no policy places is told the closest one",
      given: [shop.object()],
      present: [everywhere.of("other").object()],
      found: ["Error NoPlacement"],
      says: "the closest is Placement default/everywhere: the policy selects the name other",
    },
    {
      name: "that fits on no cluster",
      given: [shop.object()],
      present: [everywhere.inRegions("asia").object()],
      found: ["Error NoClusterFits"],
      says: "meridian explain demoapplication/shop -f FILES",
    },
    {
      name: "that a hub would refuse is told each field",
      given: [{ ...shop.object(), spec: { replica: -1, image: "nginx:1", imagge: "x" } }],
      found: ["Error Invalid"],
      says: "spec.replica",
    },
    {
      name: "with a field that does not exist is told the field",
      given: [{ ...shop.object(), spec: { replica: 1, image: "nginx:1", imagge: "x" } }],
      found: ["Error Invalid"],
      says: "spec.imagge is not a field of this kind",
    },
    {
      name: "that needs what is missing",
      given: [shop.envFromConfigMap("settings").object()],
      present: [everywhere.object()],
      found: ["Warning DependencyMissing"],
      says: "settings",
    },
    {
      name: "whose image has no tag",
      given: [shop.image("registry.example.com:5000/team/web").object()],
      present: [everywhere.object()],
      found: ["Warning ImageWithoutTag"],
      says: "the image registry.example.com:5000/team/web has neither a tag nor a digest",
    },
    {
      name: "whose image is the latest",
      given: [shop.image("nginx:latest").object()],
      present: [everywhere.object()],
      found: ["Info ImageLatest"],
    },
    {
      name: "whose image an override gives a tag is fine",
      given: [shop.image("nginx").object()],
      present: [
        everywhere.object(),
        overridePolicy("o")
          .rule({ image: { tag: "1.27" } })
          .object(),
      ],
      found: [],
    },
    {
      name: "whose image has a digest is fine",
      given: [shop.image(`nginx@sha256:${"a".repeat(64)}`).object()],
      present: [everywhere.object()],
      found: [],
    },
    {
      name: "whose replicas do not divide evenly",
      given: [shop.replica(5).object()],
      present: [everywhere.divided().object()],
      found: ["Info ReplicasUneven"],
      says: "5 replicas on 2 clusters do not divide evenly",
    },
    {
      name: "whose replicas are no multiple of the step",
      given: [shop.replica(7).object()],
      present: [
        {
          ...everywhere.object(),
          spec: { ...everywhere.object().spec, replicaScheduling: { mode: "Divided", replicaStep: 2 } },
        },
      ],
      found: ["Warning ReplicasNotDivisible"],
      says: "let shop have 8 replicas",
    },
    {
      name: "whose replicas leave none for a cluster",
      given: [shop.replica(1).object()],
      present: [everywhere.divided().object()],
      found: ["Info ClusterWithoutReplicas"],
    },
    {
      name: "whose policy does not get what it asks for",
      given: [shop.object()],
      present: [everywhere.clusterCount(9).object()],
      found: ["Warning PartlyEnforced"],
      says: "Placement default/everywhere does not get what it asks for",
    },
    {
      name: "that asks for more than a cluster has",
      given: [shop.requests({ cpu: "2", memory: "1Gi" }).object()],
      present: [everywhere.onClusters("eu-1").object()],
      found: ["Warning CapacityExceeded"],
      says: "its replicas on eu-1 ask for 8 CPUs, and all nodes there have 4 CPUs",
    },
    {
      name: "that asks for more than a quota allows which goes to the cluster as well",
      given: [shop.requests({ cpu: "500m" }).object()],
      present: [
        quota({ "requests.cpu": "1", pods: "100" }),
        everywhere
          .selects(
            { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" },
            { apiVersion: "v1", kind: "ResourceQuota" },
          )
          .onClusters("eu-1")
          .object(),
      ],
      found: ["Warning QuotaExceeded"],
      says: "namespace default asks for 2 CPUs on eu-1, and ResourceQuota team allows 1 CPUs",
    },
    {
      name: "that is a dependency of another one is fine without a policy",
      given: [
        shop.envFromConfigMap("settings").object(),
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" }, data: {} },
      ],
      present: [everywhere.object()],
      found: [],
    },
  ])("$name", expectFound);
});

test("a cluster whose taint nobody tolerates is named", () =>
  expectFound({
    name: "",
    given: [memberCluster("eu-1").region("eu").taint({ key: "gpu", effect: "NoSchedule" }).object()],
    present: [everywhere.object()],
    found: ["Info TaintToleratedByNone"],
    says: "no Placement tolerates the taint gpu:NoSchedule",
  }));

test("as text, findings stand below their object, the worst first, and a summary closes", async () => {
  const given = await file(shop.image("nginx:latest").object(), everywhere.onClusters("eu-9").object());
  const { code, out, err } = await run("--from", await file(...fleet), "-f", given);
  expect({ code, err }).toEqual({ code: 1, err: "" });
  const lines = out.split("\n");
  expect(lines[0]).toBe(`${given}: DemoApplication default/shop`);
  expect(lines[1]).toMatch(/^ {4}Error NoClusterFits: it would run nowhere/);
  expect(lines[2]).toMatch(/^ {6}remedy: /);
  expect(out).toMatch(/\n2 objects: \d+ errors, 1 note\n$/);
});

test("no value of a Secret is shown, even of one that a hub would refuse", async () => {
  const data = { password: Buffer.from("hunter2-hunter2").toString("base64") };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "db", namespace: "default" }, data };
  const patch = { kind: "Secret", op: "add" as const, path: "/data/more/deep", value: "hunter2-hunter2" };
  const override = overridePolicy("o")
    .selects({ apiVersion: "v1", kind: "Secret" })
    .rule({ patches: [patch] });
  const given = await file(shop.envFromSecret("db").object(), secret, everywhere.object(), override.object());
  const { code, out, err } = await run("--from", await file(...fleet), "-f", given, "-o", "json");
  expect({ code, found: out.includes("InvalidPatch") }).toEqual({ code: 1, found: true });
  for (const value of ["hunter2-hunter2", data.password]) expect(out + err).not.toContain(value);
});

describe("wrong usage is an error", () => {
  test.each([
    ["without files", ["analyze"], "give their files with -f FILE"],
    ["with --from and a hub", ["analyze", "-f", "x", "--from", "y"], "give --without-hub as well"],
  ])("%s", async (_name, args, says) => {
    const { code, err } = await runMeridian(args);
    expect({ code, says: err.includes(says) }).toEqual({ code: 2, says: true });
  });

  test("without a fleet", async () => {
    const { code, err } = await run("-f", await file(shop.object()));
    expect({ code, says: err.includes("the files hold no MemberCluster") }).toEqual({ code: 2, says: true });
  });
});
