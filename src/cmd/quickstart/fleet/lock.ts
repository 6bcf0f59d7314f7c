import { createHash, randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { codeOf, CommandError } from "../../shared/index.ts";

/** The process that holds a folder. */
interface Holder {
  pid: number;
  host: string;
  /** Start time in the format of the system: a later process with the same pid has another. */
  began?: string;
}

/**
 * Makes this process the only one that works on a folder, by a file with its pid. Disposal releases the folder. Throws
 * {@link CommandError} when a living process holds it.
 */
export async function lockFolder(file: string, folder: string): Promise<AsyncDisposable> {
  const mine: Holder = { pid: process.pid, host: hostname(), ...(await beginOf(process.pid)) };
  const text = `${JSON.stringify(mine)}\n`;
  // Written completely and then linked, so that any reader finds a complete lock.
  const written = `${file}.${randomUUID()}`;
  await writeFile(written, text, { flag: "wx", mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await isFirst(written, file)) return { [Symbol.asyncDispose]: () => release(file, text) };
      const found = await textOf(file);
      if (found === undefined) continue;
      const holder = readHolder(found);
      if (holder !== undefined && (await lives(holder))) throw held(holder, folder, file);
      await takeAway(file, found, written);
    }
  } finally {
    await rm(written, { force: true });
  }
  throw new CommandError(`${folder} is in use by another quickstart; use another --dir`);
}

/** Links a file to an unused name in one step; false when the name is taken. */
async function isFirst(written: string, name: string): Promise<boolean> {
  try {
    await link(written, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a stale lock. Only one process can claim a lock with this text, so that no newer lock is removed. */
async function takeAway(file: string, found: string, written: string): Promise<void> {
  const claim = `${file}.${createHash("sha256").update(found).digest("hex").slice(0, 16)}`;
  if (!(await isFirst(written, claim))) return;
  try {
    if ((await textOf(file)) === found) await rm(file, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

function held({ pid, host }: Holder, folder: string, file: string): CommandError {
  if (host !== hostname()) {
    return new CommandError(
      `${folder} is in use by process ${pid} on ${host}; if nothing runs there any more, remove ${file}`,
    );
  }
  return new CommandError(`a quickstart runs on ${folder} already (process ${pid}): stop it, or use another --dir`);
}

async function release(file: string, text: string): Promise<void> {
  if ((await textOf(file)) === text) await rm(file, { force: true });
}

/** Undefined for an incomplete file: its writer died. */
function readHolder(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    if (typeof value?.pid !== "number" || typeof value.host !== "string") return undefined;
    return { pid: value.pid, host: value.host, ...(typeof value.began === "string" ? { began: value.began } : {}) };
  } catch {
    return undefined;
  }
}

/** A holder on another machine cannot be checked, and counts as alive. */
async function lives({ pid, host, began }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process exists, but this user may not signal it.
    if (codeOf(error) !== "EPERM") return false;
  }
  const now = await beginOf(pid);
  return began === undefined || now.began === undefined || now.began === began;
}

/** Clock ticks since the boot, on Linux; unknown elsewhere. */
async function beginOf(pid: number): Promise<{ began?: string }> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The second field is the process name in brackets, and may contain any character.
  const began = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return began === undefined ? {} : { began };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH") return undefined;
    throw error;
  }
}
