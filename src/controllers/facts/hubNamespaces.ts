import { canonicalJson, isProtectedNamespace, type KubeObject, type ObjectMeta } from "../../apis/index.ts";
import { defaultTerms, type NamespaceTerms, namespaceTerms, termsText } from "../../desiredstate/index.ts";
import type { HubCache, Policy } from "../../hub/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Groups } from "../tables/index.ts";

export interface HubNamespacesOptions {
  hub: HubCache;
  /** Names of protected namespaces, in addition to the namespaces that are always protected. */
  protected: readonly string[];
}

const OF_NO_NAMESPACE = defaultTerms("");

/** The terms that hub namespaces set for their applications. Also reports label changes that policies may select by. */
export class HubNamespaces implements Disposable {
  /** The name of a namespace that has become known, or whose terms or labels have changed. */
  readonly changes = new Emitter<string>();
  readonly #options: HubNamespacesOptions;
  readonly #terms = new Map<string, NamespaceTerms>();
  readonly #subscription: Disposable;
  /** By namespace: the other namespaces with objects that were judged by this namespace's terms, too. */
  readonly #askedFrom = new Groups<string>();

  constructor(options: HubNamespacesOptions) {
    this.#options = options;
    this.#subscription = options.hub.namespaces.onEvent(({ type, key, object, old, initial }) => {
      if (type === "Deleted") this.#terms.delete(key);
      else if (old === undefined || termsText(old.metadata) !== termsText(object.metadata)) {
        const protects = (namespace: string): boolean => this.#isProtected(namespace);
        const elsewhere = (namespace: string): NamespaceTerms => this.#elsewhere(key, namespace);
        this.#terms.set(key, namespaceTerms(object.metadata, protects(key), { protects, elsewhere }));
        if (!initial) this.changes.emit(key);
      } else if (this.#isChosenByLabels && !sameLabels(old.metadata.labels, object.metadata.labels))
        this.changes.emit(key);
    });
  }

  /** Undefined while the object's namespace is not known: its watch may be behind the watch of objects. */
  termsFor({ metadata: { namespace } }: KubeObject): NamespaceTerms | undefined {
    return namespace === undefined ? OF_NO_NAMESPACE : this.#terms.get(namespace);
  }

  /** Keys of the objects in the namespace, and in namespaces whose terms reach into it, planned or not. */
  *ownersIn(namespace: string): Iterable<string> {
    yield* this.#options.hub.ownersIn(namespace);
    for (const home of this.#askedFrom.of(namespace)) yield* this.#options.hub.ownersIn(home);
  }

  #elsewhere(home: string, namespace: string): NamespaceTerms {
    this.#askedFrom.add(namespace, home);
    return this.#terms.get(namespace) ?? namespaceTerms({ name: namespace }, this.#isProtected(namespace));
  }

  #isProtected(namespace: string): boolean {
    return isProtectedNamespace(namespace, this.#options.protected);
  }

  get #isChosenByLabels(): boolean {
    const { hub } = this.#options;
    const policies: readonly Policy[] = [...hub.allPlacements(), ...hub.allOverrides()];
    return policies.some(({ spec }) =>
      spec.resourceSelectors.some(({ namespaceSelector }) => namespaceSelector !== undefined),
    );
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

function sameLabels(a: ObjectMeta["labels"] = {}, b: ObjectMeta["labels"] = {}): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
