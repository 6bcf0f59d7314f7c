import { type Extent, excessOf, extentOf, OBJECT_BOUNDS } from "../apis/index.ts";
import { RuleError } from "./ruleError.ts";

/** Members of maps and items of lists that may be copied so that others beside them can change. */
const MOST_COPIED = 200_000;
/** What a rule costs at the least. */
const RULE_COST = 16;

/**
 * What the overrides of one rendering have cost so far: how much they brought in, each copy of it counted, and how much they copied. Both
 * are bounded over all rules of all policies, and asked before the work is done: a value that is copied into itself doubles with every
 * operation, though nothing of it takes room until it is written as text.
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

  /** A value comes to stand at a place so many levels below the whole object. */
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

  /** The map or list is copied so that one of its members can change. */
  copiesMembersOf(parent: object): void {
    // The items of a list are copied as one block of memory.
    this.copies(Array.isArray(parent) ? 1 + parent.length / 32 : Object.keys(parent).length);
  }
}
