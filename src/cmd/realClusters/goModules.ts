import { access, constants, readFile } from "node:fs/promises";
import { arch, homedir, platform } from "node:os";
import { join } from "node:path";

/** Programs that are built from the modules of a go.mod. */

/** The version that the go.mod requires of a module. Throws when it requires none. */
export type VersionOf = (module: string) => string;

export async function requiredVersions(goMod: string): Promise<VersionOf> {
  const text = await readFile(goMod, "utf8");
  return (module) => {
    const version = new RegExp(`^(?:require )?\\s*${module.replaceAll(".", "\\.")} (v\\S+)`, "m").exec(text)?.[1];
    if (version === undefined) throw new Error(`${goMod} does not require ${module}`);
    return version;
  };
}

/** The folder in the user's cache for programs of these versions on this platform. */
export function builtFolder(versions: string, env: NodeJS.ProcessEnv): string {
  const cache = env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "meridian", "envtest", `${versions}-${platform()}-${arch()}`);
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
