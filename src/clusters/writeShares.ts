/**
 * Writes that one process has under way, over all members: more would not be answered sooner, since one event loop reads the answers,
 * but each needs a connection, and what waits long in that loop looks like a member that does not answer.
 */
const UNDER_WAY = 256;
/** Of each member, however many there are. */
const LEAST = 1;

/**
 * Divides what one process can have under way among its members. A member that has work gets its part of what those with work share; one that
 * has none may begin with its part of what all of them share, so that no moment in which all get work at once exceeds the whole by much.
 */
export class WriteShares {
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

  /** Whether that member has work that is being done, not such that waits for it to answer again. */
  setWorking(member: string, working: boolean): void {
    if (working) this.#working.add(member);
    else this.#working.delete(member);
  }
}
