/** The items that changed since one reader last asked, each once, in the order of the first change. */
export class Feed<T> implements Disposable {
  #items = new Set<T>();
  #filled = Promise.withResolvers<void>();
  readonly #signal: AbortSignal;
  readonly #wake = (): void => this.wake();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#wake, { once: true });
  }

  push(item: T): void {
    this.#items.add(item);
    this.wake();
  }

  wake(): void {
    this.#filled.resolve();
  }

  get isFilled(): boolean {
    return this.#items.size > 0;
  }

  take(): T[] {
    const items = [...this.#items];
    this.#items.clear();
    return items;
  }

  /** Resolves when an item is available, when the reader is woken, or when the signal is aborted. */
  async filled(): Promise<void> {
    if (this.#signal.aborted) return;
    await this.#filled.promise;
    this.#filled = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#wake);
  }
}
