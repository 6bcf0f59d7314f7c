import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Api } from "./api.ts";
import { type Assets, controlPlaneAssets } from "./assets.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { eventually } from "./eventually.ts";
import { freePort, ManagedProcess, temporaryFolder } from "./processes.ts";
import { RequestCounters } from "./requestCounters.ts";

export interface ControlPlaneOptions {
  name: string;
  /** Runs kube-controller-manager beside the API server; true unless told. */
  controllerManager?: boolean;
  /** Without it the control plane gets an etcd of its own. */
  etcd?: Etcd;
  /** Without it a temporary one. */
  folder?: string;
}

/** What a Deployment needs to get pods, a namespace to go, an owner to cascade. Leaner than all of them, for memory's sake. */
const CONTROLLERS = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "daemonset-controller",
  "job-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "resourcequota-controller",
  "clusterrole-aggregation-controller",
];

/** A real kube-apiserver (TLS, RBAC, tokens) on the loopback address and, when wanted, a kube-controller-manager. */
export class ControlPlane implements AsyncDisposable {
  readonly name: string;
  readonly folder: string;
  readonly server: string;
  readonly adminToken: string;
  readonly kubeconfigFile: string;
  readonly #assets: Assets;
  readonly #etcd: Etcd;
  readonly #port: number;
  readonly #withControllerManager: boolean;
  readonly #cleanup: AsyncDisposableStack;
  #apiserver: ManagedProcess | undefined;
  #controllerManager: ManagedProcess | undefined;
  #caData = "";
  #api: Api | undefined;

  private constructor(fields: {
    name: string;
    folder: string;
    port: number;
    assets: Assets;
    etcd: Etcd;
    controllerManager: boolean;
    cleanup: AsyncDisposableStack;
  }) {
    this.name = fields.name;
    this.folder = fields.folder;
    this.#port = fields.port;
    this.server = `https://127.0.0.1:${fields.port}`;
    this.#assets = fields.assets;
    this.#etcd = fields.etcd;
    this.#withControllerManager = fields.controllerManager;
    this.#cleanup = fields.cleanup;
    this.adminToken = randomBytes(24).toString("hex");
    this.kubeconfigFile = join(fields.folder, "kubeconfig");
  }

