import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** What people have while nothing is released: a commit whose chart and program work together. */
const BEFORE_ANY_RELEASE = "0aa809cc21b7f81a84a9e64adb91524a9f001cc3";

/**
 * What upgrades start from and what the present must be compatible with: the newest release before this commit, or while there is none a
 * commit that is named here, once. Throws where the clone does not have it.
 */
export async function previousCommit(): Promise<string> {
  const described = await git("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^").catch(() => "");
  const name = described.trim() || BEFORE_ANY_RELEASE;
  try {
    await git("cat-file", "-e", `${name}^{commit}`);
  } catch (cause) {
    const words = `This clone lacks ${name}, with which the present is compared: run "git fetch --unshallow --tags" first.`;
    throw new Error(words, { cause });
  }
  return name;
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", args, { cwd: ROOT });
  return stdout;
}
