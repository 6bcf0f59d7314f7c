import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CommandFailure, REPOSITORY, run } from "../envtest/index.ts";

/** Meridian of another commit, built in a folder of its own. */
export interface BuiltRevision extends AsyncDisposable {
  /** Short hash and subject. */
  title: string;
  /** Node's arguments for the program, with the flags that it had then. */
  program: readonly string[];
}

/** Throws for what is no commit, and when it cannot be built. Leaves no trace in the repository. */
export async function buildRevision(revision: string): Promise<BuiltRevision> {
  const title = (await ok("git", ["log", "-1", "--format=%h %s", `${revision}^{commit}`])).trim();
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "meridian-revision-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, "source.tar");
  await ok("git", ["archive", "--format=tar", `--output=${archive}`, revision]);
  await ok("tar", ["-xf", archive, "-C", folder]);
  await rm(archive);
  await bringPackages(folder);
  await ok(process.execPath, ["build.config.mjs"], folder);
  const { scripts } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  // Such as "exec node --some-flag dist/meridian.js".
  const flags = (scripts["meridian"] ?? "").split(" ").filter((word) => word.startsWith("--"));
  const owned = stack.move();
  return {
    title,
    program: [...flags, join(folder, "dist/meridian.js")],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Those of this repository, when that commit asks for the same. */
async function bringPackages(folder: string): Promise<void> {
  const lock = (root: string) => readFile(join(root, "package-lock.json"), "utf8");
  if ((await lock(folder)) === (await lock(REPOSITORY))) {
    await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  } else {
    await promisify(execFile)("npm", ["ci", "--loglevel=error"], { cwd: folder });
  }
}

async function ok(command: string, args: string[], cwd = REPOSITORY): Promise<string> {
  const result = await run(command, args, { cwd });
  if (result.code !== 0) throw new CommandFailure(`${command} ${args.join(" ")}`, result);
  return result.stdout;
}
