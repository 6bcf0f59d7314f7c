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
  /** All placements; the same array until a placement changes. */
  placements: () => readonly Placement[];
  bindings: Pick<Bindings, "of">;
  namespaces: Pick<Informer<NamespaceFacts>, "get">;
  protectedNamespaces: readonly string[];
}

/**
 * Decides which hub objects are planned: all objects of rendered kinds; of other kinds the objects that a placement
 * selects, and the objects that may have copies on members. For all other objects nothing is computed, and only the
 * object itself is cached.
 */
export class PlannedObjects {
  readonly #options: PlannedObjectsOptions;
  #placements: readonly Placement[] | undefined;
  /** Placements by the kinds (`group/Kind`) that they select. */
  readonly #byKind = new Map<string, Placement[]>();

  constructor(options: PlannedObjectsOptions) {
    this.#options = options;
  }

  /** Facts beside the object itself by which policies select. */
  settingOf(object: KubeObject): ObjectSetting {
    const { namespaces, protectedNamespaces } = this.#options;
    const { namespace } = object.metadata;
    return settingIn(object, namespace === undefined ? undefined : namespaces.get(namespace), protectedNamespaces);
  }

  includes(object: KubeObject): boolean {
    return isRendered(object) || isHeld(object) || this.isSelected(object) || this.#isBound(object);
  }

  /** True if a placement selects the object, whatever its kind. */
  isSelected(object: KubeObject): boolean {
    const placements = this.#placementsOf(object);
    return placements !== undefined && selectPlacement(object, placements, this.settingOf(object)) !== undefined;
  }

  /** True if the object has a binding, which must still be removed. */
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

/** Facts beside the object itself by which policies select. `namespace`: the namespace of the object, if known. */
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

/** True if a manager has claimed the object, so that copies may be on members. */
function isHeld({ metadata }: KubeObject): boolean {
  return (
    holdersOf(OBJECT_FINALIZER, metadata).length > 0 || metadata.annotations?.[FIRST_RECORD_ANNOTATION] !== undefined
  );
}
