import { setTimeout as sleep } from "node:timers/promises";
import type { DemoApplication, KubeObject } from "../../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../../builders/index.ts";
import { collectionPath, pathOf } from "../../e2e/objects.ts";
import {
  type Fleet,
  type Manager,
  meridianOk,
  type Plane,
  startManager,
  startSandboxFleet,
} from "../../envtest/index.ts";
import { AT_A_TIME, BareClient, inParallel } from "../bareClient.ts";
import { Observers } from "../observers.ts";
import { cpuSeconds } from "../processUsage.ts";
import { applicationNames, NAMESPACE } from "../workload.ts";
import type { LoopFigures } from "./preload.ts";
import { LoopProbe } from "./probe.ts";

export interface EventLoopFigures {
  objects: number;
  /** While they were created; no more than the API servers can take at once. */
  create: LoopFigures;
  /** While a manager starts and finds all of them in sync. */
  start: LoopFigures;
  /** The Placement of all of them is edited, and nothing follows from it. */
  placementEdit: LoopFigures;
  /** An OverridePolicy of all of them is edited, and every Deployment changes. */
  overrideEdit: LoopFigures;
}

const PATIENCE_MS = 900_000;
const REGION = "cn-shanghai";
/** A process that uses less than this share of a processor has nothing to do but to be there. */
const IDLE_SHARE = 0.08;
const IDLE_STEP_MS = 500;
const IDLE_STEPS = 4;

/** How long the manager's event loop stands still at most, with so many applications of one policy; hub and member are of the sandbox. */
export async function measureEventLoop(objects: number, say: (text: string) => void): Promise<EventLoopFigures> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(
    await startSandboxFleet({
      hub: { controllerManager: false },
      members: [{ name: "shanghai-1", region: REGION, controllerManager: false }],
    }),
  );
  await prepare(fleet);
  const hub = stack.use(new BareClient(fleet.hub));
  const observers = stack.use(new Observers(fleet));
  const names = applicationNames(objects);

  const first = await Measured.start(fleet, "first");
  await meridianOk(fleet.hub, [
    "join",
    "shanghai-1",
    "--member-kubeconfig",
    memberOf(fleet).kubeconfigFile,
    "--region",
    REGION,
  ]);
  for (const policy of [everywhere(), replicas(2)]) await fleet.hub.api.apply(pathOf(policy), policy);
  say(`creating ${objects} applications`);
  await first.read();
  const told = allOf(observers, objects, (name) => isTold(observers.applications.get(name)));
  await inParallel(names, AT_A_TIME, (name) => hub.sendNow("POST", collection, "json", body(name)));
  await told;
  const create = await first.readWhenIdle();
  await first.stop();

  say("a manager that finds them in sync");
  await using manager = await Measured.start(fleet, "second");
  const start = await manager.readWhenIdle();

  say("editing the Placement of all of them");
  const tolerant = everywhere("edge");
  await fleet.hub.api.apply(pathOf(tolerant), tolerant);
  const placementEdit = await manager.readWhenIdle();

  say("editing the OverridePolicy of all of them");
  const [view] = observers.members;
  const changed = allOf(observers, objects, (name) => view?.deployments.get(name)?.spec.replicas === 3);
  const three = replicas(3);
  await fleet.hub.api.apply(pathOf(three), three);
  await changed;
  const overrideEdit = await manager.readWhenIdle();
  await manager.stop();
  return { objects, create, start, placementEdit, overrideEdit };
}

/** A manager with a probe in it. */
class Measured implements AsyncDisposable {
  readonly #manager: Manager;
  readonly #probe: LoopProbe;

  private constructor(manager: Manager, probe: LoopProbe) {
    this.#manager = manager;
    this.#probe = probe;
  }

  static async start(fleet: Fleet<Plane>, name: string): Promise<Measured> {
    const probe = await LoopProbe.listen(fleet.dir, name);
    return new Measured(await startManager({ hub: fleet.hub, folder: fleet.dir, env: probe.env }), probe);
  }

  /** What was counted since the last reading. */
  read(): Promise<LoopFigures> {
    return this.#probe.read();
  }

  /** The same, once it does nothing more. Nothing that it says tells that, so its processor time does. */
  async readWhenIdle(): Promise<LoopFigures> {
    const { pid } = this.#manager;
    for (let idle = 0, before = await cpuSeconds(pid); idle < IDLE_STEPS;) {
      await sleep(IDLE_STEP_MS);
      const now = await cpuSeconds(pid);
      idle = now - before < (IDLE_SHARE * IDLE_STEP_MS) / 1_000 ? idle + 1 : 0;
      before = now;
    }
    return this.read();
  }

  async stop(): Promise<void> {
    await this.#manager.stop();
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.#probe[Symbol.asyncDispose]();
  }
}

const collection = collectionPath("DemoApplication", NAMESPACE);

function body(name: string): string {
  return JSON.stringify(demoApplication(name).namespace(NAMESPACE).port(80, { targetPort: 8080 }).object());
}

function everywhere(tolerated?: string): KubeObject {
  const policy = placement("everywhere").namespace(NAMESPACE).inRegions(REGION);
  return (tolerated === undefined ? policy : policy.tolerates({ key: tolerated, operator: "Exists" })).object();
}

function replicas(count: number): KubeObject {
  return overridePolicy("by-region").namespace(NAMESPACE).inRegion(REGION, { replicas: count }).object();
}

async function prepare(fleet: Fleet<Plane>): Promise<void> {
  await meridianOk(fleet.hub, ["install"]);
  for (const { api } of [fleet.hub, memberOf(fleet)])
    await api.create(collectionPath("Namespace"), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: NAMESPACE },
    });
}

function memberOf({ members }: Fleet<Plane>): Plane {
  const [member] = members;
  if (member === undefined) throw new Error("the bench needs a member");
  return member.plane;
}

/** Resolves when it is true of every application; `isTrue` is asked again of an application whenever something of it changed. */
function allOf(observers: Observers, wanted: number, isTrue: (name: string) => boolean): Promise<void> {
  const done = new Set<string>();
  const look = (name: string): boolean => {
    if (isTrue(name)) done.add(name);
    return done.size === wanted;
  };
  return observers.until(look, PATIENCE_MS, () => `${done.size} of ${wanted} are as they should be`);
}

function isTold(application: DemoApplication | undefined): boolean {
  const applied = application?.status?.conditions?.find(({ type }) => type === "Applied");
  return applied?.status === "True" && applied.observedGeneration === application?.metadata.generation;
}
