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

/** Up to where a selection has been read. */
export class Position {
  current: string | undefined;
  highest: string | undefined;
  #landmark: Landmark | undefined;

  /** Since the last snapshot began. */
  get landmark(): Landmark | undefined {
    return this.#landmark;
  }

  /** A snapshot begins: what was seen before may be of another history. */
  begin(): void {
    this.#landmark = undefined;
  }

  /** The objects of a snapshot come in any order, changes in that of their versions. */
  see({ metadata: { namespace, name, resourceVersion: version = "" } }: KubeObject, gone: boolean): void {
    if (this.#landmark !== undefined && compareResourceVersions(version, this.#landmark.version) < 0) return;
    this.#landmark = { namespace, name, version, gone };
  }

  /** False when the event lies behind what was already seen in this stream, which no honest history does. */
  advance(version: string): boolean {
    if (this.current !== undefined && compareResourceVersions(version, this.current) < 0) return false;
    this.current = version;
    this.highest = version;
    return true;
  }

  /** Whether a snapshot of that version is older than what was seen before. */
  isBefore(version: string): boolean {
    return this.highest !== undefined && compareResourceVersions(version, this.highest) < 0;
  }

  snapshot(version: string): void {
    this.current = version;
    this.highest = version;
  }

  forget(): void {
    this.current = undefined;
  }
}
