import { defined, type KubeObject, type ObjectMeta } from "../../apis/index.ts";
import type { Indexers } from "../../runtime/index.ts";
import { NAMESPACE_INDEX } from "./selection.ts";

export interface NamespaceFacts {
  metadata: Pick<ObjectMeta, "name" | "uid" | "labels" | "annotations">;
}

export const NODE_PORT_INDEX = "nodePort";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Plans need neither the owners of fields nor kubectl's last apply, and together they are half of an object. */
export function withoutBookkeeping(object: KubeObject): KubeObject {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return { ...object, metadata };
  // An empty map stays: a patch that adds an annotation must know whether the map exists.
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}

export function namespaceFacts({ metadata }: KubeObject): NamespaceFacts {
  const { name, uid, labels, annotations } = metadata;
  return {
    metadata: {
      name,
      ...defined({ uid, labels, annotations }),
    },
  };
}

export const objectIndexers: Indexers<KubeObject> = {
  [NAMESPACE_INDEX]: ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]),
  [NODE_PORT_INDEX]: nodePorts,
};

function nodePorts({ spec }: KubeObject): string[] {
  const { ports } = (spec ?? {}) as { ports?: unknown };
  if (!Array.isArray(ports)) return [];
  return (ports as { nodePort?: unknown }[]).flatMap(({ nodePort }) =>
    typeof nodePort === "number" ? [String(nodePort)] : [],
  );
}
