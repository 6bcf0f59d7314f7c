import { badRequest, QueryError } from "../types.ts";

const DIGITS = 6;

/**
 * Versions of the table as texts for readers: whole decimal numbers that grow with time. The last digits name the process, so
 * that a version of another one is found out, whose log has other changes.
 */
export class Versions {
  readonly #tag: string;

  /** `tag`: a random whole number from 0 to 999999. */
  constructor(tag: number) {
    this.#tag = String(tag).padStart(DIGITS, "0");
  }

  textOf(version: number): string {
    return `${Math.floor(version)}${this.#tag}`;
  }

  /** @throws {QueryError} of status 410 for a version of another process, 400 for a text that is no version */
  parse(text: string): number {
    if (!/^[0-9]{1,19}$/.test(text)) throw badRequest("resourceVersion is not one of an answer; take it from a list");
    if (!text.endsWith(this.#tag) || text.length <= DIGITS) throw tooOld();
    return Number(text.slice(0, -DIGITS));
  }
}

export function tooOld(): QueryError {
  return new QueryError(410, "Expired", "too old resource version; list again and watch from there");
}
