/**
 * Writes that one process has under way, over all members. More would not be answered sooner, since one event loop reads the answers; but
 * each write needs a connection, and an answer that waits long for the event loop is taken for a member that does not answer.
 */
const UNDER_WAY = 256;
/** Of each member, however many there are. */
const LEAST = 1;

/**
 * Divides the writes that one process can have under way among its members. A member that has work gets its part of what the members with
 * work share; a member without work may begin with its part of what all members share, so that the whole is not exceeded by much when
 * all get work at once.
 */
export class ConcurrencyBudget {
  readonly #working = new Set<string>();
  readonly #members: () => number;

  /** `members`: how many there are. */
  constructor(members: () => number) {
    this.#members = members;
  }

  of(member: string): number {
    const sharers = this.#working.has(member) ? this.#working.size : this.#members();
    return Math.max(LEAST, Math.floor(UNDER_WAY / Math.max(1, sharers)));
  }

  /** Whether the member has rows to write now; rows that wait for a member that does not answer do not count. */
  setWorking(member: string, working: boolean): void {
    if (working) this.#working.add(member);
    else this.#working.delete(member);
  }
}
