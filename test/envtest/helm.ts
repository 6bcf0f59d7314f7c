import { access, constants, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { arch, homedir, platform } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AssetsUnavailableError } from "../../src/cmd/realClusters/index.ts";
import { CommandFailure, type CommandOptions, type CommandResult, run } from "./commands.ts";

const MODULE = fileURLToPath(new URL("modules/helm/", import.meta.url));
const PACKAGE = "helm.sh/helm/v3";

let found: Promise<string> | undefined;

/**
 * Path of the real helm: the program that HELM names, else the one of PATH, else the one in the cache beside the control planes, built
 * there with Go when it is missing (a minute, once). Throws {@link AssetsUnavailableError} when neither is possible.
 */
export function helmBinary(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return (found ??= resolve(env));
}

/** Runs the real helm to its end, whatever its exit code. Its state goes to no folder of the user's. */
export async function helm(args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const env = { ...(options.env ?? process.env), HELM_NO_PLUGINS: "1" };
  return run(await helmBinary(), args, { ...options, env });
}

/** As {@link helm}; throws {@link CommandFailure} unless it succeeds, and returns its standard output. */
export async function helmOk(args: string[], options: CommandOptions = {}): Promise<string> {
  const result = await helm(args, options);
  if (result.code !== 0) throw new CommandFailure(`helm ${args.join(" ")}`, result);
  return result.stdout;
}

async function resolve(env: NodeJS.ProcessEnv): Promise<string> {
  const given = env["HELM"];
  if (given !== undefined && given !== "") {
    if (await isExecutable(given)) return given;
    throw new AssetsUnavailableError(
      `HELM names ${given}, which is no program. Name helm's path, or unset HELM to have it built with Go.`,
    );
  }
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const file = join(folder, "helm");
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return built(env);
}

async function built(env: NodeJS.ProcessEnv): Promise<string> {
  const versions = await requiredVersions();
  const cache = join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "meridian", "envtest");
  const folder = join(cache, `helm-${versions.helm}-${platform()}-${arch()}`);
  const file = join(folder, "helm");
  if (await isExecutable(file)) return file;
  await mkdir(folder, { recursive: true });
  // In the same folder, since a rename is atomic only within one file system.
  const temporary = await mkdtemp(join(folder, ".build-"));
  try {
    process.stderr.write(`envtest: building helm ${versions.helm} into ${folder} (a minute, once)\n`);
    await goBuild(join(temporary, "helm"), versions, env);
    await rename(join(temporary, "helm"), file);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return file;
}

async function goBuild(output: string, versions: RequiredVersions, env: NodeJS.ProcessEnv): Promise<void> {
  const [, minor = ""] = versions.clientGo.slice(1).split(".");
  // Without them helm takes itself for v3 of Kubernetes 1.20, and refuses charts that need a newer one.
  const ldflags = [
    "-s -w",
    `-X ${PACKAGE}/internal/version.version=${versions.helm}`,
    ...["chartutil", "lint/rules"].flatMap((of) => [
      `-X ${PACKAGE}/pkg/${of}.k8sVersionMajor=1`,
      `-X ${PACKAGE}/pkg/${of}.k8sVersionMinor=${minor}`,
    ]),
  ].join(" ");
  const args = ["build", "-trimpath", "-ldflags", ldflags, "-o", output, `${PACKAGE}/cmd/helm`];
  let result: CommandResult;
  try {
    result = await run("go", args, { cwd: MODULE, env: { ...env, CGO_ENABLED: "0" }, timeoutMs: 900_000 });
  } catch (cause) {
    throw new AssetsUnavailableError(
      "The tests of the chart need helm. Put it on PATH, name it in HELM, or install Go 1.26 or newer, with which it is built once.",
      { cause },
    );
  }
  if (result.code !== 0)
    throw new AssetsUnavailableError(`go build failed in ${MODULE}:\n${result.stderr.slice(-4000)}`);
}

interface RequiredVersions {
  helm: string;
  clientGo: string;
}

async function requiredVersions(): Promise<RequiredVersions> {
  const file = join(MODULE, "go.mod");
  const text = await readFile(file, "utf8");
  const versionOf = (path: string): string => {
    const version = new RegExp(`^(?:require )?\\s*${path.replaceAll(".", "\\.")} (v\\S+)`, "m").exec(text)?.[1];
    if (version === undefined) throw new Error(`${file} does not require ${path}`);
    return version;
  };
  return { helm: versionOf(PACKAGE), clientGo: versionOf("k8s.io/client-go") };
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
