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
  /** Made when they are not there; three of 32 cores, 128 GiB and 500 pods by default. */
  nodes?: readonly NodeOptions[];
  /** Milliseconds from the binding of a pod until it is ready, give or take a quarter; 500 by default. */
  readinessDelayMs?: number;
  /** Milliseconds that a pod which is not restarted works; 1000 by default. */
  jobDurationMs?: number;
  /** Milliseconds before a crashed container or a failed pod of a Job is started anew, doubled each time; 10,000 by default. */
  crashBackOffMs?: number;
  /** Milliseconds that a deleted pod takes to end; 0 by default. */
  terminationDelayMs?: number;
  /** What becomes of a container; by its image (see nodes/fates.ts) when undefined. */
  fate?: (image: string, pod: KubeObject) => Fate | undefined;
  /**
   * Events of the controllers that are kept, the oldest go first; 1000 by default. 0 records none, which saves work when there are
   * many objects.
   */
  events?: number;
  /** What nodes say of their kubelet; `v1.35.4` by default. */
  kubeletVersion?: string;
}

export interface ControllersInput {
  client: LocalClient;
  clock: SandboxClock;
  /** The certificate that `kube-root-ca.crt` publishes; no ConfigMap without it. */
  caPem?: string;
  /** What a fault makes of the time that a pod needs, milliseconds; undefined: it does not start until {@link Controllers.recheckPods}. */
  podDelay?: (normalMs: number) => number | undefined;
  /** Called with what went wrong and will be tried again. Conflicts are none, nor is a full ResourceQuota. A warning of the process by default. */
  onError?: (error: unknown, key: string) => void;
  options?: ControllerOptions;
}

/** The running controllers of a cluster. Disposing stops them; asynchronously, it waits for what they are doing. */
export interface Controllers extends AsyncDisposable, Disposable {
  /** Resolves when nothing is left to do now; what waits for a time does not count. */
  idle(): Promise<void>;
  /** A fault that kept pods from starting may be over. */
  recheckPods(): void;
}

/**
 * Starts what kube-controller-manager, the scheduler and the kubelets do in a cluster. Returns at once; {@link Controllers.idle}
 * says when the nodes are there.
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
  /** By resource, who observes its events. */
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
    // Events are enqueued too: for their end.
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

  /** Watches what is served, each resource once; those that nobody names are watched for their owners. */
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
