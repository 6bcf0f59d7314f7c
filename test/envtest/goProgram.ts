import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AssetsUnavailableError,
  builtFolder,
  isExecutable,
  requiredVersions,
  type VersionOf,
} from "../../src/cmd/realClusters/index.ts";
import { type CommandResult, run } from "./commands.ts";

const MODULES = fileURLToPath(new URL("modules/", import.meta.url));

/** A program that some tests run, and that a user can have already. */
export interface GoProgram {
  /** Of the program, and of the folder below `modules/` with its go.mod unless {@link source} names another one. */
  name: string;
  /** The folder below `modules/`, where programs of one module share a go.mod. */
  source?: string;
  /** The variable that names the program's path. */
  variable: string;
  /** The module whose version is the program's. */
  module: string;
  /** What is built, as an import path. */
  package: string;
  /** Who needs the program, as the subject of a sentence. */
  neededBy: string;
  /** How long a build takes on two cores. */
  buildTime: string;
  /** Build tags. */
  tags?: readonly string[];
  /** What the linker sets, from the versions that the go.mod requires. */
  ldflags: (versionOf: VersionOf) => readonly string[];
}

/**
 * The program that its variable names, else the one of PATH, else the one in the cache beside the control planes. Undefined when there
 * is none. Throws {@link AssetsUnavailableError} when the variable names what is no program.
 */
export async function programHere(program: GoProgram, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { name, variable } = program;
  const given = env[variable];
  if (given !== undefined && given !== "") {
    if (await isExecutable(given)) return given;
    throw new AssetsUnavailableError(
      `${variable} names ${given}, which is no program. Name ${name}'s path, or unset ${variable} to have it built with Go.`,
    );
  }
  const onPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of [...onPath, cacheFolder(program, await versionsFor(program), env)]) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/**
 * As {@link programHere}; builds what is missing into the cache with Go, once. Throws {@link AssetsUnavailableError} when that is not
 * possible.
 */
export async function programBuilt(program: GoProgram, env: NodeJS.ProcessEnv): Promise<string> {
  const here = await programHere(program, env);
  if (here !== undefined) return here;
  const { name, module, buildTime } = program;
  const versionOf = await versionsFor(program);
  const folder = cacheFolder(program, versionOf, env);
  const file = join(folder, name);
  await mkdir(folder, { recursive: true });
  // In the same folder, since a rename is atomic only within one file system.
  const temporary = await mkdtemp(join(folder, ".build-"));
  try {
    process.stderr.write(`envtest: building ${name} ${versionOf(module)} into ${folder} (${buildTime}, once)\n`);
    await goBuild(program, versionOf, join(temporary, name), env);
    await rename(join(temporary, name), file);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return file;
}

function cacheFolder({ name, module }: GoProgram, versionOf: VersionOf, env: NodeJS.ProcessEnv): string {
  return builtFolder(`${name}-${versionOf(module)}`, env);
}

async function goBuild(
  program: GoProgram,
  versionOf: VersionOf,
  output: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { name, variable, neededBy, tags = [] } = program;
  const cwd = sourceOf(program);
  const ldflags = ["-s -w", ...program.ldflags(versionOf)].join(" ");
  const args = ["build", "-trimpath", "-tags", tags.join(), "-ldflags", ldflags, "-o", output, program.package];
  let result: CommandResult;
  try {
    result = await run("go", args, { cwd, env: { ...env, CGO_ENABLED: "0" }, timeoutMs: 1_800_000 });
  } catch (cause) {
    throw new AssetsUnavailableError(
      `${neededBy} need ${name}. Put it on PATH, name it in ${variable}, or install Go 1.26 or newer, with which it is built once.`,
      { cause },
    );
  }
  if (result.code !== 0) throw new AssetsUnavailableError(`go build failed in ${cwd}:\n${result.stderr.slice(-4000)}`);
}

function versionsFor(program: GoProgram): Promise<VersionOf> {
  return requiredVersions(join(sourceOf(program), "go.mod"));
}

function sourceOf({ name, source = name }: GoProgram): string {
  return join(MODULES, source);
}
