import { afterAll, beforeAll, expect, test } from "vitest";
import type { DemoApplication, KubeObject } from "../../src/apis/index.ts";
import { clusterPlacement, demoApplication } from "../builders/index.ts";
import {
  buildMeridian,
  eventually,
  type Fleet,
  kubectl,
  meridianOk,
  type RequestCounters,
  startFleet,
} from "../envtest/index.ts";
import { inWords } from "./rights.ts";
import { RecordingProxy } from "./recordingProxy.ts";
import { Release } from "./release.ts";

const CLASS = "federation.paas.cmft.com/controller-class";
const FINALIZER = "federation.paas.cmft.com/member-objects";
const OBJECTS = 237;
const APPLICATIONS = "demoapplications.paas.cmft.com";
const SHARED = "memberclusters,placements,clusterplacements,overridepolicies,clusteroverridepolicies";

let fleet: Fleet;
let proxy: RecordingProxy;
let first: Release;
let second: Release;

beforeAll(async () => {
  await buildMeridian();
  fleet = await startFleet({ members: ["frankfurt-1", "shanghai-1"].map((name) => ({ name, region: name })) });
  proxy = await RecordingProxy.start(fleet.hub);
  first = await Release.install({ ...place(), name: "meridian", namespace: "meridian-system" }, []);
  for (const { name, region, plane } of fleet.members) {
    const where = ["--namespace", "meridian-system", "--lease-name", "meridian"];
    const member = ["--member-kubeconfig", plane.kubeconfigFile, "--region", region];
    await meridianOk(fleet.hub, ["join", name, ...member, ...where]);
  }
  const names = Array.from({ length: OBJECTS }, (_, index) => `app-${index}`);
  const objects = [
    clusterPlacement("everywhere").object(),
    ...names.map((name) => demoApplication(name).replica(1).port(80).object()),
  ];
  const stdin = objects.map((one) => JSON.stringify(one)).join("\n---\n");
  await kubectl(fleet.hub, ["create", "-f", "-"], { stdin, timeoutMs: 300_000 });
  await eventually(
    async () =>
      expect((await applications()).filter(({ status }) => status?.replicas?.ready === 2)).toHaveLength(OBJECTS),
    { timeout: 180_000, interval: 1_000 },
  ).catch(async (error: unknown) => {
    throw new Error(`not ready:\n${await first.log()}`, { cause: error });
  });
});

