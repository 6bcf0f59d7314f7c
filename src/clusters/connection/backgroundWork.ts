/** Work that nobody awaits at once. */
export class BackgroundWork {
  readonly #pending = new Set<Promise<void>>();

  track(work: Promise<void>, failed: (error: unknown) => void): void {
    const tracked = work.catch(failed).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  /** Resolves when all work that was begun has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
