/**
 * Maximum of concurrent writes of one process, over all members. More writes would not finish sooner, since one event
 * loop reads the answers. Each write needs a connection, and an answer that waits long for the event loop counts as a
 * member that does not answer.
 */
const UNDER_WAY = 256;
/** Minimum share of each member, however many members exist. */
const LEAST = 1;

/**
 * Divides the concurrent writes of one process among its members. A member with work gets an equal share among the
 * members with work. A member without work gets an equal share among all members, so that the maximum is not exceeded
 * by much when all get work at once.
 */
export class ConcurrencyBudget {
  readonly #working = new Set<string>();
  readonly #members: () => number;

  /** `members`: returns the number of members. */
  constructor(members: () => number) {
    this.#members = members;
  }

  of(member: string): number {
    const sharers = this.#working.has(member) ? this.#working.size : this.#members();
    return Math.max(LEAST, Math.floor(UNDER_WAY / Math.max(1, sharers)));
  }

  /** Sets whether the member has rows to write now. Rows that wait for a member that does not answer do not count. */
  setWorking(member: string, working: boolean): void {
    if (working) this.#working.add(member);
    else this.#working.delete(member);
  }
}
