import type { KubeObject } from "../apis/index.ts";
import { compareResourceVersions } from "./keys.ts";

/** The latest change of a selection that was seen. */
export interface Landmark {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly version: string;
  /** The change removed the object, or took it out of the selection. */
  readonly gone: boolean;
}

/** Up to where a selection has been read, and what is known of it beyond that from the answers to one's own writes. */
export class Position {
  current: string | undefined;
  #highest: string | undefined;
  /** The latest answer to a write since {@link ask}. */
  #written: string | undefined;
  #landmark: Landmark | undefined;
  /** Versions of the answers to writes that the watch has yet to bring. */
  readonly answered = new Set<string>();

  /** The latest version that the server has shown, in whatever way. */
  get highest(): string | undefined {
    return later(this.#highest, this.#written);
  }

  /** Since the last snapshot was asked for. */
  get landmark(): Landmark | undefined {
    return this.#landmark;
  }

  /** A request whose answer will tell the server's version begins: the answer cannot be of an earlier one than {@link highest}. */
  ask(): void {
    this.#highest = this.highest;
    this.#written = undefined;
  }

  /** …for a snapshot: what was seen before may be of another history. */
  askSnapshot(): void {
    this.ask();
    this.#landmark = undefined;
    this.answered.clear();
  }

  /** The objects of a snapshot come in any order, changes in that of their versions. */
  see({ metadata: { namespace, name, resourceVersion: version = "" } }: KubeObject, gone: boolean): void {
    if (this.#landmark !== undefined && compareResourceVersions(version, this.#landmark.version) < 0) return;
    this.#landmark = { namespace, name, version, gone };
  }

  /** The answer to a write; what happened before the write may still be on its way. */
  wrote(object: KubeObject): void {
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) return;
    this.see(object, false);
    this.#written = later(this.#written, resourceVersion);
    this.answered.add(resourceVersion);
  }

  /** False when the event lies behind what was already seen in this stream, which no honest history does. */
  advance(version: string): boolean {
    if (this.current !== undefined && compareResourceVersions(version, this.current) < 0) return false;
    this.current = version;
    this.#highest = later(this.#highest, version);
    this.answered.delete(version);
    return true;
  }

  /** Whether the answer to the last {@link ask} is older than what was known then. */
  isBefore(version: string): boolean {
    return this.#highest !== undefined && compareResourceVersions(version, this.#highest) < 0;
  }

  snapshot(version: string): void {
    this.current = version;
    this.#highest = version;
  }

  forget(): void {
    this.current = undefined;
  }
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareResourceVersions(one, other) < 0 ? other : one;
}
