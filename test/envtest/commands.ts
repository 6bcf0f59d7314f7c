import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { controlPlaneAssets } from "./assets.ts";

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  stdin?: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Milliseconds until it is killed; two minutes unless told. */
  timeoutMs?: number;
}

/** The command ended with another code than 0. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly result: CommandResult;

  constructor(command: string, result: CommandResult) {
    super(`${command}: exit code ${result.code}\n${result.stderr}${result.stdout}`);
    this.result = result;
  }
}

export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Node's arguments for Meridian as `npm run meridian` has them: the bundle, with the flags that it ships with. */
export const MERIDIAN: readonly string[] = packageJson.scripts.meridian.split(" ").slice(2);

/** Builds the bundle unless it is there and as new as the sources. */
export async function buildMeridian(): Promise<void> {
  const result = await run(process.execPath, ["build.config.mjs", "--if-stale"]);
  if (result.code !== 0) throw new CommandFailure("build", result);
}

/** Runs a program to its end, whatever its exit code. */
export async function run(command: string, args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: options.cwd ?? REPOSITORY,
    env: options.env ?? process.env,
    timeout: options.timeoutMs ?? 120_000,
    killSignal: "SIGKILL",
  });
  const result: CommandResult = { code: 0, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (result.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (result.stderr += chunk));
  // A program that does not read its input closes it; what it says in its exit code counts.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.stdin ?? "");
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...exit) => resolve(exit));
  });
  result.code = code ?? 128;
  if (signal !== null) result.stderr += `\nended by ${signal}\n`;
  return result;
}

/** The real kubectl against one cluster. Throws {@link CommandFailure} unless it succeeds; returns its standard output. */
export async function kubectl(
  cluster: { kubeconfigFile: string },
  args: string[],
  options: CommandOptions = {},
): Promise<string> {
  const { kubectl: binary } = await controlPlaneAssets();
  const result = await run(binary, ["--kubeconfig", cluster.kubeconfigFile, ...args], options);
  if (result.code !== 0) throw new CommandFailure(`kubectl ${args.join(" ")}`, result);
  return result.stdout;
}

/** Meridian's command line against one hub, whatever its exit code. */
export function meridian(
  hub: { kubeconfigFile: string },
  args: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return run(process.execPath, [...MERIDIAN, ...args, "--kubeconfig", hub.kubeconfigFile], options);
}

/** As {@link meridian}, and throws {@link CommandFailure} unless it succeeds. */
export async function meridianOk(
  hub: { kubeconfigFile: string },
  args: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const result = await meridian(hub, args, options);
  if (result.code !== 0) throw new CommandFailure(`meridian ${args.join(" ")}`, result);
  return result;
}
