import type { KubeObject } from "../../apis/index.ts";
import { compareResourceVersions } from "../core/index.ts";

/** Object of a selection after a change. */
export interface Landmark {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly version: string;
}

/** Evidence of the server's history: in the same history it cannot show an earlier state. */
export interface Known {
  /** Latest version in any answer or event. */
  readonly highest: string | undefined;
  /** Object with the latest known change, unless it was removed since. */
  readonly living: Landmark | undefined;
  /** Object that left the selection last, if that was later than the last change. */
  readonly gone: Landmark | undefined;
}

/** Position up to which a selection has been read, and evidence from our own writes. */
export class Position {
  current: string | undefined;
  #highest: string | undefined;
  /** In an answer to a write since {@link ask}. */
  #written: string | undefined;
  #living: Landmark | undefined;
  #gone: Landmark | undefined;
  /** Version by which unknown objects were removed without an event. */
  #removedBy: string | undefined;
  /** Answers to writes that the watch has not delivered yet, by version. */
  readonly answered = new Map<string, Landmark>();

  get highest(): string | undefined {
    return later(this.#highest, this.#written);
  }

  /** True if no landmark can prove that the server is still in this history. */
  get isUnproven(): boolean {
    return this.answered.size > 0 || this.#removedBy !== undefined;
  }

  /** The last snapshot lacked known objects. */
  missedRemovals(): void {
    this.#removedBy = this.current;
  }

  /** Begins a request that tells the server's version, and returns the evidence so far. */
  ask(): Known {
    this.#highest = this.highest;
    this.#written = undefined;
    return { highest: this.#highest, living: this.#living, gone: this.#gone };
  }

  /** As {@link ask}, for a snapshot: landmarks may be of another history. */
  askSnapshot(): void {
    this.ask();
    this.#removedBy = later(this.#removedBy, this.#gone?.version);
    this.#living = undefined;
    this.#gone = undefined;
    this.answered.clear();
  }

  /** Takes a change from the watch, in the order of versions, or an object of a snapshot, in any order. */
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

  /** Takes the answer to a write. Events before the write may still be on their way. */
  wrote(object: KubeObject): void {
    const landmark = landmarkOf(object);
    if (landmark.version === "") return;
    this.#written = later(this.#written, landmark.version);
    this.answered.set(landmark.version, landmark);
  }

  /** Moves to the version of an event. False if it is older, which is impossible in one history. */
  advance(version: string): boolean {
    if (this.current !== undefined && compareResourceVersions(version, this.current) < 0) return false;
    this.current = version;
    this.#highest = later(this.#highest, version);
    this.#brought(version);
    return true;
  }

  /** True if the answer to the last {@link ask} is older than what was known then. */
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

  /** Everything up to `version` has come; our own write perhaps as a bookmark, without its object. */
  #brought(version: string): void {
    // Answers arrive roughly in the order of their versions.
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