afterAll(async () => {
  await Promise.all([first?.[Symbol.asyncDispose](), second?.[Symbol.asyncDispose]()]);
  await proxy?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

const place = () => ({ hub: fleet.hub, server: proxy.url, folder: fleet.dir });

async function applications(): Promise<DemoApplication[]> {
  return (await listOf<DemoApplication>(fleet.hub, APPLICATIONS)).items;
}

async function listOf<T = KubeObject>(cluster: { kubeconfigFile: string }, kinds: string): Promise<{ items: T[] }> {
  return JSON.parse(await kubectl(cluster, ["get", kinds, "--all-namespaces", "-o", "json"])) as { items: T[] };
}

/** Everything of a member that a handover could touch, down to the last write. */
interface Life {
  pods: string[];
  objects: string[];
  requests: RequestCounters;
}

async function lifeOf(name: string): Promise<Life> {
  const { plane } = fleet.member(name);
  const pods = (await listOf(plane, "pods")).items.map(({ metadata, status }) => {
    const containers = (status as { containerStatuses?: { restartCount: number }[] }).containerStatuses ?? [];
    return [
      metadata.name,
      metadata.uid,
      metadata.resourceVersion,
      ...containers.map(({ restartCount }) => restartCount),
    ];
  });
  const objects = (await listOf(plane, "deployments,services,replicasets")).items.map(({ kind, metadata }) =>
    [kind, metadata.name, metadata.uid, metadata.generation, metadata.resourceVersion].join(" "),
  );
  return { pods: pods.map((pod) => pod.join(" ")), objects, requests: await plane.metrics() };
}

const lives = (): Promise<Life[]> => Promise.all(fleet.members.map(({ name }) => lifeOf(name)));

/** Not one pod is another one or was started again, and nobody has written any Deployment, as objects and as the servers themselves say. */
async function expectUntouched(before: readonly Life[]): Promise<void> {
  const after = await lives();
  for (const [index, { pods, objects, requests }] of after.entries()) {
    const was = before[index];
    if (was === undefined) throw new Error("another member");
    expect(pods).toHaveLength(OBJECTS);
    expect(pods).toEqual(was.pods);
    expect(objects).toEqual(was.objects);
    const written = requests.since(was.requests).writes();
    expect(
      written.total({ resource: ["deployments", "services", "pods", "replicasets"] }),
      written.describe().join(),
    ).toBe(0);
  }
}

async function untilCarriedBy(name: string, howMany: number): Promise<void> {
  const finalizer = name === "default" ? FINALIZER : `${FINALIZER}.${name}`;
  const carried = name === "default" ? undefined : name;
  await eventually(
    async () => {
      const own = (await applications()).filter(
        ({ metadata, status }) => metadata.finalizers?.join() === finalizer && status?.controllerClass === carried,
      );
      expect(own).toHaveLength(howMany);
    },
    { timeout: 60_000, interval: 500 },
  ).catch(async (error: unknown) => {
    throw new Error(`not carried by ${name}:\n${await second.log()}`, { cause: error });
  });
}

/** Members and policies are refused when no manager answers in time, on a machine that has too much to do, say: then it is said again. */
async function label(what: string[], value: string): Promise<void> {
  const change = value === "" ? `${CLASS}-` : `${CLASS}=${value}`;
  await eventually(() => kubectl(fleet.hub, ["label", ...what, change, "--overwrite"]), {
    timeout: 60_000,
    interval: 1_000,
  });
}

/** Whom the hub asks to convert. */
const converter = (): Promise<string> =>
  kubectl(fleet.hub, ["get", "crd", APPLICATIONS, "-o", "jsonpath={.spec.conversion.webhook.clientConfig.url}"]);
const readsV1beta1 = (): Promise<string> =>
  kubectl(fleet.hub, ["get", `demoapplications.v1beta1.paas.cmft.com`, "app-5", "-o", "jsonpath={.apiVersion}"]);

test("the second release is installed beside the first, and changes nothing", async () => {
  const [before, converts] = [await lives(), await converter()];
  const values = ["controllerClass=v2", "crds.enabled=false", "members.namespace=meridian-system"];
  second = await Release.install({ ...place(), name: "meridian-v2", namespace: "meridian-v2" }, values);
  await eventually(async () => expect(await converter()).not.toBe(converts), { timeout: 20_000 });
  expect(await readsV1beta1()).toBe("paas.cmft.com/v1beta1");
  await expectUntouched(before);
  expect((await applications()).filter(({ metadata }) => metadata.finalizers?.join() === FINALIZER)).toHaveLength(
    OBJECTS,
  );
});

test("one object, then 237, pass to it: no pod is restarted, no Deployment written", async () => {
  const before = await lives();
  await label([APPLICATIONS, "app-0"], "v2");
  await untilCarriedBy("v2", 1);
  await expectUntouched(before);
  await label([APPLICATIONS, "--all"], "v2");
  await untilCarriedBy("v2", OBJECTS);
  await label([SHARED, "--all", "--all-namespaces"], "v2");
  await eventually(
    async () => {
      const clusters = (await listOf(fleet.hub, "memberclusters")).items;
      for (const { metadata } of clusters)
        expect(metadata.finalizers).toEqual(["federation.paas.cmft.com/member-cluster.v2"]);
    },
    { timeout: 30_000 },
  );
  await expectUntouched(before);
});

test("some go back, and forth again, as quietly", async () => {
  const before = await lives();
  const some = Array.from({ length: 20 }, (_, index) => `app-${index}`);
  await label([APPLICATIONS, ...some], "");
  await untilCarriedBy("default", some.length);
  await label([APPLICATIONS, ...some], "v2");
  await untilCarriedBy("v2", OBJECTS);
  await expectUntouched(before);
});

test("the first release ends, and the second carries on alone: it heals, rolls out, deletes and converts", async () => {
  const before = await lives();
  await first.uninstall();
  expect(await readsV1beta1()).toBe("paas.cmft.com/v1beta1");
  await second.upgrade(["adoptedClasses={default}"]);
  await expectUntouched(before);

  const { plane } = fleet.member("shanghai-1");
  const deployment = (name: string, path: string): Promise<string> =>
    kubectl(plane, ["get", "deployment", name, "-o", `jsonpath={${path}}`]);
  await kubectl(plane, ["scale", "deployment", "app-2", "--replicas=3"]);
  await eventually(async () => expect(await deployment("app-2", ".spec.replicas")).toBe("1"), { timeout: 30_000 });
  const image = JSON.stringify({ spec: { image: "nginx:1.28" } });
  await kubectl(fleet.hub, ["patch", APPLICATIONS, "app-3", "--type=merge", "-p", image]);
  await eventually(
    async () => expect(await deployment("app-3", ".spec.template.spec.containers[0].image")).toBe("nginx:1.28"),
    { timeout: 30_000 },
  );
  await kubectl(fleet.hub, ["delete", APPLICATIONS, "app-4", "--timeout=60s"]);
  for (const member of fleet.members)
    expect(await kubectl(member.plane, ["get", "deployment,service", "app-4", "--ignore-not-found"])).toBe("");
});

test("without the labels everything is the default class's again, and the second release's all the same", async () => {
  await eventually(
    async () => {
      const ready = (await applications()).filter(
        ({ metadata, status }) => status?.replicas?.ready === 2 && status.observedGeneration === metadata.generation,
      );
      expect(ready).toHaveLength(OBJECTS - 1);
    },
    { timeout: 60_000, interval: 500 },
  );
  const generations = async (): Promise<string[]> =>
    (await lives()).flatMap(({ objects }) => objects.filter((line) => line.startsWith("Deployment")));
  const before = await generations();
  await label([APPLICATIONS, "--all"], "");
  await label([SHARED, "--all", "--all-namespaces"], "");
  await untilCarriedBy("default", OBJECTS - 1);
  expect(await generations()).toEqual(before);
});

test("nothing that either manager asked for was forbidden", () => {
  const refused = proxy.used().filter(({ status }) => status === 401 || status === 403);
  expect(refused.map(inWords)).toEqual([]);
});
