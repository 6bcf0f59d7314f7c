import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { CommandFailure, MERIDIAN, REPOSITORY, run } from "../envtest/index.ts";
import type { Program } from "./pods.ts";
import { previousCommit } from "./previousCommit.ts";

/** Chart and program of an earlier commit. */
export interface PreviousRelease extends AsyncDisposable {
  /** Tag or commit. */
  name: string;
  chart: string;
  program: Program;
}

/** The release of {@link previousCommit}. Its program is built from its own sources, with the packages of its own lock file. */
export async function previousRelease(): Promise<PreviousRelease> {
  const name = await previousCommit();
  const folder = await temporaryFolder("meridian-previous-");
  try {
    const { path } = folder;
    await ok("git", ["archive", `--output=${path}/sources.tar`, name]);
    await ok("tar", ["-xf", "sources.tar"], path);
    const locks = await Promise.all(
      [REPOSITORY, path].map((root) => readFile(join(root, "package-lock.json"), "utf8")),
    );
    if (locks[0] === locks[1]) await symlink(join(REPOSITORY, "node_modules"), join(path, "node_modules"));
    else await ok("npm", ["ci", "--prefer-offline", "--loglevel=error"], path);
    await ok(process.execPath, ["build.config.mjs"], path);
    return {
      name,
      chart: join(path, "charts/meridian"),
      program: { arguments: MERIDIAN, folder: path },
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function ok(command: string, args: string[], cwd = REPOSITORY): Promise<void> {
  const result = await run(command, args, { cwd, timeoutMs: 300_000 });
  if (result.code !== 0) throw new CommandFailure(`${command} ${args.join(" ")}`, result);
}
