import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SandboxCluster, startSandboxCluster } from "../../src/sandbox/index.ts";
import { Api, type KubeletBehaviour, type PodFate } from "../../src/cmd/realClusters/index.ts";
import { CertificateAuthority } from "../../src/certificates/index.ts";
import type { Kubelet, Plane } from "./plane.ts";
import { RequestCounters } from "./requestCounters.ts";

const FATES = { ready: "runs", pullFails: "pullFails", crash: "crashes", hang: "neverReady" } as const satisfies Record<
  PodFate,
  string
>;

export interface SandboxPlaneOptions {
  name: string;
  /** For the kubeconfig. */
  folder: string;
  /** Deployments get pods. */
  controllers: boolean;
}

/** A cluster of the sandbox in the place of a real control plane. */
export class SandboxPlane implements Plane, Kubelet {
  readonly name: string;
  readonly kubeconfigFile: string;
  readonly api: Api;
  readonly #cluster: SandboxCluster;
  readonly #authority: CertificateAuthority;
  readonly #behaviour: { current: KubeletBehaviour };

  private constructor(
    cluster: SandboxCluster,
    authority: CertificateAuthority,
    folder: string,
    behaviour: { current: KubeletBehaviour },
  ) {
    this.name = cluster.name;
    this.kubeconfigFile = join(folder, "kubeconfig");
    this.#cluster = cluster;
    this.#authority = authority;
    this.#behaviour = behaviour;
    this.api = new Api({ server: cluster.url, ca: cluster.caPem, token: cluster.adminToken });
  }

  static async launch({ name, folder, controllers }: SandboxPlaneOptions): Promise<SandboxPlane> {
    const behaviour: { current: KubeletBehaviour } = { current: {} };
    const authority = await CertificateAuthority.create({ name: `${name}-tests`, now: Date.now() });
    const cluster = await startSandboxCluster({
      name,
      authority,
      controllers: controllers && {
        readinessDelayMs: 0,
        fate: (_image, pod) => FATES[behaviour.current.fate?.(pod as never) ?? "ready"],
      },
    });
    await mkdir(folder, { recursive: true });
    const plane = new SandboxPlane(cluster, authority, folder, behaviour);
    await writeFile(plane.kubeconfigFile, plane.kubeconfig, { mode: 0o600 });
    return plane;
  }

  get server(): string {
    return this.#cluster.url;
  }

  get caData(): string {
    return this.#cluster.caPem;
  }

  get adminToken(): string {
    return this.#cluster.adminToken;
  }

  get kubeconfig(): string {
    return this.#cluster.kubeconfig();
  }

  kubeconfigFor({ token, caData, server }: { token: string; caData?: string; server?: string }): string {
    const encode = (pem: string): string => Buffer.from(pem).toString("base64");
    let text = this.#cluster.kubeconfig({ token });
    if (caData !== undefined) text = text.replace(encode(this.caData), encode(caData));
    if (server !== undefined) text = text.replaceAll(this.server, server);
    return text;
  }

  /** After a stop, a crash or a partition: everything is as before. */
  async start(): Promise<void> {
    this.#cluster.faults.clear();
  }

  async stop(): Promise<void> {
    this.#cluster.faults.crash();
  }

  async kill(): Promise<void> {
    this.#cluster.faults.crash();
  }

  pause(): void {
    this.#cluster.faults.set({ partition: "silent" });
  }

  resume(): void {
    this.#cluster.faults.clear();
  }

  behave(behaviour: KubeletBehaviour): void {
    this.#behaviour.current = behaviour;
    this.#cluster.faults.set({ podDelayMs: behaviour.delayMs ?? 0 });
  }

  failImages(pattern: RegExp): void {
    this.behave({
      fate: (pod) => (pod.spec.containers.some(({ image }) => pattern.test(image)) ? "pullFails" : "ready"),
    });
  }

  /** Another one of the same authority, for the same address. */
  async certificate(): Promise<{ cert: string; key: string }> {
    const { certPem, keyPem } = await this.#authority.issue({ name: this.name, hosts: ["127.0.0.1"], now: Date.now() });
    return { cert: certPem, key: keyPem };
  }

  async metrics(): Promise<RequestCounters> {
    const { body } = await this.api.request<string>("GET", "/metrics", undefined, { accept: "text/plain" });
    return RequestCounters.parse(body);
  }

  /** By TokenRequest, at a moment at which the cluster's clock is turned so that the token ends when it should. */
  async serviceAccountToken(namespace: string, name: string, expiresIn: number): Promise<string> {
    const { faults } = this.#cluster;
    const life = Math.max(600, expiresIn);
    faults.set({ clockSkewMs: (expiresIn - life) * 1_000 });
    try {
      const request = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: life },
      };
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
      const { status } = await this.api.create<{ status: { token: string } }>(path, request);
      return status.token;
    } finally {
      faults.set({ clockSkewMs: 0 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.api.close();
    await this.#cluster.stop();
  }
}
