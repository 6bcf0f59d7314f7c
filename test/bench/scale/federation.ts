import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../../src/apis/index.ts";
import { CertificateAuthority } from "../../../src/certificates/index.ts";
import { connect, type Connection } from "../../../src/cmd/shared/connection.ts";
import { install } from "../../../src/cmd/install/install.ts";
import { joinMember } from "../../../src/cmd/member/join.ts";
import { runManager } from "../../../src/cmd/manager/manager.ts";
import { createLogger } from "../../../src/observability/index.ts";
import { clusterConfigFromKubeconfig, type Client, DEFAULT_WORKERS } from "../../../src/runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../../src/sandbox/index.ts";

const REGIONS = ["cn-shanghai", "ap-southeast-1", "eu-central-1", "us-east-1", "cn-beijing", "sa-east-1"] as const;
const PLACE = { namespace: DEFAULT_SYSTEM_NAMESPACE, leaseName: "meridian" };
const DAY_MS = 86_400_000;
/** Each joins with connections of its own. */
const JOINED_AT_ONCE = 16;

/** A hub and its members as sandbox clusters, and Meridian's manager, all in this process. */
export class ScaleFederation implements AsyncDisposable {
  readonly hub: SandboxCluster;
  readonly members: readonly SandboxCluster[];
  /** Of the manager; removed with the rest unless told otherwise. */
  readonly logFile: string;
  readonly #folder: string;
  readonly #connection: Connection;
  readonly #stack: AsyncDisposableStack;
  readonly #stop = new AbortController();

  private constructor(
    clusters: { hub: SandboxCluster; members: readonly SandboxCluster[] },
    folder: string,
    stack: AsyncDisposableStack,
  ) {
    this.hub = clusters.hub;
    this.members = clusters.members;
    this.#folder = folder;
    this.logFile = join(folder, "manager.log");
    this.#connection = stack.use(this.#connect("hub", this.hub));
    this.#stack = stack;
  }

  /** All clusters serve; nothing of Meridian is there yet. */
  static async start(memberCount: number): Promise<ScaleFederation> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "meridian-scale-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    // Events of the controllers would be most of the objects, and nobody reads them here.
    const authority = await CertificateAuthority.create({ name: "bench", now: Date.now() });
    const begin = async (name: string) =>
      stack.use(await startSandboxCluster({ name, authority, controllers: { events: 0 } }));
    const hub = await begin("hub");
    const members: SandboxCluster[] = [];
    for (const name of memberNames(memberCount)) members.push(await begin(name));
    return new ScaleFederation({ hub, members }, folder, stack.move());
  }

  get client(): Client {
    return this.#connection.client;
  }

  /** Brings Meridian's kinds to the hub. */
  async install(): Promise<void> {
    const kubeconfig = join(this.#folder, "hub.kubeconfig");
    await writeFile(kubeconfig, this.hub.kubeconfig(), { mode: 0o600 });
    await install(
      { kubeconfig, namespace: PLACE.namespace, logLevel: "error", timeout: 60_000, dryRun: false },
      { terminal: SILENT, signal: this.#stop.signal, env: {} },
    );
  }

  async join(): Promise<void> {
    const waiting = [...this.members.entries()];
    const joinNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await this.#joinOne(...next);
    };
    await Promise.all(Array.from({ length: JOINED_AT_ONCE }, joinNext));
  }

  /** Resolves when the manager ends, which it does with this federation; rejects when it cannot go on. */
  runManager(): Promise<void> {
    const log = createWriteStream(this.logFile, { mode: 0o600 });
    const running = runManager(
      {
        ...PLACE,
        kubeconfig: join(this.#folder, "hub.kubeconfig"),
        logLevel: "info",
        metricsHost: "127.0.0.1",
        metricsPort: 0,
        leaderElect: true,
        // Nobody else wants the Lease, and a machine with other work to do must not end the measurement.
        leaseDurationMs: 60_000,
        renewDeadlineMs: 40_000,
        retryPeriodMs: 10_000,
        reconcileTimeoutMs: 30_000,
        concurrency: DEFAULT_WORKERS,
        identity: "bench",
        allowExecCredentials: false,
      },
      this.#stop.signal,
      { logger: createLogger({ level: "info", destination: log }) },
    );
    this.#stack.defer(async () => {
      this.#stop.abort();
      await running.catch(() => undefined);
      log.end();
    });
    return running.then(() => {
      if (!this.#stop.signal.aborted) throw new Error("the manager ended by itself");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #joinOne(index: number, cluster: SandboxCluster): Promise<void> {
    const { name } = cluster;
    const region = regionOf(index);
    await using member = this.#connect(name, cluster);
    await joinMember({
      name,
      hub: this.#connection,
      member,
      signal: this.#stop.signal,
      options: {
        ...PLACE,
        logLevel: "error",
        region,
        zone: `${region}-a`,
        labels: {},
        taints: [],
        renew: false,
        tokenLifetime: DAY_MS,
      },
    });
  }

  #connect(name: string, cluster: SandboxCluster): Connection {
    return connect(name, clusterConfigFromKubeconfig(cluster.kubeconfig(), { cluster: name }));
  }
}

/** What a cluster keeps of a kind, and every change of it, without a request. */
export function follow(
  cluster: SandboxCluster,
  resource: { group: string; plural: string },
  seen: (object: KubeObject, gone: boolean) => void,
): Disposable {
  return cluster.local.onEvent(resource, ({ type, object }) => {
    if (type !== "BOOKMARK") seen(object, type === "DELETED");
  });
}

function memberNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${regionOf(index)}-${Math.floor(index / REGIONS.length) + 1}`);
}

function regionOf(index: number): string {
  return REGIONS[index % REGIONS.length] as string;
}

const SILENT = { out: () => undefined, err: () => undefined, color: false, interactive: false };
