import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { freePort, ManagedProcess } from "../../src/cmd/realClusters/index.ts";
import { type ControlPlane, eventually, kubectl, MERIDIAN, REPOSITORY } from "../envtest/index.ts";
import { helmOk } from "../envtest/helm.ts";
import { CHART, IMAGE, managerContainer, objectsIn, type Rendered } from "./chart.ts";

export interface ReleaseOptions {
  name: string;
  namespace: string;
  hub: ControlPlane;
  /** As the manager reaches it: a proxy in front of it, say. */
  server: string;
  /** For its kubeconfig and its log. */
  folder: string;
}

/**
 * A release of the chart as helm installs it, and one manager of it as a process: with the chart's own arguments and as its ServiceAccount,
 * which has the chart's rights and no others. There are no kubelets here that would run its pods, and no network of Services.
 */
export class Release implements AsyncDisposable {
  readonly #options: ReleaseOptions;
  readonly #webhookPort: number;
  #manager: ManagedProcess | undefined;

  private constructor(options: ReleaseOptions, webhookPort: number) {
    this.#options = options;
    this.#webhookPort = webhookPort;
  }

  /** Installs it with these values (`a=b`) and starts its manager. */
  static async install(options: ReleaseOptions, values: string[]): Promise<Release> {
    const release = new Release(options, await freePort());
    await release.#helm("install", ["--create-namespace", ...values.flatMap((value) => ["--set", value])]);
    await release.start();
    return release;
  }

  /** As `helm upgrade --reuse-values` with these values, and the rollout that follows. */
  async upgrade(values: string[]): Promise<void> {
    await this.#helm("upgrade", ["--reuse-values", ...values.flatMap((value) => ["--set", value])]);
    await this.stop();
    await this.start();
  }

  async uninstall(): Promise<void> {
    const { name, namespace, hub } = this.#options;
    await this.stop();
    await helmOk(["uninstall", name, "--namespace", namespace, "--kubeconfig", hub.kubeconfigFile, "--wait"]);
  }

  async start(): Promise<void> {
    const { name, namespace, hub, server, folder } = this.#options;
    const manifest = objectsIn(await helmOk(["get", "manifest", name, ...this.#place()]));
    const token = await kubectl(hub, ["create", "token", name, "--namespace", namespace, "--duration", "1h"]);
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    await writeFile(kubeconfig, hub.kubeconfigFor({ token: token.trim(), server }), { mode: 0o600 });
    const port = await freePort();
    const replaced: Record<string, string> = {
      "--metrics-port": `--metrics-port=${port}`,
      "--webhook-port": `--webhook-port=${this.#webhookPort}`,
      "--query-port": `--query-port=${await freePort()}`,
      "--webhook-service": `--webhook-url=${this.#address}`,
    };
    const args = (managerContainer(manifest).args ?? [])
      .map((argument) => argument.replace("$(POD_NAME)", `${name}-0`).replace("$(POD_IP)", "127.0.0.1"))
      .map((argument) => replaced[argument.split("=")[0] ?? ""] ?? argument);
    const started = new ManagedProcess({
      name,
      command: process.execPath,
      args: [...MERIDIAN, ...args, "--metrics-host=127.0.0.1", "--kubeconfig", kubeconfig],
      logFile: join(folder, `${name}.log`),
      cwd: REPOSITORY,
    });
    this.#manager = started;
    await started.whileRunning((signal) =>
      eventually(
        async () => {
          expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
          await this.#expectTrusted(manifest);
        },
        { timeout: 60_000, signal },
      ),
    );
  }

  async stop(): Promise<void> {
    await this.#manager?.stop(20_000);
    this.#manager = undefined;
  }

  /** The last lines of its log. */
  async log(): Promise<string> {
    return (await this.#manager?.logTail(40)) ?? "its manager does not run";
  }

  /** Where the hub calls its webhooks. */
  get #address(): string {
    return `https://127.0.0.1:${this.#webhookPort}`;
  }

  #place(): string[] {
    const { namespace, hub } = this.#options;
    return ["--namespace", namespace, "--kubeconfig", hub.kubeconfigFile];
  }

  async #helm(verb: string, options: string[]): Promise<void> {
    const script = fileURLToPath(new URL("./webhooksByAddress.ts", import.meta.url));
    const rendering = ["--post-renderer", process.execPath];
    for (const argument of [script, this.#address]) rendering.push("--post-renderer-args", argument);
    const wait = ["--wait", "--timeout", "120s"];
    await helmOk([verb, this.#options.name, CHART, ...this.#place(), ...IMAGE, ...wait, ...rendering, ...options]);
  }

  async #expectTrusted(manifest: readonly Rendered[]): Promise<void> {
    for (const { kind, metadata } of manifest.filter((object) => object.kind.endsWith("WebhookConfiguration"))) {
      const path = "jsonpath={.webhooks[*].clientConfig.caBundle}";
      const bundles = await kubectl(this.#options.hub, ["get", kind, metadata.name, "-o", path]);
      expect(bundles.length, kind).toBeGreaterThan(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager?.kill();
  }
}
