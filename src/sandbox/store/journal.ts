import { parseJson } from "../../apis/index.ts";
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { KubeObject, ResourceName } from "../types.ts";
import { type Collection, objectKey } from "./collection.ts";

/** Another process, or another cluster of this one, keeps its objects in that folder. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
}

/** The files hold what nobody can have written by being interrupted. */
export class JournalDamaged extends Error {
  override readonly name = "JournalDamaged";
}

/** One line: an object (`o`), or the key of one that is gone (`d`), of a resource (`r`), at a revision (`v`). */
interface Line {
  v: number;
  r?: string;
  o?: KubeObject;
  d?: string;
}

export interface JournalReader {
  place(resource: ResourceName, object: KubeObject): void;
  displace(resource: ResourceName, namespace: string | undefined, name: string): void;
}

/** A journal is rewritten when it has grown beyond this, in bytes, and beyond twice what the last rewriting left. */
const LONG = 16 * 1024 * 1024;
const CHUNK = 1024 * 1024;

/** Folders that this process uses: its own pid in a lock says nothing. */
const inUse = new Set<string>();

/**
 * The objects of a store in a folder: `snapshot` holds all of them as of one revision, `journal` each change since. A change is handed
 * to the system before it is answered for. Only the last line of the journal can be torn, by a crash; it was not answered for and is dropped.
 */
export class Journal implements Disposable {
  readonly #directory: string;
  #file = -1;
  #length = 0;
  #snapshotLength = 0;

  /** Throws {@link FolderInUse}. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#lock();
  }

  /** Gives everything to the reader, and answers with the latest revision. Throws {@link JournalDamaged}. */
  read(reader: JournalReader): number {
    const snapshot = this.#linesOf("snapshot", true);
    this.#snapshotLength = snapshot.length;
    let revision = snapshot.lines[0]?.v ?? 0;
    const asOf = revision;
    for (const line of snapshot.lines) give(reader, line);
    const journal = this.#linesOf("journal", false);
    for (const line of journal.lines) {
      // A crash between the two steps of a rewriting leaves changes that the snapshot holds already.
      if (line.v <= asOf) continue;
      give(reader, line);
      revision = line.v;
    }
    this.#file = openSync(this.#path("journal"), "a", 0o600);
    ftruncateSync(this.#file, journal.length);
    this.#length = journal.length;
    return revision;
  }

  put(revision: number, resource: ResourceName, object: KubeObject): void {
    this.#append({ v: revision, r: resourceText(resource), o: object });
  }

  remove(revision: number, resource: ResourceName, namespace: string | undefined, name: string): void {
    this.#append({ v: revision, r: resourceText(resource), d: objectKey(namespace, name) });
  }

  isLong(): boolean {
    return this.#length > LONG && this.#length > 2 * this.#snapshotLength;
  }

  /** Replaces the journal by a snapshot. */
  rewrite(revision: number, collections: Iterable<Collection>): void {
    const path = this.#path("snapshot");
    const file = openSync(`${path}.new`, "w", 0o600);
    let length = 0;
    let chunk = `${JSON.stringify({ v: revision } satisfies Line)}\n`;
    for (const { resource, list } of [...collections].map((each) => ({ resource: each.resource, list: each.list() }))) {
      for (const object of list) {
        chunk += `${JSON.stringify({ v: revision, r: resourceText(resource), o: object } satisfies Line)}\n`;
        if (chunk.length < CHUNK) continue;
        length += writeAll(file, chunk);
        chunk = "";
      }
    }
    length += writeAll(file, chunk);
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.new`, path);
    ftruncateSync(this.#file, 0);
    this.#snapshotLength = length;
    this.#length = 0;
  }

  [Symbol.dispose](): void {
    if (this.#file >= 0) {
      fsyncSync(this.#file);
      closeSync(this.#file);
      this.#file = -1;
    }
    rmSync(this.#path("lock"), { force: true });
    inUse.delete(this.#directory);
  }

  #append(line: Line): void {
    this.#length += writeAll(this.#file, `${JSON.stringify(line)}\n`);
  }

  #linesOf(file: string, whole: boolean): { lines: Line[]; length: number } {
    const path = this.#path(file);
    if (!existsSync(path)) return { lines: [], length: 0 };
    const content = readFileSync(path);
    const length = content.lastIndexOf(10) + 1;
    if (whole && length !== content.length) throw this.#damaged(file, "its end is missing");
    const texts = content.subarray(0, length).toString().split("\n").slice(0, -1);
    const lines = texts.map((text, index) => {
      try {
        return parseJson(text) as Line;
      } catch (cause) {
        throw this.#damaged(file, `line ${index + 1} is not JSON`, cause);
      }
    });
    return { lines, length };
  }

  #damaged(file: string, why: string, cause?: unknown): JournalDamaged {
    return new JournalDamaged(
      `${this.#path(file)} is damaged: ${why}; put the folder away and start with an empty one`,
      cause === undefined ? undefined : { cause },
    );
  }

  /** One process at a time; the lock of a process that is gone counts for nothing. */
  #lock(): void {
    const path = this.#path("lock");
    const holder = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
    const held = holder === process.pid ? inUse.has(this.#directory) : isAlive(holder);
    if (held)
      throw new FolderInUse(`${this.#directory} is in use by process ${holder}; end it, or choose another folder`);
    writeFileSync(path, String(process.pid), { mode: 0o600 });
    inUse.add(this.#directory);
  }

  #path(file: string): string {
    return join(this.#directory, file);
  }
}

function give(reader: JournalReader, { r, o, d }: Line): void {
  if (r === undefined) return;
  const slash = r.indexOf("/");
  const resource = { group: r.slice(0, slash), plural: r.slice(slash + 1) };
  if (o !== undefined) reader.place(resource, o);
  if (d === undefined) return;
  const [namespace, name] = d.includes("/") ? d.split("/") : [undefined, d];
  reader.displace(resource, namespace, name ?? "");
}

function resourceText({ group, plural }: ResourceName): string {
  return `${group}/${plural}`;
}

/** Bytes written. The system may take less than it is given. */
function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length;) offset += writeSync(file, bytes, offset);
  return bytes.length;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
