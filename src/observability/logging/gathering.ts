export interface GatheringOptions<T> {
  weigh: (item: T) => number;
  /** Weight of what waits; further items are dropped. */
  most: number;
  /** Weight that is taken without waiting for more. */
  enough: number;
  /** Items that are taken at once. */
  atOnce: number;
  /** Milliseconds from the first item. */
  waitMs: number;
  /** The timer must not keep the process alive. */
  after: (ms: number, callback: () => void) => Disposable;
  /** Must not reject. One call is under way at a time. */
  take: (items: T[]) => Promise<void>;
  dropped: (item: T) => void;
}

/** Gathers items for a slow reader: he gets many at once, and what he does not take in time is dropped. */
export class Gathering<T> {
  readonly #options: GatheringOptions<T>;
  #waiting: T[] = [];
  #weight = 0;
  #timer: Disposable | undefined;
  #taking: Promise<void> | undefined;

  constructor(options: GatheringOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    const { weigh, most, dropped } = this.#options;
    const weight = weigh(item);
    if (this.#weight + weight > most) return dropped(item);
    this.#waiting.push(item);
    this.#weight += weight;
    if (this.#taking === undefined) this.#regulate();
  }

  /** Resolves when everything that waits was taken. */
  async flush(): Promise<void> {
    while (this.#taking !== undefined || this.#waiting.length > 0) {
      this.#begin();
      await this.#taking;
    }
  }

  #regulate(): void {
    const { enough, waitMs, after } = this.#options;
    if (this.#weight >= enough) this.#begin();
    else if (this.#waiting.length > 0) this.#timer ??= after(waitMs, () => this.#begin());
  }

  #begin(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#taking !== undefined || this.#waiting.length === 0) return;
    const { weigh, atOnce, take } = this.#options;
    const items = this.#waiting.splice(0, atOnce);
    for (const item of items) this.#weight -= weigh(item);
    this.#taking = take(items).finally(() => {
      this.#taking = undefined;
      this.#regulate();
    });
  }
}
