import { compareResourceVersions } from "./keys.ts";

/** Up to where a selection has been read. */
export class Position {
  current: string | undefined;
  highest: string | undefined;

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
