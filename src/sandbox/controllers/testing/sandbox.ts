import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName } from "../../types.ts";
import { type Controllers, type ControllersInput, startControllers } from "../startControllers.ts";
import {
  DEPLOYMENTS,
  EVENTS,
  type Deployment,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
} from "../shared/objects.ts";
import { ManualClock } from "../../testing/manualClock.ts";
import { MemoryCluster } from "./memoryCluster.ts";

/** Controllers on a cluster in memory. Nothing happens but what a test starts, and time stands still until it is moved. */
export class TestSandbox implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly cluster: MemoryCluster;
  readonly controllers: Controllers;
  readonly errors: unknown[] = [];

  private constructor(input: Partial<ControllersInput>, cluster: MemoryCluster) {
    this.cluster = cluster;
    this.clock = cluster.clock;
    this.controllers = startControllers({
      client: cluster,
      clock: cluster.clock,
      onError: (error) => this.errors.push(error),
      ...input,
    });
  }

  /**
   * With a namespace `default`, and pods that are ready at once by default. Given the cluster of another one, it goes on
   * where that ended.
   */
  static async start(input: Partial<ControllersInput> = {}, cluster?: MemoryCluster): Promise<TestSandbox> {
    const options = { readinessDelayMs: 0, ...input.options };
    const sandbox = new TestSandbox({ ...input, options }, cluster ?? new MemoryCluster(new ManualClock()));
    if (cluster === undefined) await sandbox.create({ group: "", plural: "namespaces" }, namespace("default"));
    await sandbox.settle();
    return sandbox;
  }

  /** With this object, and with what becomes of it at once. */
  static async with(
    resource: ResourceName,
    object: KubeObject,
    input?: Partial<ControllersInput>,
  ): Promise<TestSandbox> {
    const sandbox = await TestSandbox.start(input);
    await sandbox.create(resource, object);
    await sandbox.settle();
    return sandbox;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await this.controllers.idle();
  }

  /** Lets that time pass, with everything that happens in it. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      await this.settle();
      const left = end - this.clock.now();
      const next = this.clock.next;
      if (next === undefined || next > left) break;
      this.clock.advance(next);
    }
    this.clock.advance(end - this.clock.now());
    await this.settle();
  }

  async create<T extends KubeObject>(resource: ResourceName, object: T): Promise<T> {
    return (await this.cluster.create(resource, object)) as T;
  }

  /** Changes an object as a person would. */
  async change<T extends KubeObject>(resource: ResourceName, name: string, change: (object: T) => T): Promise<void> {
    await this.cluster.update(resource, change(this.get<T>(resource, name)));
  }

  get<T extends KubeObject>(resource: ResourceName, name: string): T {
    const found = this.find<T>(resource, name);
    if (found === undefined) throw new Error(`there is no ${resource.plural} ${name}`);
    return found;
  }

  find<T extends KubeObject>(resource: ResourceName, name: string): T | undefined {
    const isGlobal = resource.plural === "nodes" || resource.plural === "namespaces";
    return this.cluster.get(resource, isGlobal ? undefined : "default", name) as T | undefined;
  }

  list<T extends KubeObject>(resource: ResourceName): T[] {
    return [...this.cluster.list(resource)] as T[];
  }

  deployment(name = "web"): Deployment {
    return this.get(DEPLOYMENTS, name);
  }

  pods(): Pod[] {
    return this.list<Pod>(PODS);
  }

  replicaSets(): ReplicaSet[] {
    return this.list<ReplicaSet>(REPLICA_SETS);
  }

  /** `Normal ScalingReplicaSet Scaled up…`, in order. */
  events(about?: string): string[] {
    const all = this.list<KubeObject>(EVENTS);
    const wanted = all.filter(
      ({ involvedObject }) => about === undefined || (involvedObject as { name: string }).name === about,
    );
    return wanted.map(({ type, reason, message }) => `${String(type)} ${String(reason)} ${String(message)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controllers[Symbol.asyncDispose]();
  }
}

export function namespace(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name }, status: { phase: "Active" } };
}

/** A Deployment as the API server has defaulted it. */
export function deployment(spec: Partial<Deployment["spec"]> = {}, image = "nginx:1", name = "web"): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: template(image, name),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
  };
}

export function template(image = "nginx:1", app = "web"): Deployment["spec"]["template"] {
  return { metadata: { labels: { app } }, spec: { restartPolicy: "Always", containers: [{ name: "main", image }] } };
}
