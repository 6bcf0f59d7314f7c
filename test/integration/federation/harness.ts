import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import {
  type DemoApplication,
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  parseObject,
} from "../../../src/apis/index.ts";
import { ClusterPool } from "../../../src/clusters/index.ts";
import { runFederation } from "../../../src/controllers/index.ts";
import {
  createLogger,
  createMetrics,
  createTracing,
  EventRecorder,
  type Metrics,
} from "../../../src/observability/index.ts";
import {
  type Client,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  Discovery,
  kubeconfigFor,
  MEMBERCLUSTERS,
  NotLeaderError,
  type ResourceType,
  SECRETS,
} from "../../../src/runtime/index.ts";
import { FakeApiClient, FakeApiServer } from "../../../src/runtime/testing/fakeApiServer.ts";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";

const SYSTEM = "meridian-system";
const HUB_UID = "hub-uid";
const STEP_MS = 50;
const WRITES = new Set(["create", "apply", "applyStatus", "patch", "delete"]);

/** A member's API server, and a kubelet that makes its Deployments available. */
export class Member {
  readonly name: string;
  readonly server: FakeApiServer;
  /** The manager's connections to it, the latest last. */
  readonly clients: FakeApiClient[] = [];
  /** Thrown by every call while set. */
  failure: Error | undefined;
  /** Thrown by a call when it gives an error; a promise lets the call hang. */
  refuse: (verb: string, type: ResourceType | undefined) => Error | undefined | Promise<Error | undefined> = () =>
    undefined;
  /** Pods do not become ready while set. */
  pods: "ready" | "stuck" = "ready";

  constructor(name: string) {
    this.name = name;
    this.server = new FakeApiServer(`${name}-uid`);
  }

  get url(): string {
    return `https://${this.name}.test:6443`;
  }

  get writes(): string[] {
    return this.clients.flatMap((client) => client.writes);
  }

  connect(guard: () => void): FakeApiClient {
    const client = new FakeApiClient(this.server, this.name);
    client.gate = async ({ verb, type, phase }) => {
      if (phase === "after") return;
      if (WRITES.has(verb)) guard();
      const error = this.failure ?? (await this.refuse(verb, type));
      if (error !== undefined) throw error;
    };
    this.clients.push(client);
    return client;
  }

  /** The connections break, and every further call fails. */
  cutOff(failure: Error): void {
    this.failure = failure;
    this.server.dropWatches(failure);
  }

  runKubelet(): void {
    if (this.pods === "stuck") return;
    for (const { metadata, spec } of this.server.list(DEPLOYMENTS)) {
      const replicas = (spec as { replicas?: number }).replicas ?? 1;
      const status = {
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
      };
      this.server.merge(DEPLOYMENTS, metadata.namespace, metadata.name, { status });
    }
  }
}

/** The whole pipeline on API servers in memory, on a clock that the test turns. */
export class TestFederation implements AsyncDisposable {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  readonly hub = new FakeApiServer(HUB_UID, ["default", SYSTEM]);
  readonly hubClients: FakeApiClient[] = [];
  readonly members = new Map<string, Member>();
  readonly events: KubeObject[] = [];
  /** Lines of the manager's log, at the level `debug`. */
  readonly log: string[] = [];
  /** Complete when the manager has stopped. */
  readonly spans: ReadableSpan[] = [];
  metrics: Metrics = createMetrics({ processMetrics: false });
  /** Whether the Lease is held, as the guard of every write sees it. */
  isLeader = true;
  /** Thrown by a call to the hub when it gives an error. */
  refuse: (verb: string, type: ResourceType | undefined) => Error | undefined = () => undefined;
  readonly #managers = new Map<string, { stop: AbortController; running: Promise<void> }>();

  /** With joined members of these names, and the manager running. */
  static async start(...names: string[]): Promise<TestFederation> {
    const federation = new TestFederation();
    for (const name of names) federation.join(name);
    await federation.startManager();
    return federation;
  }

