import { generationOf, type KubeObject, type ObjectRef } from "../../apis/index.ts";

/** `namespace/name`, or the name alone for a cluster-scoped object. */
export function nameOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The hub object that a key names. The version in `apiVersion` is empty. */
export function refOfKey(owner: string): ObjectRef {
  const [group = "", kind = "", namespace = "", name = ""] = owner.split("/");
  return { apiVersion: group === "" ? "" : `${group}/`, kind, ...(namespace === "" ? {} : { namespace }), name };
}

export function logFieldsOf(
  hub: { object(owner: string): { object: KubeObject } | undefined },
  owner: string,
): Record<string, string | undefined> {
  return { object: owner, resource_uid: hub.object(owner)?.object.metadata.uid };
}

export function spanAttributes(owner: string, object: KubeObject): Record<string, string | number> {
  return {
    "reconcile.request": nameOf(object),
    "reconcile.kind": object.kind,
    "reconcile.key": owner,
    "k8s.resource.uid": object.metadata.uid ?? "",
    "k8s.resource.generation": generationOf(object.metadata),
  };
}
