import {
  canonicalJson,
  DELETION_POLICY_ANNOTATION,
  DEPENDENCIES_HASH_ANNOTATION,
  HASH_ANNOTATION,
  hashOf,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  type OwnerRef,
  parseApiVersion,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";
import { holdsData } from "./data.ts";
import type { DeletionPolicy, DesiredObject, Role } from "../types.ts";

export function ownerRefOf(object: KubeObject): OwnerRef {
  return { ...refOf(object), uid: object.metadata.uid ?? "" };
}

/** What the marks of one hub object's member objects have in common. */
export interface Marking {
  hubId: string;
  ownerText: string;
  policy: DeletionPolicy;
}

/**
 * Puts Meridian's label and annotations onto a copy of the object. The hash covers all of it but itself, and the object's own name, which
 * follows from the rest: an earlier version did not write it, and an upgrade is to rewrite nothing.
 */
export function mark(object: KubeObject, role: Role, { hubId, ownerText, policy }: Marking): DesiredObject {
  const { labels, annotations } = object.metadata;
  const ref = refOf(object);
  // The data is worth more than the object that brought the claim along: whoever forgets the copy, it says itself that it stays.
  const isToStay = policy === "Orphan" || (role === "dependency" && holdsData(ref));
  const ours: Record<string, string> = {
    ...annotations,
    [OWNER_ANNOTATION]: ownerText,
    ...(isToStay ? { [DELETION_POLICY_ANNOTATION]: "Orphan" } : {}),
  };
  const metadata = { ...object.metadata, labels: { ...labels, [MANAGED_BY_LABEL]: hubId }, annotations: ours };
  const marked: KubeObject = { ...object, metadata };
  const hash = hashOf(marked);
  // Not yet seen by anybody, so it may still change.
  ours[OBJECT_ANNOTATION] = refKey(ref);
  ours[HASH_ANNOTATION] = hash;
  return { ref, role, object: marked, hash };
}

/** The same object for another owner with that policy: what that one's own row would be. */
export function reowned(
  object: KubeObject,
  owner: OwnerRef,
  policy: DeletionPolicy,
): Pick<DesiredObject, "object" | "hash"> {
  const {
    [HASH_ANNOTATION]: _,
    [DELETION_POLICY_ANNOTATION]: __,
    [OBJECT_ANNOTATION]: name = refKey(refOf(object)),
    ...annotations
  } = object.metadata.annotations ?? {};
  const ours: Record<string, string> = {
    ...annotations,
    [OWNER_ANNOTATION]: ownerText(owner),
    ...(policy === "Orphan" ? { [DELETION_POLICY_ANNOTATION]: policy } : {}),
  };
  const next: KubeObject = { ...object, metadata: { ...object.metadata, annotations: ours } };
  const hash = hashOf(next);
  ours[OBJECT_ANNOTATION] = name;
  ours[HASH_ANNOTATION] = hash;
  return { object: next, hash };
}

/** What is to be found of a desired object where the live one does not name itself, as an earlier version wrote it. */
export function expectedOf(desired: KubeObject, live: KubeObject): KubeObject {
  const { [OBJECT_ANNOTATION]: name, ...annotations } = desired.metadata.annotations ?? {};
  if (name === undefined || live.metadata.annotations?.[OBJECT_ANNOTATION] !== undefined) return desired;
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

/** What a member object says should become of it when the hub has forgotten it; undefined stands for `Delete`. */
export function policyOf({ metadata }: KubeObject): "Orphan" | undefined {
  return metadata.annotations?.[DELETION_POLICY_ANNOTATION] === "Orphan" ? "Orphan" : undefined;
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
