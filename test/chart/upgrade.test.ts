import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { DemoApplication, KubeObject } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { buildMeridian, CommandFailure, eventually, type Fleet, kubectl, run, startFleet } from "../envtest/index.ts";
import { helmOk } from "../envtest/helm.ts";
import { ApplicationLoad, LOADED_SPEC } from "../e2e/webhookLoad.ts";
import { CHART, IMAGE, NAMESPACE, objectsIn, RELEASE, type Rendered } from "./chart.ts";
import { ManagerPods, PRESENT, type Program } from "./pods.ts";
import { previousRelease, type PreviousRelease } from "./previousRelease.ts";
import { SERVICE_ARGUMENTS, ServicePort, whyNoServices } from "./serviceNetwork.ts";

/** From the release before, its chart and its program, to these; and back. */
const why = await whyNoServices();
if (why !== undefined) process.stderr.write(`the upgrade is not tried here: ${why}\n`);

const COUNT = 100;
/** Managers of the release before may break off a call when they end: who writes then tries again. Those of the present do not. */
const OF_BEFORE = 5;

/** As the server gives it back: without what is empty. */
function plain(versions: unknown): unknown {
  const text = JSON.stringify(versions, (_, value: unknown) => (isDeepStrictEqual(value, {}) ? undefined : value));
  return JSON.parse(text) as unknown;
}

