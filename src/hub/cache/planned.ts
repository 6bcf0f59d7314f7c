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
  placements: () => readonly Placement[];
  bindings: Pick<Bindings, "of">;
  namespaces: Pick<Informer<NamespaceFacts>, "get">;
  protectedNamespaces: readonly string[];
}

/**
 * Planned are all objects of rendered kinds, and of other kinds the objects that a placement selects or that may have
 * copies on members. Of all others only the object itself is cached.
 */
export class PlannedObjects {
  readonly #options: PlannedObjectsOptions;
  #placements: readonly Placement[] | undefined;
  /** By the kinds that they select. */
  readonly #byKind = new Map<string, Placement[]>();

  constructor(options: PlannedObjectsOptions) {
    this.#options = options;
  }

  /** What policies select by, beside the object itself. */
  settingOf(object: KubeObject): ObjectSetting {
    const { namespaces, protectedNamespaces } = this.#options;
    const { namespace } = object.metadata;
    return settingIn(object, namespace === undefined ? undefined : namespaces.get(namespace), protectedNamespaces);
  }

  /** An object with a binding counts, since the binding must still be removed. */
  includes(object: KubeObject): boolean {
    return (
      isRendered(object) || isHeld(object) || this.isSelected(object) || this.#options.bindings.of(object) !== undefined
    );
  }

  /** Whatever its kind. */
  isSelected(object: KubeObject): boolean {
    const placements = this.#placementsOf(object);
    return placements !== undefined && selectPlacement(object, placements, this.settingOf(object)) !== undefined;
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

/** What policies select by, beside the object itself. `namespace`: of the object, if known. */
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

/** A manager has claimed the object, so copies may be on members. */
function isHeld({ metadata }: KubeObject): boolean {
  return (
    holdersOf(OBJECT_FINALIZER, metadata).length > 0 || metadata.annotations?.[FIRST_RECORD_ANNOTATION] !== undefined
  );
}
