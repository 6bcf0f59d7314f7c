/**
 * Concurrent writes of one process. More would not finish sooner, since one event loop reads the answers, and would
 * count as unanswered.
 */
const UNDER_WAY = 256;
const LEAST = 1;

/**
 * Divides the concurrent writes equally among the members with work. The share of one without work is as if all had
 * some, so that the maximum holds when all get work at once.
 */
export class ConcurrencyBudget {
  readonly #working = new Set<string>();
  readonly #members: () => number;

  constructor(members: () => number) {
    this.#members = members;
  }

  of(member: string): number {
    const sharers = this.#working.has(member) ? this.#working.size : this.#members();
    return Math.max(LEAST, Math.floor(UNDER_WAY / Math.max(1, sharers)));
  }

  /** Rows that wait for a member that does not answer are no work. */
  setWorking(member: string, working: boolean): void {
    if (working) this.#working.add(member);
    else this.#working.delete(member);
  }
}
