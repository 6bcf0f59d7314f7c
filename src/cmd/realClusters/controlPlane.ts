import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Api } from "./api.ts";
import type { Assets } from "./assets.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { eventually } from "./eventually.ts";
import { freePort, ManagedProcess, temporaryFolder } from "./processes.ts";

export interface ControlPlaneOptions {
  name: string;
  assets: Assets;
  /** Default: true. */
  controllerManager?: boolean;
  /** Default: {@link MEMBER_CONTROLLERS}. */
  controllers?: readonly string[];
  /** Default: an etcd of its own. */
  etcd?: Etcd;
  /** Folder of credentials and logs, with which a later control plane continues. Default: a temporary folder. */
  folder?: string;
  /** Default: a free port. */
  port?: number;
  /** More flags of the API server; the later of two counts. */
  apiserverArgs?: readonly string[];
  /** Users besides the administrator. Only those of the first start count. */
  people?: readonly Person[];
  signal?: AbortSignal;
}

export interface Person {
  name: string;
  groups: readonly string[];
  token: string;
}

/** Parts of a {@link ControlPlane}. */
export interface ControlPlaneParts {
  name: string;
  folder: string;
  port: number;
  assets: Assets;
  etcd: Etcd;
  /** Empty: no kube-controller-manager. */
  controllers: readonly string[];
  apiserverArgs: readonly string[];
  adminToken: string;
  /** Disposed of with the control plane. */
  cleanup: AsyncDisposableStack;
}

/** For a cluster that runs no pods: namespaces can be deleted, and owners cascade. */
export const HUB_CONTROLLERS: readonly string[] = [
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "clusterrole-aggregation-controller",
];

/** For Deployments that get their pods. Not all, to save memory. */
export const MEMBER_CONTROLLERS: readonly string[] = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "daemonset-controller",
  "job-controller",
  "resourcequota-controller",
  ...HUB_CONTROLLERS,
];

/** A real kube-apiserver (TLS, RBAC, tokens) on the loopback address, and optionally a kube-controller-manager. */
export class ControlPlane implements AsyncDisposable {
  readonly name: string;
  readonly folder: string;
  readonly server: string;
  readonly adminToken: string;
  readonly kubeconfigFile: string;
  readonly #parts: ControlPlaneParts;
  #apiserver: ManagedProcess | undefined;
  #controllerManager: ManagedProcess | undefined;
  #caData = "";
  #api: Api | undefined;

  /** Not for direct use: call {@link startControlPlane}. */
  constructor(parts: ControlPlaneParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.folder = parts.folder;
    this.server = `https://127.0.0.1:${parts.port}`;
    this.adminToken = parts.adminToken;
    this.kubeconfigFile = join(parts.folder, "kubeconfig");
  }

  /** Certificate of the authority, PEM. */
  get caData(): string {
    return this.#caData;
  }

  /** The administrator's. */
  get kubeconfig(): string {
    return this.kubeconfigFor({ token: this.adminToken });
  }

