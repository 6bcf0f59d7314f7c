import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { freePort, ManagedProcess } from "../../src/cmd/realClusters/index.ts";
import { eventually, kubectl, MERIDIAN, type Plane, REPOSITORY } from "../envtest/index.ts";
import { managerContainer, NAMESPACE, RELEASE, type Rendered } from "./chart.ts";
import type { ServicePort } from "./serviceNetwork.ts";

/** What the image holds: node's arguments, and the folder they are about. */
export interface Program {
  arguments: readonly string[];
  folder: string;
}

/** The program of these sources. */
export const PRESENT: Program = { arguments: MERIDIAN, folder: REPOSITORY };

/** One replica of the manager. */
export interface Pod {
  name: string;
  process: ManagedProcess;
  webhookPort: number;
  metricsUrl: string;
  /** Of the container's hook before its end. */
  preStopSeconds: number;
}

export interface PodOptions {
  /** Any free port when absent. */
  webhookPort?: number;
  /** Arguments in the place of those that the chart gives, by their flag. */
  replaced?: Record<string, string>;
  program?: Program;
}

export interface ManagerPodsOptions {
  hub: Plane;
  /** For kubeconfigs and logs. */
  folder: string;
  /** Where they reach the hub, when not at its own address. */
  server?: string;
  service?: ServicePort;
  /** `meridian` unless told. */
  release?: string;
  /** Of the release; that of the first one unless told. */
  namespace?: string;
  /** How long a pod that ends is still sent connections, since no endpoint is gone everywhere at once; a second unless told. */
  endpointLagMs?: number;
}

/**
 * The pods of the chart's Deployment as processes: with the arguments that the chart gives them, as its ServiceAccount, with a token that is
 * asked for as the kubelet does. They end as pods do: after the hook before their end, while connections still come in.
 */
export class ManagerPods implements AsyncDisposable {
  readonly pods: Pod[] = [];
  readonly #hub: Plane;
  readonly #folder: string;
  readonly #server: string;
  readonly #service: ServicePort | undefined;
  readonly #release: string;
  readonly #namespace: string;
  readonly #endpointLagMs: number;
  #started = 0;

  constructor(options: ManagerPodsOptions) {
    this.#hub = options.hub;
    this.#folder = options.folder;
    this.#server = options.server ?? options.hub.server;
    this.#service = options.service;
    this.#release = options.release ?? RELEASE;
    this.#namespace = options.namespace ?? NAMESPACE;
    this.#endpointLagMs = options.endpointLagMs ?? 1_000;
  }

  /** Starts one more, of the Deployment in this manifest, and waits until it is ready. */
  async start(manifest: readonly Rendered[], options: PodOptions = {}): Promise<Pod> {
    const { program = PRESENT, replaced = {}, webhookPort = await freePort() } = options;
    const name = `${this.#release}-${this.#started++}`;
    const asked = ["create", "token", this.#release, "--namespace", this.#namespace, "--duration", "1h"];
    const token = (await kubectl(this.#hub, asked)).trim();
    const kubeconfig = join(this.#folder, `${name}.kubeconfig`);
    await writeFile(kubeconfig, this.#hub.kubeconfigFor({ token, server: this.#server }), { mode: 0o600 });
    const port = await freePort();
    const own: Record<string, string> = {
      "--metrics-port": `--metrics-port=${port}`,
      "--webhook-port": `--webhook-port=${webhookPort}`,
      "--query-port": `--query-port=${await freePort()}`,
      ...replaced,
    };
    const { args = [], lifecycle } = managerContainer(manifest);
    const given = args
      .map((argument) => argument.replace("$(POD_NAME)", name).replace("$(POD_IP)", "127.0.0.1"))
      .map((argument) => own[argument.split("=")[0] ?? ""] ?? argument);
    const process_ = new ManagedProcess({
      name,
      command: process.execPath,
      args: [...program.arguments, ...given, "--metrics-host=127.0.0.1", "--kubeconfig", kubeconfig],
      logFile: join(this.#folder, `${name}.log`),
      cwd: program.folder,
    });
    const preStopSeconds = lifecycle?.preStop?.sleep.seconds ?? 0;
    const metricsUrl = `http://127.0.0.1:${port}`;
    const pod = { name, process: process_, webhookPort, metricsUrl, preStopSeconds };
    this.pods.push(pod);
    await process_.whileRunning((signal) =>
      eventually(async () => expect((await fetch(`${metricsUrl}/readyz`)).status).toBe(200), {
        timeout: 90_000,
        signal,
      }),
    );
    this.#service?.add(name, webhookPort);
    return pod;
  }

  /** Ends one as the kubelet does. */
  async terminate(pod: Pod): Promise<void> {
    this.pods.splice(this.pods.indexOf(pod), 1);
    const unrouted = sleep(this.#endpointLagMs).then(() => this.#service?.remove(pod.name));
    await sleep(pod.preStopSeconds * 1000);
    if (this.#endpointLagMs === 0) await unrouted;
    const { code } = await pod.process.stop(20_000);
    expect(code, await pod.process.logTail()).toBe(0);
    await unrouted;
  }

  /** As the Deployment rolls out: one more, then one less, until all are of this manifest and program. */
  async rollOut(manifest: readonly Rendered[], program: Program = PRESENT): Promise<void> {
    for (const old of [...this.pods]) {
      await this.start(manifest, { program });
      await this.terminate(old);
    }
  }

  /** The end of their logs, for a failure to explain itself. */
  async logTail(lines = 40): Promise<string> {
    const tails = await Promise.all(
      this.pods.map(async ({ name, process: one }) => `--- ${name}\n${await one.logTail(lines)}`),
    );
    return tails.join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.pods.map(({ process: one }) => one.kill()));
  }
}
