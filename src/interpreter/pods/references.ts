import { type DependencyKind, type ObjectRef, refKey } from "../../apis/index.ts";
import type { Dependency } from "../types.ts";
import { textOf } from "../values.ts";

/** Every namespace gets these from its own cluster. */
const EVERY_NAMESPACE_HAS: ReadonlySet<string> = new Set(["ConfigMap/kube-root-ca.crt", "ServiceAccount/default"]);

export type ReferenceTerms = Partial<Pick<Dependency, "optional" | "readByPods">>;

/**
 * References of an object in its namespace, each object once. A dependency is optional only if all references are, and
 * read by pods if one is.
 */
export class References {
  readonly #namespace: string | undefined;
  readonly #found = new Map<string, Dependency>();

  constructor(namespace: string | undefined) {
    this.#namespace = namespace;
  }

  /** Adds a reference. A name that is no text, or is empty, refers to nothing. */
  add(kind: DependencyKind, named: unknown, { optional = false, readByPods = false }: ReferenceTerms = {}): void {
    const name = textOf(named);
    if (name === undefined || EVERY_NAMESPACE_HAS.has(`${kind}/${name}`)) return;
    const namespace = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    const ref: ObjectRef = { apiVersion: "v1", kind, ...namespace, name };
    const key = refKey(ref);
    const known = this.#found.get(key);
    if (known === undefined) {
      this.#found.set(key, { ref, optional, readByPods });
      return;
    }
    known.optional &&= optional;
    known.readByPods ||= readByPods;
  }

  /** References, sorted by {@link refKey}. */
  list(): Dependency[] {
    return [...this.#found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
  }
}
