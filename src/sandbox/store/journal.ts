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

/** Another process, or another cluster of this process, uses the folder. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
}

/** The files hold data that an interrupted write cannot have caused. */
export class JournalDamaged extends Error {
  override readonly name = "JournalDamaged";
}

/** One line: an object (`o`), or the key of a deleted object (`d`), of a resource (`r`), at a revision (`v`). */
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

/** A journal is rewritten once it is larger than this, in bytes, and larger than twice the last snapshot. */
const LONG = 16 * 1024 * 1024;
const CHUNK = 1024 * 1024;

/** Folders that this process uses. The lock holds only a pid, which cannot tell clusters of this process apart. */
const inUse = new Set<string>();

/**
 * The objects of a store in a folder: `snapshot` holds all objects at one revision, `journal` holds each later change.
 * A change is written before it is acknowledged. A crash can tear only the last line of the journal, which was not
 * acknowledged and is dropped.
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

  /** Passes all stored objects to the reader and returns the latest revision. Throws {@link JournalDamaged}. */
  read(reader: JournalReader): number {
    const snapshot = this.#linesOf("snapshot", true);
    this.#snapshotLength = snapshot.length;
    let revision = snapshot.lines[0]?.v ?? 0;
    const asOf = revision;
    for (const line of snapshot.lines) give(reader, line);
    const journal = this.#linesOf("journal", false);
    for (const line of journal.lines) {
      // A crash during a rewrite can leave changes in the journal that the snapshot already contains.
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

  /** Writes a new snapshot and empties the journal. */
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

  /** Allows one process at a time. A lock of an ended process is ignored. */
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

/** Returns the number of bytes written. The system may write fewer bytes per call than requested. */
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
