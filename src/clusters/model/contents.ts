import { kindKey, kindKeyOf, type ObjectRef } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";

/**
 * Kinds whose member objects are kept whole in memory, since a row has `reporting`. Before all rows are known, every kind
 * without a health rule of its own is kept whole, since rows most often ask for these.
 */
export class Contents {
  /** Number of rows with `reporting`, by `group/Kind`. */
  readonly #asked = new Map<string, number>();
  #isKnown = false;

  /** Called when all rows of an assignment were taken. */
  known(): void {
    this.#isKnown = true;
  }

  isKeptOf({ group, kind }: { group: string; kind: string }): boolean {
    if (this.#asked.has(kindKey({ group, kind }))) return true;
    return !this.#isKnown && memberKindOf(group, kind).isGeneric === true;
  }

  /** Called when the row of a member object was replaced. */
  changed(ref: ObjectRef, before: Row | undefined, after: Row | undefined): void {
    const more = Number(after?.reporting !== undefined) - Number(before?.reporting !== undefined);
    if (more === 0) return;
    const kind = kindKeyOf(ref);
    const asked = (this.#asked.get(kind) ?? 0) + more;
    if (asked > 0) this.#asked.set(kind, asked);
    else this.#asked.delete(kind);
  }
}
