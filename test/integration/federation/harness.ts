import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type {
  DemoApplication,
  FederatedStatus,
  KubeObject,
  MemberCluster,
  ResourceBinding,
} from "../../../src/apis/index.ts";
import {
  type AuditRecord,
  AuditTrail,
  createLogger,
  createMetrics,
  createTracing,
  EventRecorder,
  type Metrics,
  type OperationsEvent,
  OperationsLog,
  OperationsRecorder,
  type TracingOptions,
} from "../../../src/observability/index.ts";
import { decisionFacts } from "../../../src/cmd/manager/records.ts";
import type { AskGate } from "../../../src/controllers/index.ts";
import {
  type Client,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  type ClusterConfig,
  CONFIGMAPS,
  CONTROLLERREVISIONS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  kubeconfigFor,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  NotLeaderError,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
  SECRETS,
} from "../../../src/runtime/index.ts";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { type ManagerParts, runManager } from "./manager.ts";
import { JOBS } from "./objects.ts";
import { Member } from "./member.ts";
import type { InProcessClient, Verb } from "./inProcessClient.ts";
import { TestCluster, untilQuiet } from "./testCluster.ts";

export { Member } from "./member.ts";

const SYSTEM = "meridian-system";
const STEP_MS = 50;

type Object = { object(): KubeObject } | KubeObject;

