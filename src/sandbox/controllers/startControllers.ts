import { defined, type KubeObject } from "../../apis/index.ts";
import type { LocalClient, Resource, ResourceName, SandboxClock, WatchEvent } from "../types.ts";
import {
  Cloud,
  DisruptionController,
  EventExpiry,
  GarbageCollector,
  NamespaceContents,
  NamespaceController,
  NodeLifecycle,
  ResourceQuotaController,
  VolumeProtection,
} from "./upkeep/index.ts";
import {
  type Context,
  type Controller,
  EventRecorder,
  isQuotaRefusal,
  isStale,
  NODES,
  OwnerGraph,
  resourceId,
  WorkQueue,
} from "./shared/index.ts";
import { DaemonSetController } from "./daemonSet/index.ts";
import { DeploymentController } from "./deployment/index.ts";
import { JobController } from "./job/index.ts";
import { type Fate, Kubelet, nodeObject, type NodeOptions, nodeStatus, Scheduler } from "./nodes/index.ts";
import { ReplicaSetController } from "./replicaSet.ts";
import { StatefulSetController } from "./statefulSet/index.ts";

export interface ControllerOptions {
  /** Nodes to create if missing. Default: three with 32 cores, 128 GiB and 500 pods each. */
  nodes?: readonly NodeOptions[];
  /** Milliseconds from binding to readiness of a pod, plus or minus a quarter. Default: 500. */
  readinessDelayMs?: number;
  /** Milliseconds that a pod without restarts works. Default: 1000. */
  jobDurationMs?: number;
  /**
   * Milliseconds until the first restart of a crashed container or failed Job pod; doubles each time. Default: 10,000.
   */
  crashBackOffMs?: number;
  /** Milliseconds that a deleted pod takes to end. Default: 0. */
  terminationDelayMs?: number;
  /** Fate of a container; undefined: the image decides (see nodes/fates.ts). */
  fate?: (image: string, pod: KubeObject) => Fate | undefined;
  /**
   * Number of Events of the controllers to keep; the oldest are deleted first. Default: 1000. 0 records none, which
   * saves work with many objects.
   */
  events?: number;
  /** Kubelet version in the status of nodes. Default: `v1.35.4`. */
  kubeletVersion?: string;
}

export interface ControllersInput {
  client: LocalClient;
  clock: SandboxClock;
  /** The certificate in `kube-root-ca.crt`; without it the ConfigMap is not created. */
  caPem?: string;
  /**
   * The delay of a pod under the current fault, in milliseconds; undefined: the pod does not start until {@link
   * Controllers.recheckPods}.
   */
  podDelay?: (normalMs: number) => number | undefined;
  /**
   * Takes errors that will be retried, except conflicts and exceeded ResourceQuotas. Default: a warning of the process.
   */
  onError?: (error: unknown, key: string) => void;
  options?: ControllerOptions;
}

/** The running controllers of a cluster. Disposing stops them; asynchronous disposal also waits for running work. */
export interface Controllers extends AsyncDisposable, Disposable {
  /** Resolves when the workqueue is empty. Delayed work does not count. */
  idle(): Promise<void>;
  /** Tells the kubelets that a fault that blocked pods may be over. */
  recheckPods(): void;
}

/**
 * Starts the controllers, the scheduler and the kubelets of a cluster. Returns at once; {@link Controllers.idle}
 * resolves when the nodes exist.
 */
export function startControllers(input: ControllersInput): Controllers {
  return new RunningControllers(input);
}

const DEFAULT_NODES: readonly NodeOptions[] = ["node-1", "node-2", "node-3"].map((name) => ({
  name,
  cpu: "32",
  memory: "128Gi",
  pods: 500,
}));

class RunningControllers implements Controllers {
  readonly #input: ControllersInput;
  readonly #graph = new OwnerGraph();
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #controllers = new Map<string, Controller>();
  /** The controllers that observe a resource's events, by resource. */
  readonly #observers = new Map<string, Controller[]>();
  readonly #watches = new Map<string, Disposable>();
  readonly #collector: GarbageCollector;
  readonly #namespaces: NamespaceController;
  readonly #quotas: ResourceQuotaController;
  readonly #kubelet: Kubelet;
  readonly #served: Disposable;
  readonly #ready: Promise<void>;