  /** Starts one and waits until it serves. */
  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const cleanup = new AsyncDisposableStack();
    const assets = await controlPlaneAssets();
    const folder = options.folder ?? cleanup.use(await temporaryFolder("meridian-envtest-")).path;
    await mkdir(folder, { recursive: true });
    const etcd = options.etcd ?? cleanup.use(await startEtcd(assets, folder));
    const plane = new ControlPlane({
      name: options.name,
      folder,
      port: await freePort(),
      assets,
      etcd,
      controllerManager: options.controllerManager ?? true,
      cleanup,
    });
    await plane.#writeCredentials();
    try {
      await plane.start();
    } catch (error) {
      await plane[Symbol.asyncDispose]();
      throw error;
    }
    return plane;
  }

  /** Certificate of the authority that signed the server's certificate, PEM. */
  get caData(): string {
    return this.#caData;
  }

  /** As the administrator, with the token. */
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

  /** A kubeconfig for this server in which single things are wrong or different. */
  kubeconfigFor(wanted: { token: string; caData?: string; server?: string }): string {
    const ca = Buffer.from(wanted.caData ?? this.#caData).toString("base64");
    return [
      "apiVersion: v1",
      "kind: Config",
      "clusters:",
      `- {name: ${this.name}, cluster: {server: "${wanted.server ?? this.server}", certificate-authority-data: ${ca}}}`,
      "users:",
      `- {name: admin, user: {token: "${wanted.token}"}}`,
      "contexts:",
      `- {name: ${this.name}, context: {cluster: ${this.name}, user: admin}}`,
      `current-context: ${this.name}`,
      "",
    ].join("\n");
  }

  /** Starts what does not run, on the same port, with the same certificate and the same data. */
  async start(): Promise<void> {
    if (this.#apiserver === undefined || this.#apiserver.exit !== undefined) {
      this.#apiserver = this.#spawnApiserver();
      await this.#untilReady(this.#apiserver);
    }
    if (
      this.#withControllerManager &&
      (this.#controllerManager === undefined || this.#controllerManager.exit !== undefined)
    ) {
      this.#controllerManager = this.#spawnControllerManager();
      await this.#untilPodsArePossible(this.#controllerManager);
    }
  }

  /** Ends the API server and the controller manager; the data stay, other control planes on the same etcd notice nothing. */
  async stop(): Promise<void> {
    this.resume();
    // The server keeps open watches for its whole drain of 30 s and more, so the patience is short.
    await Promise.all([this.#apiserver?.stop(1000), this.#controllerManager?.kill()]);
  }

  /** As a crash: connections are reset at once. */
  async kill(): Promise<void> {
    await Promise.all([this.#apiserver?.kill(), this.#controllerManager?.kill()]);
  }

  /** The server accepts connections and never answers, as behind a partition of the network. */
  pause(): void {
    this.#apiserver?.signal("SIGSTOP");
  }

  resume(): void {
    if (this.#apiserver?.exit === undefined) this.#apiserver?.signal("SIGCONT");
  }

  /** The server's own count of its requests since it started. */
  async metrics(): Promise<RequestCounters> {
    const { body } = await this.api.request<string>("GET", "/metrics", undefined, { accept: "text/plain" });
    return RequestCounters.parse(body);
  }

  /** The last lines that the server and the controller manager wrote. */
  async logTail(lines = 30): Promise<string> {
    const parts = [this.#apiserver, this.#controllerManager].filter((part) => part !== undefined);
    const tails = await Promise.all(parts.map(async (part) => `--- ${part.name}\n${await part.logTail(lines)}`));
    return tails.join("\n");
  }

  /**
   * A token as the server itself would issue it to a ServiceAccount, for whatever time is wanted: one that expired, say.
   * `expiresIn` is in seconds from now, negative for the past.
   */
  async serviceAccountToken(namespace: string, name: string, expiresIn: number): Promise<string> {
    const account = await this.api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}`);
    const now = Math.floor(Date.now() / 1000);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const issuedAt = Math.min(now, now + expiresIn - 600);
    const claims = {
      iss: ISSUER,
      aud: [ISSUER],
      sub: `system:serviceaccount:${namespace}:${name}`,
      iat: issuedAt,
      nbf: issuedAt,
      exp: now + expiresIn,
      "kubernetes.io": { namespace, serviceaccount: { name, uid: account.metadata.uid } },
    };
    const unsigned = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
    const key = createPrivateKey(await readFile(this.#file("service-account.key")));
    return `${unsigned}.${sign("sha256", Buffer.from(unsigned), key).toString("base64url")}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#api?.close();
    await this.#cleanup.disposeAsync();
  }

  #file(name: string): string {
    return join(this.folder, name);
  }

  async #writeCredentials(): Promise<void> {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    await Promise.all([
      writeFile(this.#file("service-account.key"), privateKey, { mode: 0o600 }),
      writeFile(this.#file("service-account.pub"), publicKey),
      writeFile(this.#file("tokens.csv"), `${this.adminToken},admin,admin,"system:masters"\n`, { mode: 0o600 }),
    ]);
  }

  #spawnApiserver(): ManagedProcess {
    return new ManagedProcess({
      name: `kube-apiserver of ${this.name}`,
      command: this.#assets.kubeApiserver,
      args: [
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        `--secure-port=${this.#port}`,
        // The server writes a certificate for 127.0.0.1 there, with the authority that signed it, and finds it again after a restart.
        `--cert-dir=${this.#file("certificates")}`,
        `--etcd-servers=${this.#etcd.url}`,
        `--etcd-prefix=/${this.name}`,
        `--token-auth-file=${this.#file("tokens.csv")}`,
        "--authorization-mode=RBAC",
        `--service-account-issuer=${ISSUER}`,
        `--service-account-signing-key-file=${this.#file("service-account.key")}`,
        `--service-account-key-file=${this.#file("service-account.pub")}`,
        "--service-cluster-ip-range=10.0.0.0/16",
        "--endpoint-reconciler-type=none",
        "--max-requests-inflight=4000",
        "--max-mutating-requests-inflight=2000",
        "--allow-privileged=true",
        "--profiling=false",
      ],
      logFile: this.#file("kube-apiserver.log"),
    });
  }

  #spawnControllerManager(): ManagedProcess {
    return new ManagedProcess({
      name: `kube-controller-manager of ${this.name}`,
      command: this.#assets.kubeControllerManager,
      args: [
        `--kubeconfig=${this.kubeconfigFile}`,
        `--controllers=${CONTROLLERS.join(",")}`,
        `--service-account-private-key-file=${this.#file("service-account.key")}`,
        `--root-ca-file=${this.#file("ca.crt")}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--concurrent-deployment-syncs=20",
        "--concurrent-replicaset-syncs=20",
      ],
      logFile: this.#file("kube-controller-manager.log"),
    });
  }

  async #untilReady(apiserver: ManagedProcess): Promise<void> {
    const alive = async () => {
      if (apiserver.exit !== undefined) throw new Error(`${apiserver.name} ended:\n${await apiserver.logTail()}`);
    };
    this.#caData = await eventually(
      async () => {
        await alive();
        return lastCertificate(await readFile(this.#file("certificates/apiserver.crt"), "utf8"));
      },
      { timeout: START_TIMEOUT, message: apiserver.name },
    );
    await writeFile(this.#file("ca.crt"), this.#caData);
    await writeFile(this.kubeconfigFile, this.kubeconfig, { mode: 0o600 });
    this.#api ??= new Api({ server: this.server, ca: this.#caData, token: this.adminToken });
    const api = this.#api;
    await eventually(
      async () => {
        await alive();
        const { status, body } = await api.request<unknown>("GET", "/readyz", undefined, { timeoutMs: 5000 });
        if (status !== 200) throw new Error(`/readyz answers ${status}: ${String(body)}`);
        // Made by the server a moment after it is ready; Meridian's identity of a cluster is its UID.
        await api.get("/api/v1/namespaces/kube-system");
      },
      { timeout: START_TIMEOUT, interval: 100, message: apiserver.name },
    );
  }

  async #untilPodsArePossible(controllerManager: ManagedProcess): Promise<void> {
    await eventually(
      async () => {
        if (controllerManager.exit !== undefined) {
          throw new Error(`${controllerManager.name} ended:\n${await controllerManager.logTail()}`);
        }
        // Admission refuses pods while their ServiceAccount is missing.
        await this.api.get("/api/v1/namespaces/default/serviceaccounts/default");
      },
      { timeout: START_TIMEOUT, interval: 100, message: controllerManager.name },
    );
  }
}

const ISSUER = "https://kubernetes.default.svc.cluster.local";
const START_TIMEOUT = 120_000;

/** The server's file holds its certificate and then the authority's. Throws while it is still being written. */
function lastCertificate(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n/g) ?? [];
  const last = certificates.at(-1);
  if (last === undefined || certificates.length < 2) throw new Error("the server's certificate is incomplete");
  return last;
}

export function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  return ControlPlane.start(options);
}