  join(name: string, spec: Partial<MemberCluster["spec"]> = {}): Member {
    const member = this.members.get(name) ?? new Member(name);
    this.members.set(name, member);
    const kubeconfig = kubeconfigFor({ cluster: "member", server: member.url, token: "token" });
    this.hub.apply(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: SYSTEM },
      data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
    });
    this.hub.create(MEMBERCLUSTERS, {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, labels: { "topology.kubernetes.io/region": `region-of-${name}` } },
      spec: { connection: { kubeconfigSecretRef: { name, key: "kubeconfig" } }, deletionPolicy: "Orphan", ...spec },
    });
    return member;
  }

  member(name: string): Member {
    const member = this.members.get(name);
    if (member === undefined) throw new Error(`there is no member ${name}`);
    return member;
  }

  /** `classes`: of the objects that it carries; beside a manager of other classes it is another release. */
  async startManager(...classes: string[]): Promise<void> {
    const { tracer, shutdown } = await createTracing({
      serviceVersion: "test",
      identity: "test",
      env: {},
      exporter: {
        export: (spans, exported) => {
          this.spans.push(...spans);
          exported({ code: 0 });
        },
        shutdown: () => Promise.resolve(),
      },
    });
    const stop = new AbortController();
    const logger = createLogger({ level: "debug", destination: { write: (line) => void this.log.push(line) } });
    const guard = (): void => {
      if (!this.isLeader) throw new NotLeaderError("the Lease is not held");
    };
    const client = this.#hubClient(guard);
    const events = new EventRecorder({
      post: async (event) => {
        this.events.push(event);
        return event;
      },
      patch: async () => ({ apiVersion: "v1", kind: "Event", metadata: { name: "" } }),
      now: () => this.clock.now(),
      identity: "test",
      logger,
      after: (ms, callback) => this.clock.after(ms, callback),
    });
    this.metrics = createMetrics({ processMetrics: false });
    const running = runFederation(
      {
        client,
        hubId: HUB_UID,
        ...(classes.length === 0 ? {} : { classes: new Set(classes) }),
        clock: this.clock,
        random: () => 0.5,
        logger,
        metrics: this.metrics,
        tracer,
        events,
        pool: (listener, onStatusWritten) =>
          new ClusterPool({
            hub: client,
            hubLocal: { client, discovery: new Discovery(client, this.clock), clusterUid: HUB_UID },
            systemNamespace: SYSTEM,
            allowExec: false,
            clock: this.clock,
            logger,
            metrics: this.metrics,
            listener,
            random: () => 0.5,
            onStatusWritten,
            clientFor: ({ server }) => this.#connect(server, guard),
          }),
      },
      stop.signal,
    );
    const finish = async (): Promise<void> => {
      try {
        await running;
      } finally {
        await shutdown();
      }
    };
    this.#managers.set(classes.join(), { stop, running: finish() });
  }

  /** That of the default class, or the one that was started with these. */
  async stopManager(...classes: string[]): Promise<void> {
    const manager = this.#managers.get(classes.join());
    this.#managers.delete(classes.join());
    if (manager === undefined) return;
    manager.stop.abort(new Error("the test stops the manager"));
    let stopped = false;
    const stopping = manager.running.finally(() => (stopped = true));
    for (let steps = 0; !stopped && steps < 200; steps++) await this.clock.advance(STEP_MS);
    await stopping;
  }

  /** Creates the object, or makes it so. */
  apply(type: ResourceType, object: { object(): KubeObject } | KubeObject): KubeObject {
    const body =
      "object" in object && typeof object.object === "function"
        ? (object as { object(): KubeObject }).object()
        : (object as KubeObject);
    return this.hub.apply(type, defaulted(body), { fieldManager: "kubectl", force: true });
  }

  delete(type: ResourceType, name: string, namespace: string | undefined = "default"): void {
    this.hub.delete(type, namespace, name);
  }

  app(name: string): DemoApplication | undefined {
    return this.hub.find(DEMOAPPLICATIONS, "default", name) as DemoApplication | undefined;
  }

  status(name: string): FederatedStatus | undefined {
    return this.app(name)?.status;
  }

  condition(name: string, type: string): string | undefined {
    const condition = this.status(name)?.conditions?.find((one) => one.type === type);
    return condition && `${condition.status} ${condition.reason}`;
  }

  entry(name: string, cluster: string): NonNullable<FederatedStatus["clusters"]>[number] | undefined {
    return this.status(name)?.clusters?.find((one) => one.name === cluster);
  }

  /** What the manager wrote on the hub, Events aside. */
  get hubWrites(): string[] {
    return this.hubClients.flatMap((client) => client.writes);
  }

  /** Lets time go on until it is true; kubelets and garbage collectors work meanwhile. */
  async until(isTrue: () => boolean, withinMs = 60_000): Promise<void> {
    for (let passed = 0; passed < withinMs; passed += STEP_MS) {
      if (isTrue()) return;
      await this.pass(STEP_MS);
    }
    if (!isTrue()) throw new Error(`not true within ${withinMs} ms: ${isTrue.toString()}`);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.clock.advance(Math.min(STEP_MS, ms - passed));
      for (const member of this.members.values()) member.runKubelet();
    }
  }

  async untilAvailable(name: string): Promise<void> {
    await this.until(() => {
      const app = this.app(name);
      return (
        app?.status?.observedGeneration === app?.metadata.generation &&
        this.condition(name, "Available")?.startsWith("True") === true
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const classes of [...this.#managers.keys()]) await this.stopManager(...classes.split(",").filter(Boolean));
  }

  #hubClient(guard: () => void): FakeApiClient {
    const client = new FakeApiClient(this.hub, "hub");
    client.gate = ({ verb, type, phase }) => {
      if (phase === "after") return;
      if (WRITES.has(verb)) guard();
      const error = this.refuse(verb, type);
      if (error !== undefined) throw error;
    };
    this.hubClients.push(client);
    return client;
  }

  #connect(server: string, guard: () => void): Client {
    for (const member of this.members.values()) if (member.url === server) return member.connect(guard);
    throw new Error(`no member at ${server}`);
  }
}

/** As the hub's API server would store it. */
function defaulted(object: KubeObject): KubeObject {
  const parsed = parseObject(object);
  if (!parsed.ok) throw new Error(`the hub would refuse it: ${JSON.stringify(parsed.problems)}`);
  return parsed.object;
}
