import type { KubeObject } from "../../../src/apis/index.ts";
import { type Clock, type Credentials, DEPLOYMENTS, PODS, type ResourceType } from "../../../src/runtime/index.ts";
import { InProcessClient, type Verb } from "./inProcessClient.ts";
import { TestCluster } from "./testCluster.ts";

/** A member: a cluster of the sandbox with its controllers, and the manager's connections to it. */
export class Member implements AsyncDisposable {
  readonly name: string;
  /** The manager's connections to it, the latest last. */
  readonly clients: InProcessClient[] = [];
  /** Thrown by a call when it gives an error; a promise lets the call hang. */
  refuse: (verb: Verb, type: ResourceType | undefined) => Error | undefined | Promise<Error | undefined> = () =>
    undefined;
  readonly #clock: Clock;
  readonly #clusters: TestCluster[];

  private constructor(first: TestCluster, clock: Clock) {
    this.name = first.name;
    this.#clusters = [first];
    this.#clock = clock;
  }

  static async start(name: string, clock: Clock): Promise<Member> {
    return new Member(await startCluster(name, clock), clock);
  }

  get url(): string {
    return `https://${this.name}.test:6443`;
  }

  /** The token of its administrator. */
  get token(): string {
    return this.#clusters[0]?.adminToken ?? "";
  }

  /** The cluster that answers at its address. */
  get server(): TestCluster {
    const server = this.#clusters.at(-1);
    if (server === undefined) throw new Error(`${this.name} has no cluster`);
    return server;
  }

  get writes(): string[] {
    return this.clients.flatMap((client) => client.writes);
  }

  connect(credentials: Pick<Credentials, "authorization">, guard: () => void): InProcessClient {
    const client = new InProcessClient({
      cluster: this.name,
      wire: { answer: (request) => this.server.answer(request) },
      // Another cluster in its place has let the same administrator in.
      credentials: {
        authorization: async () => {
          const shown = await credentials.authorization();
          return shown === `Bearer ${this.token}` ? `Bearer ${this.server.adminToken}` : shown;
        },
      },
      clock: this.#clock,
      guard,
    });
    client.gate = async ({ verb, type, phase }) => {
      const error = phase === "before" ? await this.refuse(verb, type) : undefined;
      if (error !== undefined) throw error;
    };
    this.clients.push(client);
    return client;
  }

  /** The connections break, and every further one does; or nothing that is sent arrives, in either direction. */
  cutOff(partition: "reset" | "silent" = "reset"): void {
    this.server.faults.set({ partition });
  }

  comeBack(): void {
    this.server.faults.set({ partition: undefined });
  }

  /** Pods that are started from now on do not become ready. */
  stickPods(): void {
    this.server.faults.set({ podsStuck: true });
  }

  /** One pod of a Deployment is gone, and the one in its place does not become ready. */
  async losePod(app: string): Promise<void> {
    this.stickPods();
    const [pod] = this.server.list(PODS, { namespace: "default", labelSelector: `app=${app}` });
    if (pod === undefined) throw new Error(`${app} has no pod on ${this.name}`);
    await this.server.delete(PODS, "default", pod.metadata.name);
  }

  /** Another cluster answers at its address, with the same credentials and copies of its Deployments. */
  async becomeAnother(): Promise<TestCluster> {
    const before = this.server;
    const other = await startCluster(this.name, this.#clock);
    for (const deployment of before.list(DEPLOYMENTS)) await other.create(DEPLOYMENTS, copyOf(deployment));
    this.#clusters.push(other);
    before.breakConnections();
    return other;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cluster of this.#clusters) await cluster[Symbol.asyncDispose]();
  }
}

function startCluster(name: string, clock: Clock): Promise<TestCluster> {
  return TestCluster.start({ name, clock, controllers: { readinessDelayMs: 0 } });
}

function copyOf({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec,
  };
}
