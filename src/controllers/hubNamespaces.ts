import { canonicalJson, isProtectedNamespace, type KubeObject, type ObjectMeta } from "../apis/index.ts";
import { defaultTerms, type NamespaceTerms, namespaceTerms, termsText } from "../desiredstate/index.ts";
import type { HubCache, Policy } from "../hub/index.ts";
import { Emitter } from "../runtime/index.ts";

export interface HubNamespacesOptions {
  hub: HubCache;
  /** Names of namespaces that are protected, beside those that always are. */
  protected: readonly string[];
}

const OF_NO_NAMESPACE = defaultTerms("");

/** What the namespaces of the hub allow their applications, and when their labels may change what policies select. */
export class HubNamespaces implements Disposable {
  /** The name of a namespace that has become known, or whose terms or labels have changed. */
  readonly changes = new Emitter<string>();
  readonly #options: HubNamespacesOptions;
  readonly #terms = new Map<string, NamespaceTerms>();
  readonly #subscription: Disposable;

  constructor(options: HubNamespacesOptions) {
    this.#options = options;
    this.#subscription = options.hub.namespaces.onEvent(({ type, key, object, old, initial }) => {
      if (type === "Deleted") this.#terms.delete(key);
      else if (old === undefined || termsText(old.metadata) !== termsText(object.metadata)) {
        this.#terms.set(key, namespaceTerms(object.metadata, isProtectedNamespace(key, options.protected)));
        if (!initial) this.changes.emit(key);
      } else if (this.#isChosenByLabels && !sameLabels(old.metadata.labels, object.metadata.labels))
        this.changes.emit(key);
    });
  }

  /** Undefined while the namespace of the object is not known: its watch may be behind that of the object. */
  termsFor({ metadata: { namespace } }: KubeObject): NamespaceTerms | undefined {
    return namespace === undefined ? OF_NO_NAMESPACE : this.#terms.get(namespace);
  }

  /** Keys of the objects in that namespace, planned or not. */
  ownersIn(namespace: string): Iterable<string> {
    return this.#options.hub.ownersIn(namespace);
  }

  /** Whether any policy selects objects by the labels of their namespace. */
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
