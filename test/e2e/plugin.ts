import { mkdir, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { REPOSITORY } from "../envtest/index.ts";

/** The environment in which kubectl finds the program as its plugin, by a link in this folder. */
export async function pluginEnvironment(dir: string): Promise<NodeJS.ProcessEnv> {
  const folder = join(dir, "plugins");
  await mkdir(folder);
  await symlink(join(REPOSITORY, "dist/meridian.js"), join(folder, "kubectl-meridian"));
  return { ...process.env, PATH: [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter) };
}