  get api(): Api {
    if (this.#api === undefined) throw new Error(`${this.name} has not been started`);
    return this.#api;
  }

  get apiserverPid(): number {
    if (this.#apiserver === undefined) throw new Error(`${this.name} is not running`);
    return this.#apiserver.pid;
  }

  /** With single changed or wrong values. */
  kubeconfigFor(wanted: { token: string; caData?: string; server?: string }): string {
    const ca = Buffer.from(wanted.caData ?? this.#caData).toString("base64");
    return [
      "apiVersion: v1",
      "kind: Config",
      "clusters:",
      `- {name: ${this.name}, cluster: {server: "${wanted.server ?? this.server}", certificate-authority-data: ${ca}}}`,
      "users:",
      `- {name: ${this.name}-admin, user: {token: "${wanted.token}"}}`,
      "contexts:",
      `- {name: ${this.name}, context: {cluster: ${this.name}, user: ${this.name}-admin}}`,
      `current-context: ${this.name}`,
      "",
    ].join("\n");
  }

  /** Starts what does not run, with the same port, certificate and data. */
  async start(): Promise<void> {
    if (this.#apiserver === undefined || this.#apiserver.exit !== undefined) {
      this.#apiserver = this.#spawnApiserver();
      await this.#untilReady(this.#apiserver);
    }
    if (
      this.#parts.controllers.length > 0 &&
      (this.#controllerManager === undefined || this.#controllerManager.exit !== undefined)
    ) {
      this.#controllerManager = this.#spawnControllerManager();
      await this.#untilPodsArePossible(this.#controllerManager);
    }
  }

  /** The data stay, and other control planes on the same etcd run on. */
  async stop(): Promise<void> {
    this.resume();
    // The server would keep open watches for 30 s and more.
    await Promise.all([this.#apiserver?.stop(1000), this.#controllerManager?.kill()]);
  }

  /** As in a crash: connections are reset at once. */
  async kill(): Promise<void> {
    await Promise.all([this.#apiserver?.kill(), this.#controllerManager?.kill()]);
  }

  /** Requires an etcd of its own. The server is down meanwhile. */
  async backUp(to: string): Promise<void> {
    await this.kill();
    await this.#parts.etcd.backUp(to);
    await this.start();
  }

  /** As after a disaster. */
  async restore(from: string): Promise<void> {
    await this.kill();
    await this.#parts.etcd.restore(from);
    await this.start();
  }

  /** The server accepts connections and never answers, as behind a partition. */
  pause(): void {
    this.#apiserver?.signal("SIGSTOP");
  }

  resume(): void {
    if (this.#apiserver?.exit === undefined) this.#apiserver?.signal("SIGCONT");
  }

  async logTail(lines = 30): Promise<string> {
    const parts = [this.#apiserver, this.#controllerManager].filter((part) => part !== undefined);
    const tails = await Promise.all(parts.map(async (part) => `--- ${part.name}\n${await part.logTail(lines)}`));
    return tails.join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#api?.close();
    await this.#parts.cleanup.disposeAsync();
  }

  protected file(name: string): string {
    return join(this.folder, name);
  }

  #spawnApiserver(): ManagedProcess {
    return new ManagedProcess({
      name: `kube-apiserver of ${this.name}`,
      command: this.#parts.assets.kubeApiserver,
      args: [
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        `--secure-port=${this.#parts.port}`,
        // The server writes its certificate here, and finds it again after a restart.
        `--cert-dir=${this.file("certificates")}`,
        `--etcd-servers=${this.#parts.etcd.url}`,
        `--etcd-prefix=/${this.name}`,
        `--token-auth-file=${this.file("tokens.csv")}`,
        "--authorization-mode=RBAC",
        `--service-account-issuer=${ISSUER}`,
        `--service-account-signing-key-file=${this.file("service-account.key")}`,
        `--service-account-key-file=${this.file("service-account.pub")}`,
        "--service-cluster-ip-range=10.0.0.0/16",
        "--endpoint-reconciler-type=none",
        "--max-requests-inflight=4000",
        "--max-mutating-requests-inflight=2000",
        "--allow-privileged=true",
        "--profiling=false",
        ...this.#parts.apiserverArgs,
      ],
      logFile: this.file("kube-apiserver.log"),
      detached: true,
    });
  }

  #spawnControllerManager(): ManagedProcess {
    return new ManagedProcess({
      name: `kube-controller-manager of ${this.name}`,
      command: this.#parts.assets.kubeControllerManager,
      args: [
        `--kubeconfig=${this.kubeconfigFile}`,
        `--controllers=${this.#parts.controllers.join(",")}`,
        `--service-account-private-key-file=${this.file("service-account.key")}`,
        `--root-ca-file=${this.file("ca.crt")}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--concurrent-deployment-syncs=20",
        "--concurrent-replicaset-syncs=20",
      ],
      logFile: this.file("kube-controller-manager.log"),
      detached: true,
    });
  }

  async #untilReady(apiserver: ManagedProcess): Promise<void> {
    await apiserver.whileRunning(async (signal) => {
      const common = { timeout: START_TIMEOUT, message: apiserver.name, signal };
      this.#caData = await eventually(
        async () => lastCertificate(await readFile(this.file("certificates/apiserver.crt"), "utf8")),
        common,
      );
      await writeFile(this.file("ca.crt"), this.#caData);
      await writeFile(this.kubeconfigFile, this.kubeconfig, { mode: 0o600 });
      this.#api ??= new Api({ server: this.server, ca: this.#caData, token: this.adminToken });
      const api = this.#api;
      await eventually(
        async () => {
          const { status, body } = await api.request<unknown>("GET", "/readyz", undefined, { timeoutMs: 5000 });
          if (status !== 200) throw new Error(`/readyz answers ${status}: ${String(body)}`);
          // Created a moment after the server is ready. Its UID is a cluster's identity.
          await api.get("/api/v1/namespaces/kube-system");
        },
        { ...common, interval: 100 },
      );
    });
  }

  async #untilPodsArePossible(controllerManager: ManagedProcess): Promise<void> {
    await controllerManager.whileRunning((signal) =>
      // Admission refuses pods while their ServiceAccount is missing.
      eventually(() => this.api.get("/api/v1/namespaces/default/serviceaccounts/default"), {
        timeout: START_TIMEOUT,
        interval: 100,
        message: controllerManager.name,
        signal,
      }),
    );
  }
}

export const ISSUER = "https://kubernetes.default.svc.cluster.local";
const START_TIMEOUT = 120_000;

/** The last one in the server's file. Throws while the file is incomplete. */
function lastCertificate(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n/g) ?? [];
  const last = certificates.at(-1);
  if (last === undefined || certificates.length < 2) throw new Error("the server's certificate is incomplete");
  return last;
}

/** Starts a control plane and waits until it serves. */
export function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  return launch(ControlPlane, options);
}

/** As {@link startControlPlane}, for a subclass. */
export async function launch<T extends ControlPlane>(
  type: new (parts: ControlPlaneParts) => T,
  options: ControlPlaneOptions,
): Promise<T> {
  const { name, assets, controllerManager = true, apiserverArgs = [] } = options;
  const controllers = controllerManager ? (options.controllers ?? MEMBER_CONTROLLERS) : [];
  const cleanup = new AsyncDisposableStack();
  const folder = options.folder ?? cleanup.use(await temporaryFolder("meridian-control-plane-")).path;
  await mkdir(folder, { recursive: true });
  const etcd = options.etcd ?? cleanup.use(await startEtcd(assets, folder));
  const port = options.port ?? (await freePort());
  const adminToken = await credentials(folder, options.people ?? []);
  const plane = new type({ name, folder, port, assets, etcd, controllers, apiserverArgs, adminToken, cleanup });
  const { signal } = options;
  const giveUp = (): void => void plane.kill();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    signal?.throwIfAborted();
    await plane.start();
    signal?.throwIfAborted();
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
  return plane;
}

/** Returns the administrator's token. Credentials in the folder stay valid. */
async function credentials(folder: string, people: readonly Person[]): Promise<string> {
  const tokens = join(folder, "tokens.csv");
  const known = await readFile(tokens, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const token = known?.split(",")[0];
  if (token !== undefined && token !== "") return token;
  const made = randomBytes(24).toString("hex");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(join(folder, "service-account.key"), privateKey, { mode: 0o600 });
  await writeFile(join(folder, "service-account.pub"), publicKey);
  // Written last: if this file exists, the other files exist, too.
  const administrator = { name: "admin", groups: ["system:masters"], token: made };
  const rows = [administrator, ...people].map(
    ({ name, groups, token }) => `${token},${name},${name},"${groups.join()}"\n`,
  );
  await writeFile(tokens, rows.join(""), { mode: 0o600 });
  return made;
}
