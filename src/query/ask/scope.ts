import type { Pair } from "../table/index.ts";
import { QueryError, type Scope } from "../types.ts";

/** Answers of a scope, asked once for each pair. */
export class Readable {
  readonly #answers = new Map<Pair, boolean>();
  #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get scope(): Scope {
    return this.#scope;
  }

  has(pair: Pair): boolean {
    let answer = this.#answers.get(pair);
    if (answer === undefined) this.#answers.set(pair, (answer = this.#scope.mayRead(pair.namespace, pair.kindKey)));
    return answer;
  }

  /** Takes a new scope. Returns the pairs whose answer is another one now. */
  review(scope: Scope): { gained: ReadonlySet<Pair>; lost: ReadonlySet<Pair> } {
    this.#scope = scope;
    const gained = new Set<Pair>();
    const lost = new Set<Pair>();
    for (const [pair, before] of this.#answers) {
      const after = scope.mayRead(pair.namespace, pair.kindKey);
      if (after === before) continue;
      this.#answers.set(pair, after);
      (after ? gained : lost).add(pair);
    }
    return { gained, lost };
  }
}

export function checkClusters({ mayReadClusters }: Scope): void {
  if (!mayReadClusters)
    throw new QueryError(403, "Forbidden", "you may not list memberclusters; ask an administrator of the hub for it");
}
