import { RequestError } from "../answers/index.ts";

export interface PlaceLimits {
  /** At once, in all. */
  all: number;
  /** At once, of one key: a user, or a member. */
  each: Readonly<Record<string, number>>;
}

/** Counts what is open at once: in all, for each user and each member. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #what: string;
  readonly #open = new Map<string, number>();
  #all = 0;

  /** `what`: a plural, for messages. */
  constructor(what: string, limits: PlaceLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /**
   * Takes a place until it is disposed of. `keys`: by the name of a limit.
   *
   * @throws {RequestError} 429 if there is none
   */
  take(keys: Readonly<Record<string, string>>): Disposable {
    const taken = Object.entries(keys).map(([kind, value]) => `${kind} ${value}`);
    for (const [kind, value] of Object.entries(keys)) {
      const open = this.#open.get(`${kind} ${value}`) ?? 0;
      if (open < (this.#limits.each[kind] ?? Infinity)) continue;
      throw new RequestError(429, `${open} ${this.#what} of this ${kind} are open; end one of them first`, 10);
    }
    if (this.#all >= this.#limits.all)
      throw new RequestError(429, `too many ${this.#what} are open; try again in 30 s`, 30);
    this.#all += 1;
    for (const key of taken) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        this.#all -= 1;
        for (const key of taken) {
          const left = (this.#open.get(key) ?? 1) - 1;
          if (left === 0) this.#open.delete(key);
          else this.#open.set(key, left);
        }
      },
    };
  }
}
