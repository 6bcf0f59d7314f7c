import {
  HASH_ANNOTATION,
  OWNER_ANNOTATION,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectRef,
  type OwnerRef,
  parseApiVersion,
  refOf,
} from "../apis/index.ts";
import { type Health, memberKindOf } from "../interpreter/index.ts";
import { isNamespace, wasCreatedByMeridian } from "./namespaces.ts";

/** What Meridian keeps of a member object: enough to judge it, little enough to hold a million of them. */
export interface ObservedObject {
  ref: ObjectRef;
  uid: string;
  resourceVersion: string;
  /** Hash annotation: what was applied last. */
  hash: string | undefined;
  /** The hub object named in the owner annotation. */
  owner: OwnerRef | undefined;
  /** False for a namespace with our label that Meridian did not make: nothing is reported of that one. */
  isOurs: boolean;
  createdAt: string | undefined;
  deleting: boolean;
  health: Health;
  /** Who owns which field; dropped when the object has been compared with a desired one and found in sync. */
  evidence: { managedFields: ManagedFieldsEntry[] | undefined };
}

/** Reduces a member object with our label to what is kept of it. */
export function observe(object: KubeObject): ObservedObject {
  const { metadata } = object;
  const ref = refOf(object);
  return {
    ref,
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    hash: metadata.annotations?.[HASH_ANNOTATION],
    owner: ownerOf(object),
    isOurs: !isNamespace(ref) || wasCreatedByMeridian(object),
    createdAt: metadata.creationTimestamp,
    deleting: metadata.deletionTimestamp !== undefined,
    health: memberKindOf(parseApiVersion(object.apiVersion).group, object.kind).health(object),
    evidence: { managedFields: isNamespace(ref) ? undefined : metadata.managedFields },
  };
}

/** The hub object that a member object says it stands for; undefined when it says nothing or nothing readable. */
export function ownerOf(object: KubeObject): OwnerRef | undefined {
  const text = object.metadata.annotations?.[OWNER_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<OwnerRef> | null;
    if (typeof value?.kind !== "string" || typeof value.name !== "string" || typeof value.uid !== "string")
      return undefined;
    return { ...value, apiVersion: value.apiVersion ?? "", kind: value.kind, name: value.name, uid: value.uid };
  } catch {
    // Somebody wrote over the annotation: then it names no owner, and the lost field shows as drift.
    return undefined;
  }
}
