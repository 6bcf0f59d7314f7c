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

/** Values that the marks of all member objects of one hub object share. */
export interface Marking {
  hubId: string;
  ownerText: string;
  policy: DeletionPolicy;
}

/**
 * Adds Meridian's label and annotations to a copy of the object. The hash covers everything except itself and the
 * annotation with the object's own name. That name follows from the rest, and an earlier version did not write it. So
 * an upgrade rewrites nothing.
 */
export function mark(object: KubeObject, role: Role, { hubId, ownerText, policy }: Marking): DesiredObject {
  const { labels, annotations } = object.metadata;
  const ref = refOf(object);
  // If the hub forgets the copy, the copy's own policy keeps the data.
  const isToStay = policy === "Orphan" || (role === "dependency" && holdsData(ref));
  const ours: Record<string, string> = {
    ...annotations,
    [OWNER_ANNOTATION]: ownerText,
    ...(isToStay ? { [DELETION_POLICY_ANNOTATION]: "Orphan" } : {}),
  };
  const metadata = { ...object.metadata, labels: { ...labels, [MANAGED_BY_LABEL]: hubId }, annotations: ours };
  const marked: KubeObject = { ...object, metadata };
  const hash = hashOf(marked);
  // Nobody has seen the object yet, so it may still be changed.
  ours[OBJECT_ANNOTATION] = refKey(ref);
  ours[HASH_ANNOTATION] = hash;
  return { ref, role, object: marked, hash };
}

/** The same object for another owner with that policy, as in that owner's own row. */
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

/** The desired object as compared with a live object: an earlier version wrote no annotation with the object's name. */
export function expectedOf(desired: KubeObject, live: KubeObject): KubeObject {
  const { [OBJECT_ANNOTATION]: name, ...annotations } = desired.metadata.annotations ?? {};
  if (name === undefined || live.metadata.annotations?.[OBJECT_ANNOTATION] !== undefined) return desired;
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

/** The copy's own deletion policy, used after the hub has forgotten the object; undefined stands for `Delete`. */
export function policyOf({ metadata }: KubeObject): "Orphan" | undefined {
  return metadata.annotations?.[DELETION_POLICY_ANNOTATION] === "Orphan" ? "Orphan" : undefined;
}

export function ownerText(owner: OwnerRef): string {
  return canonicalJson(owner);
}

/** Lets the cluster's own garbage collector cascade. A namespaced owner owns objects in its own namespace only. */
export function withControllerReference(object: KubeObject, owner: OwnerRef): KubeObject {
  if (owner.namespace !== undefined && owner.namespace !== object.metadata.namespace) return object;
  const { apiVersion, kind, name, uid } = owner;
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { ...object, metadata: { ...object.metadata, ownerReferences: [reference] } };
}

/** Puts the hash of the content that pods read on the pod template, so that a change of the content restarts the pods. */
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
