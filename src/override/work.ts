import { type Extent, excessOf, extentOf, OBJECT_BOUNDS } from "../apis/index.ts";
import { RuleError } from "./ruleError.ts";

/** Most map members and list items that the overrides of one object may copy. */
const MOST_COPIED = 200_000;
/** Minimum cost of a rule. */
const RULE_COST = 16;

/**
 * Bytes added (every copy counts) and members copied by the overrides of one rendering. Both are bounded over all
 * policies and checked before the work is done: a value copied into itself doubles each time, and takes memory only
 * when it is written as text.
 *
 * @throws {RuleError} TooLarge from every method, when the bound is passed
 */
export class Work {
  #brought: number;
  #copied: number;

  constructor(before?: Work) {
    this.#brought = before === undefined ? 0 : before.#brought;
    this.#copied = before === undefined ? 0 : before.#copied;
  }

  rule(): void {
    this.copies(RULE_COST);
  }

  /** Counts a value that is added `below` levels under the root of the object. */
  brings(value: unknown, below = 0): void {
    const bounds = { bytes: OBJECT_BOUNDS.bytes - this.#brought, levels: OBJECT_BOUNDS.levels - below };
    const extent: Extent = extentOf(value, bounds);
    this.#brought += extent.bytes;
    if (extent.exceeds === "levels") throw new RuleError("TooLarge", `it ${excessOf(extent, OBJECT_BOUNDS)}`);
    if (extent.exceeds === "bytes")
      throw new RuleError("TooLarge", `the overrides of one object may bring ${OBJECT_BOUNDS.bytes} bytes in all`);
  }

  copies(members: number): void {
    this.#copied += members;
    if (this.#copied > MOST_COPIED)
      throw new RuleError("TooLarge", `the overrides of one object may copy ${MOST_COPIED} fields in all`);
  }

  /** Counts the copy of a map or list whose member changes. */
  copiesMembersOf(parent: object): void {
    // A list is copied as one block of memory, so its items cost less.
    this.copies(Array.isArray(parent) ? 1 + parent.length / 32 : Object.keys(parent).length);
  }
}
