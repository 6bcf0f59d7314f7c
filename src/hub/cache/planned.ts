import {
  defined,
  FIRST_RECORD_ANNOTATION,
  holdersOf,
  isProtectedNamespace,
  kindKeyOf,
  type KubeObject,
  OBJECT_FINALIZER,
  type ObjectSetting,
  type Placement,
} from "../../apis/index.ts";
import { selectPlacement } from "../../desiredstate/index.ts";
import { isRendered, whyHubsOwn } from "../../interpreter/index.ts";
import type { Informer } from "../../runtime/index.ts";
import type { Bindings } from "./bindings.ts";
import type { NamespaceFacts } from "./kept.ts";

export interface PlannedObjectsOptions {
  /** The same array until a placement changes. */
  placements: () => readonly Placement[];
  bindings: Pick<Bindings, "of">;
  namespaces: Pick<Informer<NamespaceFacts>, "get">;
  protectedNamespaces: readonly string[];
}

/**
 * Which objects of the hub are planned. Of the kinds that Meridian renders all are; of any other kind those that a placement selects, and
 * those of which something may be on members. Everything else is the hub's own business: nothing is computed for it, and nothing is kept
 * of it but the object in its cache.
 */
export class PlannedObjects {
  readonly #options: PlannedObjectsOptions;
  #placements: readonly Placement[] | undefined;
  /** Placements by the kinds (`group/Kind`) that they select. */
  readonly #byKind = new Map<string, Placement[]>();

  constructor(options: PlannedObjectsOptions) {
    this.#options = options;
  }

  /** What policies select the object by, beside what it is itself. */
  settingOf(object: KubeObject): ObjectSetting {
    const { namespaces, protectedNamespaces } = this.#options;
    const { namespace } = object.metadata;
    return settingIn(object, namespace === undefined ? undefined : namespaces.get(namespace), protectedNamespaces);
  }

  includes(object: KubeObject): boolean {
    return isRendered(object) || isHeld(object) || this.isSelected(object) || this.#isBound(object);
  }

  /** Whether a placement selects the object, of whatever kind it is. */
  isSelected(object: KubeObject): boolean {
    const placements = this.#placementsOf(object);
    return placements !== undefined && selectPlacement(object, placements, this.settingOf(object)) !== undefined;
  }

  /** What is said of the object has to be taken back. */
  #isBound(object: KubeObject): boolean {
    return this.#options.bindings.of(object) !== undefined;
  }

  #placementsOf({ apiVersion, kind }: KubeObject): readonly Placement[] | undefined {
    const placements = this.#options.placements();
    if (placements !== this.#placements) {
      this.#placements = placements;
      this.#byKind.clear();
      for (const placement of placements) {
        const names = placement.spec.resourceSelectors.map(kindKeyOf);
        for (const name of new Set(names)) this.#byKind.set(name, [...(this.#byKind.get(name) ?? []), placement]);
      }
    }
    return this.#byKind.get(kindKeyOf({ apiVersion, kind }));
  }
}

/** What policies select an object by, beside what it is itself; `namespace`: that of the object, where it is known. */
export function settingIn(
  object: KubeObject,
  namespace: NamespaceFacts | undefined,
  protectedNamespaces: readonly string[] = [],
): ObjectSetting {
  const name = object.metadata.namespace;
  const isProtected = name !== undefined && isProtectedNamespace(name, protectedNamespaces);
  const hubsOwn = isRendered(object) ? undefined : whyHubsOwn(object, isProtected);
  return {
    ...(namespace === undefined ? {} : { namespaceLabels: namespace.metadata.labels ?? {} }),
    ...defined({ hubsOwn }),
  };
}

/** A manager has claimed the object: something of it may be on members. */
function isHeld({ metadata }: KubeObject): boolean {
  return (
    holdersOf(OBJECT_FINALIZER, metadata).length > 0 || metadata.annotations?.[FIRST_RECORD_ANNOTATION] !== undefined
  );
}
