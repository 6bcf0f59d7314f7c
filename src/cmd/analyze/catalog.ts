import { kindKeyOf, type ObjectRef } from "../../apis/index.ts";
import type { PolicyTally } from "../../controllers/index.ts";
import { groupKindOf, isClusterScopedBuiltIn, isPropagated, isRendered } from "../../interpreter/index.ts";
import { apiVersionOf, type ResourceType } from "../../runtime/index.ts";

/** What the hub says of a kind; `meant`: apiVersion of another served kind of that name. */
export interface ServedKind {
  type?: ResourceType;
  meant?: string;
}

export type Catalog = Parameters<PolicyTally["outcome"]>[0];
type Kind = Pick<ObjectRef, "apiVersion" | "kind">;

/** `served`: by `group/Kind`; undefined without a hub. Pure. */
export function catalogOf(served: ReadonlyMap<string, ServedKind> | undefined): Catalog {
  const find = (kind: Kind): ServedKind | undefined => served?.get(kindKeyOf(kind));
  return {
    servingState(kind) {
      if (!isPlaceableKind(kind)) return "NeverPlaced";
      const known = find(kind);
      if (known?.type !== undefined) return known.type.namespaced ? "Namespaced" : "ClusterScoped";
      if (known !== undefined) return "NotServed";
      return isClusterScopedBuiltIn(groupKindOf(kind)) ? "ClusterScoped" : "Unknown";
    },
    servedIn: (kind) => find(kind)?.meant,
    readIn(kind) {
      const type = find(kind)?.type;
      return type === undefined ? undefined : apiVersionOf(type);
    },
  };
}

function isPlaceableKind(kind: Kind): boolean {
  return isRendered(kind) || isPropagated(groupKindOf(kind));
}