  constructor(input: ControllersInput) {
    this.#input = input;
    const { client, clock, options = {}, podDelay } = input;
    const { readinessDelayMs = 500, jobDurationMs = 1000, crashBackOffMs = 10_000, terminationDelayMs = 0 } = options;
    const onError = input.onError ?? warn;
    const managerClient = client.as("kube-controller-manager");
    this.#events = new EventRecorder({ client: managerClient, clock, limit: options.events ?? 1000, onError });
    this.#queue = new WorkQueue({
      clock,
      work: (key) => this.#work(key),
      onError: (error, key) => {
        if (!isStale(error) && !isQuotaRefusal(error)) onError(error, key);
      },
    });
    const context = (by: LocalClient): Context => ({
      client: by,
      clock,
      graph: this.#graph,
      events: this.#events,
      enqueue: (controller, namespace, name) => this.#queue.add(`${controller}/${namespace ?? ""}/${name}`),
    });
    const manager = context(managerClient);
    const kubelet = {
      readinessDelayMs,
      jobDurationMs,
      crashBackOffMs,
      terminationDelayMs,
      ...defined({ fate: options.fate, podDelay }),
    };
    this.#collector = new GarbageCollector(manager);
    this.#namespaces = new NamespaceController(manager);
    this.#quotas = new ResourceQuotaController(manager);
    this.#kubelet = new Kubelet(context(client.as("kubelet")), kubelet);
    const all: Controller[] = [
      new Scheduler(context(client.as("kube-scheduler"))),
      this.#kubelet,
      new DeploymentController(manager),
      new ReplicaSetController(manager),
      new StatefulSetController(manager),
      new DaemonSetController(manager),
      new JobController(manager, { backOffMs: crashBackOffMs }),
      new DisruptionController(manager),
      new NodeLifecycle(manager),
      new VolumeProtection(manager),
      new NamespaceContents(manager, input.caPem),
      new EventExpiry(manager),
      new Cloud(context(client.as("cloud-controller-manager"))),
      this.#namespaces,
      this.#quotas,
      this.#collector,
    ];
    for (const controller of all) {
      this.#controllers.set(controller.name, controller);
      for (const resource of controller.resources) {
        const id = resourceId(resource);
        this.#observers.set(id, [...(this.#observers.get(id) ?? []), controller]);
      }
    }
    this.#served = client.onResources((resources) => this.#serve(resources));
    this.#ready = this.#makeNodes().catch((error: unknown) => onError(error, "nodes"));
  }

  async idle(): Promise<void> {
    await this.#ready;
    await this.#queue.idle();
    await this.#events.idle();
    // The Events themselves enqueue work: their expiry.
    await this.#queue.idle();
  }

  recheckPods(): void {
    this.#kubelet.recheck();
  }

  [Symbol.dispose](): void {
    this.#served[Symbol.dispose]();
    for (const watch of this.#watches.values()) watch[Symbol.dispose]();
    this.#watches.clear();
    this.#events.stop();
    this.#queue.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]();
    await this.#ready;
    await this.#queue.idle();
    await this.#events.idle();
  }

  /** Watches each served resource once. A resource that no controller names is watched for its owner references. */
  #serve(resources: readonly Resource[]): void {
    this.#graph.serve(resources);
    this.#namespaces.serve(resources);
    this.#quotas.serve(resources);
    const wanted = new Map(
      resources.filter((resource) => this.#isOfInterest(resource)).map((one) => [resourceId(one), one]),
    );
    for (const [id, watch] of this.#watches) {
      if (wanted.has(id)) continue;
      watch[Symbol.dispose]();
      this.#watches.delete(id);
    }
    for (const [id, { group, plural }] of wanted) {
      if (this.#watches.has(id)) continue;
      const name = { group, plural };
      const watch = this.#input.client.onEvent(name, (event, old) => this.#observe(name, id, event, old));
      this.#watches.set(id, watch);
    }
    this.#collector.serve(resources);
  }

  #isOfInterest(resource: Resource): boolean {
    return OwnerGraph.collects(resource) || resource.namespaced;
  }

  #observe(resource: ResourceName, id: string, event: WatchEvent, old: KubeObject | undefined): void {
    if (event.type === "BOOKMARK") return;
    if (OwnerGraph.collects(resource)) {
      this.#graph.take(resource, event, old);
      this.#collector.observe(resource, event, old);
    }
    this.#namespaces.observeContent(event.object);
    this.#quotas.observeContent(resource, event, old);
    for (const controller of this.#observers.get(id) ?? []) controller.observe(resource, event, old);
  }

  #work(key: string): ReturnType<Controller["reconcile"]> {
    const [controller = "", namespace = "", ...name] = key.split("/");
    const found = this.#controllers.get(controller);
    if (found === undefined) throw new Error(`there is no controller ${controller}`);
    return found.reconcile(namespace === "" ? undefined : namespace, name.join("/"));
  }

  async #makeNodes(): Promise<void> {
    const { client, clock, options = {} } = this.#input;
    const { nodes = DEFAULT_NODES, kubeletVersion = "v1.35.4" } = options;
    const kubelet = client.as("kubelet");
    for (const [index, node] of nodes.entries()) {
      if (kubelet.get(NODES, undefined, node.name) !== undefined) continue;
      const created = await kubelet.create(NODES, nodeObject(node));
      const status = nodeStatus(node, index, kubeletVersion, clock.now());
      await kubelet.update(NODES, { ...created, status }, "status");
    }
  }
}

function warn(error: unknown, key: string): void {
  const text = error instanceof Error ? error.message : String(error);
  process.emitWarning(`${key}: ${text}`, "SandboxControllerWarning");
}
