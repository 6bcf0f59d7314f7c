import {
  canonicalJson,
  DEPENDENCIES_HASH_ANNOTATION,
  HASH_ANNOTATION,
  hashOf,
  type KubeObject,
  MANAGED_BY_LABEL,
  OWNER_ANNOTATION,
  type OwnerRef,
  parseApiVersion,
  refOf,
} from "../apis/index.ts";
import { memberKindOf } from "../interpreter/index.ts";
import type { DesiredObject, Role } from "./types.ts";

export function ownerRefOf(object: KubeObject): OwnerRef {
  return { ...refOf(object), uid: object.metadata.uid ?? "" };
}

/** Puts Meridian's label and annotations onto a copy of the object; the hash covers all of it but the hash itself. */
export function mark(object: KubeObject, role: Role, hubId: string, ownerText: string): DesiredObject {
  const { labels, annotations } = object.metadata;
  const ours: Record<string, string> = { ...annotations, [OWNER_ANNOTATION]: ownerText };
  const metadata = { ...object.metadata, labels: { ...labels, [MANAGED_BY_LABEL]: hubId }, annotations: ours };
  const marked: KubeObject = { ...object, metadata };
  const hash = hashOf(marked);
  // Not yet seen by anybody, so it may still change.
  ours[HASH_ANNOTATION] = hash;
  return { ref: refOf(marked), role, object: marked, hash };
}

/** The same object for another owner: what that one's own row would be. */
export function reowned(object: KubeObject, owner: OwnerRef): Pick<DesiredObject, "object" | "hash"> {
  const { [HASH_ANNOTATION]: _, ...annotations } = object.metadata.annotations ?? {};
  const ours: Record<string, string> = { ...annotations, [OWNER_ANNOTATION]: ownerText(owner) };
  const next: KubeObject = { ...object, metadata: { ...object.metadata, annotations: ours } };
  const hash = hashOf(next);
  ours[HASH_ANNOTATION] = hash;
  return { object: next, hash };
}

export function ownerText(owner: OwnerRef): string {
  return canonicalJson(owner);
}

/**
 * The object with a controller reference to the hub object, so that the cluster's own garbage collector cascades. Only where both are in
 * one cluster, and only where Kubernetes allows it: a namespaced owner owns within its namespace.
 */
export function withControllerReference(object: KubeObject, owner: OwnerRef): KubeObject {
  if (owner.namespace !== undefined && owner.namespace !== object.metadata.namespace) return object;
  const { apiVersion, kind, name, uid } = owner;
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { ...object, metadata: { ...object.metadata, ownerReferences: [reference] } };
}

/** The object with the hash of what its pods read on the pod template, so that a change of it rolls them. */
export function withDependenciesHash(object: KubeObject, hash: string | undefined): KubeObject {
  const path = memberKindOf(parseApiVersion(object.apiVersion).group, object.kind).podTemplatePath;
  if (hash === undefined || path === undefined) return object;
  return annotatedAt(object, [...path, "metadata", "annotations"], hash) as KubeObject;
}

function annotatedAt(value: unknown, path: readonly string[], hash: string): unknown {
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const [next, ...rest] = path;
  if (next === undefined) return { ...fields, [DEPENDENCIES_HASH_ANNOTATION]: hash };
  return { ...fields, [next]: annotatedAt((fields as Record<string, unknown>)[next], rest, hash) };
}
