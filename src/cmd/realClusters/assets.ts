import { defined } from "../../apis/index.ts";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFolder, isExecutable, requiredVersions } from "./goModules.ts";

/** Absolute paths. */
export interface Assets {
  etcd: string;
  kubeApiserver: string;
  kubeControllerManager: string;
  kubectl: string;
}

/** There are no programs, and no way to build them. The message says what to do. */
export class AssetsUnavailableError extends Error {
  override readonly name = "AssetsUnavailableError";
}

const MODULES = fileURLToPath(new URL("modules/", import.meta.url));

interface GoModule {
  folder: string;
  /** The module whose version counts. */
  path: string;
  programs: { package: string; binary: string }[];
  ldflags(version: string): string[];
}

const KUBERNETES: GoModule = {
  folder: "kubernetes",
  path: "k8s.io/kubernetes",
  programs: ["kube-apiserver", "kube-controller-manager", "kubectl"].map((binary) => ({
    package: `k8s.io/kubernetes/cmd/${binary}`,
    binary,
  })),
  // Without these flags the server reports v0.0.0, and clients assume that features are missing.
  ldflags(version) {
    const [major = "", minor = ""] = version.slice(1).split(".");
    return [
      `-X k8s.io/component-base/version.gitVersion=${version}`,
      `-X k8s.io/component-base/version.gitMajor=${major}`,
      `-X k8s.io/component-base/version.gitMinor=${minor}`,
    ];
  },
};

const ETCD: GoModule = {
  folder: "etcd",
  path: "go.etcd.io/etcd/server/v3",
  programs: [{ package: "go.etcd.io/etcd/server/v3", binary: "etcd" }],
  ldflags: () => [],
};

export interface AssetsOptions {
  env: NodeJS.ProcessEnv;
  /** Called with the progress of a build, which takes minutes. */
  say: (line: string) => void;
  signal?: AbortSignal;
}

/**
 * The programs of KUBEBUILDER_ASSETS, else of the user's cache, where missing ones are built once, in minutes. Throws
 * {@link AssetsUnavailableError}.
 */
export async function controlPlaneAssets(options: AssetsOptions): Promise<Assets> {
  const given = options.env["KUBEBUILDER_ASSETS"];
  if (given !== undefined && given !== "") return givenAssets(given);
  return builtAssets(await cacheFolder(options.env), [ETCD, KUBERNETES], options);
}

function assetsIn(folder: string): Assets {
  return {
    etcd: join(folder, "etcd"),
    kubeApiserver: join(folder, "kube-apiserver"),
    kubeControllerManager: join(folder, "kube-controller-manager"),
    kubectl: join(folder, "kubectl"),
  };
}

async function givenAssets(folder: string): Promise<Assets> {
  const assets = assetsIn(folder);
  const missing: string[] = [];
  for (const file of Object.values(assets) as string[]) if (!(await isExecutable(file))) missing.push(file);
  if (missing.length === 0) return assets;
  throw new AssetsUnavailableError(
    `KUBEBUILDER_ASSETS lacks ${missing.join(", ")}. Put the programs there, or unset KUBEBUILDER_ASSETS to have them built with Go.`,
  );
}

async function cacheFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const versions = await Promise.all([versionOf(KUBERNETES), versionOf(ETCD)]);
  return builtFolder(`kubernetes-${versions[0]}-etcd-${versions[1]}`, env);
}

/**
 * Builds what is missing in the folder. A program appears completely or not at all, so builds may be interrupted or run
 * twice at once.
 */
async function builtAssets(folder: string, modules: GoModule[], options: AssetsOptions): Promise<Assets> {
  await mkdir(folder, { recursive: true });
  for (const module of modules) {
    const missing: GoModule["programs"] = [];
    for (const program of module.programs) {
      if (!(await isExecutable(join(folder, program.binary)))) missing.push(program);
    }
    if (missing.length > 0) await build(module, missing, folder, options);
  }
  return assetsIn(folder);
}

async function build(
  module: GoModule,
  programs: GoModule["programs"],
  folder: string,
  options: AssetsOptions,
): Promise<void> {
  const { say } = options;
  const version = await versionOf(module);
  const names = programs.map((program) => program.binary).join(", ");
  // A rename is atomic only within one file system.
  const temporary = await mkdtemp(join(folder, ".build-"));
  const started = process.hrtime.bigint();
  const elapsed = () => `${(process.hrtime.bigint() - started) / 1_000_000_000n} s`;
  say(`building ${names} ${version} into ${folder} (minutes, once)`);
  const ticker = setInterval(() => say(`still building ${names}, ${elapsed()}`), 30_000);
  try {
    const ldflags = ["-s", "-w", ...module.ldflags(version)].join(" ");
    const packages = programs.map((program) => program.package);
    await go(
      ["build", "-trimpath", "-ldflags", ldflags, "-o", `${temporary}/`, ...packages],
      join(MODULES, module.folder),
      folder,
      options,
    );
    for (const { package: path, binary } of programs)
      await rename(join(temporary, builtName(path)), join(folder, binary));
    say(`built ${names} in ${elapsed()}`);
  } finally {
    clearInterval(ticker);
    await rm(temporary, { recursive: true, force: true });
  }
}

/** What `go build` calls the program: the last path element that is no major version. */
function builtName(path: string): string {
  const elements = path.split("/").filter((element) => !/^v\d+$/.test(element));
  return elements.at(-1) ?? path;
}

async function go(args: string[], cwd: string, folder: string, { env, signal }: AssetsOptions): Promise<void> {
  const child = spawn("go", args, {
    cwd,
    env: { ...env, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
    ...defined({ signal }),
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    // Downloads write hundreds of lines; the last ones explain a failure.
    errors = (errors + chunk).slice(-4000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") return reject(cause);
      reject(
        new AssetsUnavailableError(
          "Real control planes need etcd, kube-apiserver, kube-controller-manager and kubectl. Set " +
            "KUBEBUILDER_ASSETS to a folder that holds all four, or install Go 1.26 or newer, with which they are built once " +
            `(about 7 minutes) into ${folder}.`,
          { cause },
        ),
      );
    });
    child.once("close", resolve);
  });
  if (code !== 0) throw new AssetsUnavailableError(`go ${args[0]} failed with code ${code} in ${cwd}:\n${errors}`);
}

async function versionOf(module: GoModule): Promise<string> {
  return (await requiredVersions(join(MODULES, module.folder, "go.mod")))(module.path);
}
