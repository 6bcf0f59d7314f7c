import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, controlPlaneAssets, run } from "../../envtest/index.ts";

/** One call of the real kubectl. */
export interface Command {
  /** Separated by spaces; a part in single quotes may hold spaces. */
  line: string;
  stdin?: string;
  /** The exit code on the real server; 0 by default. */
  exits?: number;
  /** A part of what the real kubectl says there. */
  saying?: string;
  /** What of the output is compared: `false` for output that no two servers share. */
  compare?: (output: string) => unknown;
  env?: Record<string, string>;
}

export function kubectl(line: string, more: Omit<Command, "line"> = {}): Command {
  return { line, ...more };
}

/** The real kubectl against one cluster, with a cache of its own, until it is disposed. */
export class Kubectl implements AsyncDisposable {
  readonly #kubeconfig: string;
  readonly #cache: string;
  readonly #binary: string;

  private constructor(kubeconfig: string, cache: string, binary: string) {
    this.#kubeconfig = kubeconfig;
    this.#cache = cache;
    this.#binary = binary;
  }

  static async of(kubeconfig: string): Promise<Kubectl> {
    const { kubectl: binary } = await controlPlaneAssets();
    return new Kubectl(kubeconfig, await mkdtemp(join(tmpdir(), "meridian-kubectl-")), binary);
  }

  /** Runs it to its end, whatever its exit code. */
  run(namespace: string, command: Command): Promise<CommandResult> {
    const args = this.args(namespace, command.line);
    return run(this.#binary, args, {
      ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
      env: { ...process.env, ...command.env },
      timeoutMs: 45_000,
    });
  }

  /** The same without waiting for the end: for `get -w`. */
  get binary(): string {
    return this.#binary;
  }

  args(namespace: string, line: string): string[] {
    return [`--kubeconfig=${this.#kubeconfig}`, `--cache-dir=${this.#cache}`, "-n", namespace, ...wordsOf(line)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#cache, { recursive: true, force: true });
  }
}

function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Output without what differs between any two servers and any two seconds. */
export function settled(output: string): string {
  return output
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/(resourceVersion"?: "?|Resource Version:\s+)\d+/g, "$1<version>")
    .replace(/\b20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
    .replace(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, "<time>")
    .replace(/\b10\.(0|96)\.\d+\.\d+\b/g, "<ip>")
    .replace(/(\d+(?:s|m|h|d)){1,2}(?=\s|$)/gm, "<age>")
    .replace(/Invalid value: "\{(?:[^"\\]|\\.)*"/g, 'Invalid value: "<object>"')
    .replace(/\S*\/(LIVE|MERGED)-\d+\/\S*/g, "<$1>")
    .replace(/(?<=:)3[0-2]\d{3}(?=\/)/g, "<port>")
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, "<url>")
    .replace(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<random>")
    .split("\n")
    .map((line) => line.trimEnd().replace(/(?<=\S)[ \t]{2,}/g, "  "))
    .join("\n");
}
