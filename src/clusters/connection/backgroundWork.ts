/** Work that nobody awaits at once. */
export class BackgroundWork {
  readonly #failed: (error: unknown) => void;
  readonly #pending = new Set<Promise<void>>();

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  track(work: Promise<void>): void {
    const tracked = work.catch(this.#failed).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  /** Resolves when all work that was begun has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
