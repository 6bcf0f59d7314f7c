import type { KubeObject } from "../../apis/index.ts";
import { compareResourceVersions } from "../core/index.ts";

/** An object of a selection and its version, as a change showed it. */
export interface Landmark {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly version: string;
}

/** What a server cannot be before, as long as it is in the same history. */
export interface Known {
  /** The latest version that the server has shown, in whatever way. */
  readonly highest: string | undefined;
  /** The object that changed last; undefined where the last that is known of it is its end, or where nothing was ever selected. */
  readonly living: Landmark | undefined;
  /** The object that was removed, or left the selection, last, where that was later than the last change. */
  readonly gone: Landmark | undefined;
}

/** Up to where a selection has been read, and what is known of it beyond that from the answers to one's own writes. */
export class Position {
  current: string | undefined;
  #highest: string | undefined;
  /** The latest answer to a write since {@link ask}. */
  #written: string | undefined;
  #living: Landmark | undefined;
  #gone: Landmark | undefined;
  /** At the latest at this version objects were removed, nobody knows which ones last. */
  #removedBy: string | undefined;
  /** The answers to writes that the watch has yet to bring, by version. */
  readonly answered = new Map<string, Landmark>();

  /** The latest version that the server has shown, in whatever way. */
  get highest(): string | undefined {
    return later(this.#highest, this.#written);
  }

  /** No landmark can show that the server is still in this history: it may have left it after the last one. */
  get isUnproven(): boolean {
    return this.answered.size > 0 || this.#removedBy !== undefined;
  }

  /** The last snapshot lacked objects that were known. */
  missedRemovals(): void {
    this.#removedBy = this.current;
  }

  /** A request whose answer will tell the server's version begins: the answer cannot be of an earlier one than what is known now. */
  ask(): Known {
    this.#highest = this.highest;
    this.#written = undefined;
    return { highest: this.#highest, living: this.#living, gone: this.#gone };
  }

  /** …for a snapshot: what was seen before may be of another history. */
  askSnapshot(): void {
    this.ask();
    this.#removedBy = later(this.#removedBy, this.#gone?.version);
    this.#living = undefined;
    this.#gone = undefined;
    this.answered.clear();
  }

  /** The watch shows it. The objects of a snapshot come in any order, changes in that of their versions. */
  see(object: KubeObject, gone: boolean): void {
    const landmark = landmarkOf(object);
    if (!gone) {
      this.#changed(landmark);
      return;
    }
    this.#gone = landmark;
    this.#removedBy = undefined;
    const { namespace, name } = landmark;
    if (this.#living?.name === name && this.#living.namespace === namespace) this.#living = undefined;
  }

  /** The answer to a write; what happened before the write may still be on its way. */
  wrote(object: KubeObject): void {
    const landmark = landmarkOf(object);
    if (landmark.version === "") return;
    this.#written = later(this.#written, landmark.version);
    this.answered.set(landmark.version, landmark);
  }

  /** False when the event lies behind what was already seen in this stream, which no honest history does. */
  advance(version: string): boolean {
    if (this.current !== undefined && compareResourceVersions(version, this.current) < 0) return false;
    this.current = version;
    this.#highest = later(this.#highest, version);
    this.#brought(version);
    return true;
  }

  /** Whether the answer to the last {@link ask} is older than what was known then. */
  isBefore(version: string): boolean {
    return this.#highest !== undefined && compareResourceVersions(version, this.#highest) < 0;
  }

  snapshot(version: string): void {
    this.current = version;
    this.#highest = version;
    this.#brought(version);
  }

  forget(): void {
    this.current = undefined;
  }

  /** Everything up to that version has come; what was answered before may come without its object. */
  #brought(version: string): void {
    // Answers come about in the order of their versions.
    for (const [answered, landmark] of this.answered) {
      if (compareResourceVersions(answered, version) > 0) return;
      this.answered.delete(answered);
      this.#changed(landmark);
    }
  }

  #changed(landmark: Landmark): void {
    if (this.#living !== undefined && compareResourceVersions(landmark.version, this.#living.version) < 0) return;
    this.#living = landmark;
    if (isAfter(landmark, this.#gone?.version)) this.#gone = undefined;
    if (isAfter(landmark, this.#removedBy)) this.#removedBy = undefined;
  }
}

function isAfter({ version }: Landmark, other: string | undefined): boolean {
  return other !== undefined && compareResourceVersions(version, other) > 0;
}

function landmarkOf({ metadata: { namespace, name, resourceVersion: version = "" } }: KubeObject): Landmark {
  return { namespace, name, version };
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareResourceVersions(one, other) < 0 ? other : one;
}
