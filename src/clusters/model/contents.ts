import { kindKey, kindKeyOf, type ObjectRef } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";

/**
 * Of which kinds the whole content of member objects is kept: of those of which some row asks for more than is told of every object. Before
 * the first rows have come nobody knows that; until then it is kept of every kind that has no rule of its own, for which rows ask most.
 */
export class Contents {
  /** How many rows ask, by `group/Kind`. */
  readonly #asked = new Map<string, number>();
  #isKnown = false;

  /** The first rows of an assignment were taken. */
  known(): void {
    this.#isKnown = true;
  }

  isKeptOf({ group, kind }: { group: string; kind: string }): boolean {
    if (this.#asked.has(kindKey({ group, kind }))) return true;
    return !this.#isKnown && memberKindOf(group, kind).isGeneric === true;
  }

  /** The row of a member object is another one. */
  changed(ref: ObjectRef, before: Row | undefined, after: Row | undefined): void {
    const more = Number(after?.reporting !== undefined) - Number(before?.reporting !== undefined);
    if (more === 0) return;
    const kind = kindKeyOf(ref);
    const asked = (this.#asked.get(kind) ?? 0) + more;
    if (asked > 0) this.#asked.set(kind, asked);
    else this.#asked.delete(kind);
  }
}
