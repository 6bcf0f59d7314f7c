import { isProtectedNamespace, type KubeObject } from "../apis/index.ts";
import { type NamespaceTerms, namespaceTerms, termsText } from "../desiredstate/index.ts";
import type { HubCache } from "../hub/index.ts";
import { Emitter } from "../runtime/index.ts";

export interface HubNamespacesOptions {
  hub: HubCache;
  /** Names of namespaces that are protected, beside those that always are. */
  protected: readonly string[];
}

/** What the namespaces of the hub allow their applications. */
export class HubNamespaces implements Disposable {
  /** The name of a namespace that has become known, or whose terms have changed. */
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
      }
    });
  }

  /** Undefined while the namespace of the object is not known: its watch may be behind that of the object. */
  termsFor({ metadata: { namespace } }: KubeObject): NamespaceTerms | undefined {
    return this.#terms.get(namespace ?? "");
  }

  /** Keys of the objects in that namespace. */
  ownersIn(namespace: string): Iterable<string> {
    return this.#options.hub.ownersIn(namespace);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}
