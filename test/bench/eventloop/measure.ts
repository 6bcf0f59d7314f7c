import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../src/apis/index.ts";
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
import { NAMESPACE } from "../workload.ts";
import type { LoopFigures } from "./preload.ts";
import { LoopProbe } from "./probe.ts";

export interface EventLoopFigures {
  objects: number;
  /** Until a manager is ready: its program is loaded, and its caches fill. */
  boot: LoopFigures;
  /** Afterwards, while the manager plans all objects and finds them in sync. */
  start: LoopFigures;
  /** From the creation of one application, sent when the manager is ready, to its copy on the member, in milliseconds. */
  changeDuringStartMs: number;
  /** An OverridePolicy of all objects is edited, and every Deployment changes. */
  overrideEdit: LoopFigures;
}

const PATIENCE_MS = 900_000;
const REGION = "cn-shanghai";
/** A process that uses less than this share of a processor is idle. */
const IDLE_SHARE = 0.08;
const IDLE_STEP_MS = 500;
const IDLE_STEPS = 4;

/** The longest times for which the manager's event loop is held. Hub and member are of the sandbox, in this process. */
export async function measureEventLoop(objects: number, say: (text: string) => void): Promise<EventLoopFigures> {
  await using stack = new AsyncDisposableStack();
  const members = [{ name: "shanghai-1", region: REGION, controllerManager: false }];
  const fleet = stack.use(await startSandboxFleet({ hub: { controllerManager: false }, members }));
  const [member] = fleet.members;
  if (member === undefined) throw new Error("the bench needs a member");
  await prepare(fleet, member.plane);
  const hub = stack.use(new BareClient(fleet.hub));
  const observers = stack.use(new Observers(fleet));
  const [view] = observers.members;
  const names = Array.from({ length: objects }, (_, index) => `app-${index}`);
  const replicasOf = (name: string): number | undefined => view?.deployments.get(name)?.spec.replicas;
  const untilAll = (wanted: number): Promise<void> => {
    const done = new Set<string>();
    const look = (name: string): boolean => {
      if (name !== LATE && replicasOf(name) === wanted) done.add(name);
      return done.size === objects;
    };
    return observers.until(look, PATIENCE_MS, () => `${done.size} of ${objects} have ${wanted} replicas`);
  };

  say(`creating ${objects} applications`);
  const first = await Measured.start(fleet, "first");
  const kubeconfig = member.plane.kubeconfigFile;
  await meridianOk(fleet.hub, ["join", "shanghai-1", "--member-kubeconfig", kubeconfig, "--region", REGION]);
  for (const policy of [everywhere(), replicas(2)]) await fleet.hub.api.apply(pathOf(policy), policy);
  const created = untilAll(2);
  await inParallel(names, AT_A_TIME, (name) => hub.sendNow("POST", collection, "json", JSON.stringify(app(name))));
  await created;
  await first.readWhenIdle();
  await first.stop();

  say("a manager starts, and one application is changed meanwhile");
  const changed = observers.until(
    (name) => name === LATE && replicasOf(LATE) === 2,
    PATIENCE_MS,
    () => "not yet",
  );
  await using manager = await Measured.start(fleet, "second");
  const boot = await manager.read();
  const begun = performance.now();
  await hub.sendNow("POST", collection, "json", JSON.stringify(app(LATE)));
  await changed;
  const changeDuringStartMs = performance.now() - begun;
  const start = await manager.readWhenIdle();

  say("editing the OverridePolicy of all of them");
  const edited = untilAll(3);
  const three = replicas(3);
  await fleet.hub.api.apply(pathOf(three), three);
  await edited;
  const overrideEdit = await manager.readWhenIdle();
  await manager.stop();
  return { objects, boot, start, changeDuringStartMs, overrideEdit };
}

const LATE = "late";

/** A manager with a probe in its process. */
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

  /** The figures since the last reading. */
  async read(): Promise<LoopFigures> {
    return await this.#probe.read();
  }

  /** The same, once the process is idle. Its processor time tells when. */
  async readWhenIdle(): Promise<LoopFigures> {
    const { pid } = this.#manager;
    for (let idle = 0, before = await cpuSeconds(pid); idle < IDLE_STEPS;) {
      await sleep(IDLE_STEP_MS);
      const now = await cpuSeconds(pid);
      idle = now - before < (IDLE_SHARE * IDLE_STEP_MS) / 1_000 ? idle + 1 : 0;
      before = now;
    }
    return await this.read();
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

function app(name: string): KubeObject {
  return demoApplication(name).namespace(NAMESPACE).port(80, { targetPort: 8080 }).object();
}

function everywhere(): KubeObject {
  return placement("everywhere").namespace(NAMESPACE).inRegions(REGION).object();
}

function replicas(count: number): KubeObject {
  return overridePolicy("by-region").namespace(NAMESPACE).inRegion(REGION, { replicas: count }).object();
}

async function prepare(fleet: Fleet<Plane>, member: Plane): Promise<void> {
  await meridianOk(fleet.hub, ["install"]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  for (const { api } of [fleet.hub, member]) await api.create(collectionPath("Namespace"), namespace);
}
