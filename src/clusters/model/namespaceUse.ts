import { Handlers } from "./handlers.ts";

/** Number of known member objects in each namespace. Cluster-scoped objects do not count. */
export class NamespaceUse {
  readonly #counts = new Map<string, number>();
  readonly #emptied = new Handlers<string>();

  isUsed(namespace: string): boolean {
    return this.#counts.has(namespace);
  }

  /** The last object of the namespace was forgotten. */
  onEmptied(handler: (namespace: string) => void): Disposable {
    return this.#emptied.add(handler);
  }

  added(namespace: string | undefined): void {
    if (namespace !== undefined) this.#counts.set(namespace, (this.#counts.get(namespace) ?? 0) + 1);
  }

  forgot(namespace: string | undefined): void {
    if (namespace === undefined) return;
    const left = (this.#counts.get(namespace) ?? 1) - 1;
    if (left > 0) {
      this.#counts.set(namespace, left);
      return;
    }
    this.#counts.delete(namespace);
    this.#emptied.call(namespace);
  }

  clear(): void {
    this.#counts.clear();
  }
}
