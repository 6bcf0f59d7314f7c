import { join } from "node:path";
import { eventually, type Exit, freePort, ManagedProcess } from "../../src/cmd/realClusters/index.ts";
import { MERIDIAN, REPOSITORY } from "./commands.ts";
import { managerKubeconfig } from "./managerRights.ts";
import type { Plane } from "./plane.ts";

export interface ManagerOptions {
  hub: Plane;
  /** Where its log goes. */
  folder: string;
  /** Node's arguments for another Meridian than the one of this repository. */
  program?: readonly string[];
  /** More options of `meridian manager`. */
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** Waits until `/readyz` answers 200; true unless told. */
  waitUntilReady?: boolean;
}

/** One sample of a metric. */
export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** `meridian manager` as a process of its own, as it runs in production. */
export class Manager implements AsyncDisposable {
  readonly url: string;
  readonly #process: ManagedProcess;

  private constructor(process: ManagedProcess, port: number) {
    this.#process = process;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(options: ManagerOptions): Promise<Manager> {
    const port = await freePort();
    const child = new ManagedProcess({
      name: "meridian manager",
      command: process.execPath,
      args: [
        ...(options.program ?? MERIDIAN),
        "manager",
        "--kubeconfig",
        await managerKubeconfig(options.hub, options.folder),
        "--metrics-bind-address",
        `127.0.0.1:${port}`,
        ...(options.args ?? []),
      ],
      logFile: join(options.folder, `manager-${port}.log`),
      cwd: REPOSITORY,
      env: { ...process.env, ...options.env },
    });
    const manager = new Manager(child, port);
    if (options.waitUntilReady ?? true) {
      try {
        await manager.untilReady();
      } catch (error) {
        await child.kill();
        throw error;
      }
    }
    return manager;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get running(): boolean {
    return this.#process.exit === undefined;
  }

  async untilReady(timeout = 30_000): Promise<void> {
    await eventually(
      async () => {
        if (!this.running) throw new Error(`the manager ended:\n${await this.#process.logTail(60)}`);
        const response = await fetch(`${this.url}/readyz`);
        if (!response.ok)
          throw new Error(
            `/readyz answers ${response.status}: ${await response.text()}\n${await this.#process.logTail()}`,
          );
      },
      { timeout, message: "meridian manager" },
    );
  }

  /** SIGTERM, and waits for its end. */
  stop(graceMs = 20_000): Promise<Exit> {
    return this.#process.stop(graceMs);
  }

  /** SIGKILL. */
  kill(): Promise<Exit> {
    return this.#process.kill();
  }

  pause(): void {
    this.#process.signal("SIGSTOP");
  }

  resume(): void {
    this.#process.signal("SIGCONT");
  }

  log(): Promise<string> {
    return this.#process.log();
  }

  logTail(lines = 60): Promise<string> {
    return this.#process.logTail(lines);
  }

  /** Everything that `/metrics` says. */
  async metricsText(): Promise<string> {
    const response = await fetch(`${this.url}/metrics`);
    return response.text();
  }

  /** The samples of one metric. */
  async metric(name: string): Promise<Sample[]> {
    const samples: Sample[] = [];
    for (const line of (await this.metricsText()).split("\n")) {
      const parsed = /^([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (parsed?.[1] !== name) continue;
      const labels: Record<string, string> = {};
      for (const [, label, value] of (parsed[2] ?? "").matchAll(/([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/g)) {
        if (label !== undefined && value !== undefined) labels[label] = value;
      }
      samples.push({ labels, value: Number(parsed[3]) });
    }
    return samples;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await this.kill();
  }
}

export function startManager(options: ManagerOptions): Promise<Manager> {
  return Manager.start(options);
}