describe.skipIf(why !== undefined)("an upgrade from the release before", () => {
  let previous: PreviousRelease;
  let fleet: Fleet;
  let service: ServicePort;
  let pods: ManagerPods;
  /** Applications and everything of theirs on the members, as they were before. */
  let before: Map<string, string>;

  beforeAll(async () => {
    await buildMeridian();
    previous = await previousRelease();
    const members = ["frankfurt-1", "shanghai-1"].map((name) => ({ name, region: name }));
    fleet = await startFleet({ members, hub: { apiserverArgs: SERVICE_ARGUMENTS } });
    const manifest = await release("install", previous.chart, "--create-namespace");
    const address = ["get", "service", "meridian-webhook", "-n", NAMESPACE, "-o", "jsonpath={.spec.clusterIP}"];
    service = await ServicePort.listen(await kubectl(fleet.hub, address), 443);
    // The release before may end at once when it is told to: here no connection goes to it any more by then.
    pods = new ManagerPods({ hub: fleet.hub, folder: fleet.dir, service, endpointLagMs: 0 });
    for (let replica = 0; replica < 2; replica++) await pods.start(manifest, { program: previous.program });
    for (const { name, region, plane } of fleet.members) {
      const lease = ["--namespace", NAMESPACE, "--lease-name", "meridian"];
      const member = ["--region", region, "--member-kubeconfig", plane.kubeconfigFile];
      await meridian(previous.program, ["join", name, ...member, ...lease]);
    }
    const everywhere = placement("everywhere").object();
    const applications = Array.from({ length: COUNT }, (_, index) =>
      demoApplication(`app-${index}`).replica(1).port(80).object(),
    );
    const stdin = [everywhere, ...applications].map((object) => JSON.stringify(object)).join("\n---\n");
    await kubectl(fleet.hub, ["create", "-f", "-"], { stdin });
    await eventually(async () => expect(await ready()).toHaveLength(COUNT), { timeout: 180_000, interval: 1000 });
    before = await versions();
  });
  afterAll(async () => {
    await pods?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
    await previous?.[Symbol.asyncDispose]();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(await pods.logTail());
  });

  /** `helm install` and `upgrade` of a chart; what was rendered. */
  async function release(verb: "install" | "upgrade", chart: string, ...more: string[]): Promise<Rendered[]> {
    await helmOk([verb, RELEASE, chart, ...IMAGE, ...more, ...waiting()]);
    return manifestNow();
  }

  function waiting(): string[] {
    return [...hub(), "--wait", "--timeout", "120s"];
  }

  function hub(): string[] {
    return ["--kubeconfig", fleet.hub.kubeconfigFile, "--namespace", NAMESPACE];
  }

  async function manifestNow(): Promise<Rendered[]> {
    return objectsIn(await helmOk(["get", "manifest", RELEASE, ...hub()]));
  }

  async function meridian({ arguments: node, folder }: Program, args: string[]): Promise<void> {
    const all = [...node, ...args, "--kubeconfig", fleet.hub.kubeconfigFile];
    const result = await run(process.execPath, all, { cwd: folder });
    if (result.code !== 0) throw new CommandFailure(`meridian ${args.join(" ")}`, result);
  }

  async function list<T>(plane: { kubeconfigFile: string }, kinds: string, namespace: string) {
    const text = await kubectl(plane, ["get", kinds, "--namespace", namespace, "-o", "json"]);
    return (JSON.parse(text) as { items: T[] }).items;
  }

  async function ready(): Promise<DemoApplication[]> {
    const all = await list<DemoApplication>(fleet.hub, "demoapplications", "default");
    return all.filter(({ metadata, status }) => {
      const replicas = status?.replicas;
      const wanted = status?.observedGeneration === metadata.generation && status?.clusters?.length === 2;
      return wanted && replicas?.desired === replicas?.available && (replicas?.available ?? 0) > 0;
    });
  }

  /** UID and generation of every application, and the very version of everything of theirs on the members: a write would change it. */
  async function versions(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const { metadata } of await list<DemoApplication>(fleet.hub, "demoapplications", "default")) {
      found.set(`hub ${metadata.name}`, `${metadata.uid} ${metadata.generation}`);
    }
    for (const { name, plane } of fleet.members) {
      for (const { kind, metadata } of await list<KubeObject>(plane, "deployments,services,pods", "default")) {
        // Every cluster's own.
        if (metadata.name === "kubernetes") continue;
        found.set(`${name} ${kind} ${metadata.name}`, `${metadata.uid} ${metadata.resourceVersion}`);
      }
    }
    return found;
  }

  /** What differs from before, but for the applications that were changed on purpose. */
  async function touched(...changed: string[]): Promise<string[]> {
    const now = await versions();
    const keys = [...new Set([...before.keys(), ...now.keys()])];
    const ours = (key: string): boolean => changed.some((name) => new RegExp(` ${name}(-|$)`).test(key));
    return keys.filter((key) => !ours(key) && now.get(key) !== before.get(key));
  }

  /** The CRDs on the hub are those of this manifest. */
  async function expectCrds(manifest: readonly Rendered[]): Promise<void> {
    for (const crd of manifest.filter(({ kind }) => kind === "CustomResourceDefinition")) {
      const live = JSON.parse(await kubectl(fleet.hub, ["get", "crd", crd.metadata.name, "-o", "json"])) as Rendered;
      expect(plain(live.spec?.["versions"]), crd.metadata.name).toEqual(plain(crd.spec?.["versions"]));
    }
  }

  /** One step under load: what is written meanwhile in either version lands, and comes out on the members. */
  async function underLoad(edited: string, image: string, attempts: number, step: () => Promise<void>): Promise<void> {
    // Where no Placement is, objects are written and go nowhere.
    const namespace = `load-${edited}`;
    await kubectl(fleet.hub, ["create", "namespace", namespace]);
    await using load = new ApplicationLoad(fleet.hub, namespace, LOADED_SPEC, attempts);
    await load.untilDone(10);
    const done = step();
    const edit = ["patch", `demoapplication.v1beta1.paas.cmft.com/${edited}`, "--type=merge", "-p"];
    await kubectl(fleet.hub, [...edit, JSON.stringify({ spec: { image } })]);
    await done;
    await load.untilDone(load.done + 10);
    expect(await load.finish()).toEqual([]);
    await eventually(
      async () => {
        for (const { plane } of fleet.members) {
          const path = "jsonpath={.spec.template.spec.containers[0].image}";
          expect(await kubectl(plane, ["get", "deployment", edited, "-o", path])).toBe(image);
        }
        expect(await ready()).toHaveLength(COUNT);
      },
      { timeout: 60_000, interval: 500 },
    );
  }

  test("has objects to keep: 100 applications on two members", () => {
    expect(before.size).toBe(COUNT + 2 * COUNT * 3);
  });

  test("brings CRDs and program while people write, and rewrites nothing on a member", async () => {
    await underLoad("app-1", "nginx:1.28", OF_BEFORE, async () => {
      const manifest = await release("upgrade", CHART);
      await pods.rollOut(manifest, PRESENT);
      await expectCrds(manifest);
    });
    expect(await touched("app-1")).toEqual([]);
  });

  test("goes back, with everything that was written meanwhile", async () => {
    await underLoad("app-2", "nginx:1.29", 1, async () => {
      await helmOk(["rollback", RELEASE, "1", ...waiting()]);
      const manifest = await manifestNow();
      await pods.rollOut(manifest, previous.program);
      await expectCrds(manifest);
    });
    expect(await touched("app-1", "app-2")).toEqual([]);
  });

  test("and comes forward again", async () => {
    await underLoad("app-3", "nginx:1.30", OF_BEFORE, async () => {
      const manifest = await release("upgrade", CHART);
      await pods.rollOut(manifest, PRESENT);
      await expectCrds(manifest);
    });
    expect(await touched("app-1", "app-2", "app-3")).toEqual([]);
    for (const app of ["app-1", "app-2", "app-3"]) {
      const written = await list<DemoApplication>(fleet.hub, "demoapplications", `load-${app}`);
      expect(written.length).toBeGreaterThanOrEqual(20);
      for (const { metadata, spec } of written) expect(spec, metadata.name).toEqual({ ...LOADED_SPEC, replica: 9 });
    }
  });
});