/** The whole pipeline on clusters of the sandbox, on a clock that the test turns. */
export class TestFederation implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly hub: TestCluster;
  readonly hubClients: InProcessClient[] = [];
  readonly members = new Map<string, Member>();
  readonly events: KubeObject[] = [];
  readonly operations: OperationsEvent[] = [];
  /** Writes to members. */
  readonly audit: AuditRecord[] = [];
  /** Lines of the manager's log, at the level `debug`. */
  readonly log: string[] = [];
  /** Complete when the manager has stopped. */
  readonly spans: ReadableSpan[] = [];
  /** Of the next manager: where its spans go instead, and what else is said of them. */
  tracing: Partial<TracingOptions> = {};
  metrics: Metrics = createMetrics({ processMetrics: false });
  /** Of the next manager: how it asks what gates want to know. */
  askGate?: AskGate;
  /** Of the next manager: gets its tables before it runs. */
  onStart?: ManagerParts["onStart"];
  /** Whether a manager that starts records what is for finding faults. */
  debugEvents = false;
  /** Whether the Lease is held, as the guard of every write sees it. */
  isLeader = true;
  /** Thrown by a call to the hub when it gives an error. */
  refuse: (verb: Verb, type: ResourceType | undefined) => Error | undefined = () => undefined;
  readonly #managers = new Map<string, { stop: AbortController; running: Promise<void> }>();

  private constructor(clock: FakeClock, hub: TestCluster) {
    this.clock = clock;
    this.hub = hub;
  }

  /** With joined members of these names, and the manager running. */
  static async start(...names: string[]): Promise<TestFederation> {
    const federation = await TestFederation.prepare(...names);
    await federation.startManager();
    return federation;
  }

  /** With an application that runs on all of them: `shop`, of two replicas and a port. */
  static running(...names: string[]): Promise<TestFederation> {
    return TestFederation.placed(placement("all"), demoApplication("shop").replica(2).port(80), ...names);
  }

  /** With this policy, and this application available. */
  static async placed(policy: Object, app: ReturnType<typeof demoApplication>, ...names: string[]) {
    const federation = await TestFederation.start(...names);
    await federation.apply(PLACEMENTS, policy);
    await federation.apply(DEMOAPPLICATIONS, app);
    await federation.untilAvailable(app.object().metadata.name);
    return federation;
  }

  /** Without a manager. */
  static async prepare(...names: string[]): Promise<TestFederation> {
    const { clock, hub } = await emptyHub();
    const federation = new TestFederation(clock, hub);
    await federation.namespace(SYSTEM);
    for (const name of names) await federation.join(name);
    return federation;
  }

  /** By which members know what is this hub's. */
  get hubId(): string {
    return this.hub.uid;
  }

  /** `labels`: instead of a region of its own. */
  async join(
    name: string,
    spec: Partial<MemberCluster["spec"]> = {},
    labels: Record<string, string> = { "topology.kubernetes.io/region": `region-of-${name}` },
  ): Promise<Member> {
    const member = this.members.get(name) ?? (await Member.start(name, this.clock));
    this.members.set(name, member);
    await this.giveCredentials(member, member.token);
    await this.hub.create(MEMBERCLUSTERS, {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, labels },
      spec: { connection: { kubeconfigSecretRef: { name, key: "kubeconfig" } }, deletionPolicy: "Orphan", ...spec },
    });
    return member;
  }

  /** Puts a kubeconfig with this token into the Secret of the member. */
  async giveCredentials({ name, url }: Member, token: string): Promise<void> {
    const kubeconfig = kubeconfigFor({ cluster: "member", server: url, token });
    await this.hub.apply(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: SYSTEM },
      data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
    });
  }

  member(name: string): Member {
    const member = this.members.get(name);
    if (member === undefined) throw new Error(`there is no member ${name}`);
    return member;
  }

  /** `classes`: of the objects that it owns; beside a manager of other classes it is another release. */
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
      ...this.tracing,
    });
    const stop = new AbortController();
    const logger = createLogger({ level: "debug", destination: { write: (line) => void this.log.push(line) } });
    const guard = (): void => {
      if (!this.isLeader) throw new NotLeaderError("the Lease is not held");
    };
    const kubernetes = new EventRecorder({
      post: async (event) => {
        this.events.push(event);
        return event;
      },
      patch: async () => ({ apiVersion: "v1", kind: "Event", metadata: { name: "" } }),
      now: () => this.clock.now(),
      identity: "test",
      logger,
      debug: this.debugEvents,
      after: (ms, callback) => this.clock.after(ms, callback),
    });
    const events = this.#recorder(kubernetes);
    this.metrics = createMetrics({ processMetrics: false });
    const running = runManager(
      {
        client: this.#hubClient(guard),
        hubId: this.hubId,
        systemNamespace: SYSTEM,
        ...(classes.length === 0 ? {} : { classes: new Set(classes) }),
        ...(this.askGate === undefined ? {} : { askGate: this.askGate }),
        clock: this.clock,
        logger,
        metrics: this.metrics,
        tracer,
        events,
        audit: this.#trail(),
        clientFor: (config) => this.#connect(config, guard),
        onStart: (view, hub, pool) => {
          events.know(decisionFacts(hub, view));
          this.onStart?.(view, hub, pool);
        },
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

  #recorder(events: EventRecorder): OperationsRecorder {
    let ids = 0;
    const now = (): number => this.clock.now();
    const log = new OperationsLog({
      process: { serviceName: "meridian", hostIp: "10.0.0.7", processId: 1, tags: {} },
      sinks: [(event) => void this.operations.push(event)],
      randomId: () => `event-${(ids += 1)}`,
      now,
      after: (ms, callback) => this.clock.after(ms, callback),
    });
    return new OperationsRecorder({ log, events, now, debug: this.debugEvents });
  }

  #trail(): AuditTrail {
    const now = (): number => this.clock.now();
    const write = (record: AuditRecord): void => void this.audit.push(record);
    return new AuditTrail({ user: "manager", randomId: () => "id", now, write });
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

  /** Another manager of the default class, after what happens while there is none. */
  async restart(between: () => Promise<unknown> = async () => undefined): Promise<void> {
    await this.stopManager();
    await between();
    await this.startManager();
  }

  /** Creates the object on the hub, or makes it so. */
  apply(type: ResourceType, object: Object): Promise<KubeObject> {
    return this.hub.apply(type, "object" in object && typeof object.object === "function" ? object.object() : object);
  }

  delete(type: ResourceType, name: string, namespace: string | undefined = "default"): Promise<void> {
    return this.hub.delete(type, namespace, name);
  }

  /** Makes a namespace that is not there yet, on the hub by default. */
  async namespace(name: string, cluster: TestCluster = this.hub): Promise<void> {
    if (cluster.has(NAMESPACES, undefined, name)) return;
    await cluster.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  app(name: string): DemoApplication | undefined {
    return this.hub.find(DEMOAPPLICATIONS, "default", name) as DemoApplication | undefined;
  }

  status(name: string): FederatedStatus | undefined {
    return this.app(name)?.status;
  }

  /** The binding of a propagated object, by its name such as `configmap.settings`. */
  binding(name: string, namespace = "default"): ResourceBinding | undefined {
    return this.hub.find(RESOURCEBINDINGS, namespace, name) as ResourceBinding | undefined;
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

  /** Lets time go on until it is true; the controllers of the members work meanwhile. */
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
      await this.#settle();
    }
  }

  async untilAvailable(name: string): Promise<void> {
    await this.until(() => {
      const app = this.app(name);
      const available = app?.status?.conditions?.find(({ type }) => type === "Available");
      // What serves while a change is on its way is available by the generation before: as `kubectl wait`, this waits on.
      return available?.status === "True" && available.observedGeneration === app?.metadata.generation;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const classes of [...this.#managers.keys()]) await this.stopManager(...classes.split(",").filter(Boolean));
    for (const member of this.members.values()) await member[Symbol.asyncDispose]();
  }

  async #settle(): Promise<void> {
    const clusters = [this.hub, ...[...this.members.values()].map(({ server }) => server)];
    await untilQuiet(() => clusters.map(({ version }) => version).join());
  }

  #hubClient(guard: () => void): InProcessClient {
    const client = this.hub.connect(this.clock, guard);
    client.gate = ({ verb, type, phase }) => {
      const error = phase === "before" ? this.refuse(verb, type) : undefined;
      if (error !== undefined) throw error;
    };
    this.hubClients.push(client);
    return client;
  }

  #connect({ server, credentials }: ClusterConfig, guard: () => void): Client {
    for (const member of this.members.values()) if (member.url === server) return member.connect(credentials, guard);
    throw new Error(`no member at ${server}`);
  }
}

/** Of the kinds of which tests leave something on the hub. Its namespaces stay. */
export const LEFT_BEHIND = [
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  PLACEMENTS,
  CLUSTERPLACEMENTS,
  OVERRIDEPOLICIES,
  CLUSTEROVERRIDEPOLICIES,
  RESOURCEBINDINGS,
  CLUSTERRESOURCEBINDINGS,
  CONTROLLERREVISIONS,
  MEMBERCLUSTERS,
  CONFIGMAPS,
  DEPLOYMENTS,
  SECRETS,
  JOBS,
];

/** The hub of all tests of a process, one after the other: to install its kinds takes longer than most of them. */
async function emptyHub(): Promise<{ clock: FakeClock; hub: TestCluster }> {
  if (shared === undefined) {
    const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
    shared = { clock, hub: await TestCluster.startHub(clock) };
    // What is deleted in the second of its CRD counts as deleted with an earlier one.
    await clock.advance(1_000);
  }
  await shared.hub.empty(...LEFT_BEHIND);
  return shared;
}
let shared: { clock: FakeClock; hub: TestCluster } | undefined;
