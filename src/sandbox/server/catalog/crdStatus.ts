import type { KubeObject, ResourceName } from "../../types.ts";
import { timestamp } from "../../timestamp.ts";
import { equalJson } from "../../equalJson.ts";

export const CRDS = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
/** Keeps a CRD until its objects are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export interface Names {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdSpec {
  group: string;
  names: Names;
  versions: { name: string; served: boolean; storage: boolean }[];
}

interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface CrdStatus {
  conditions?: Condition[];
  acceptedNames?: Names;
  storedVersions?: string[];
}

export function isCrd({ group, plural }: ResourceName): boolean {
  return group === CRDS.group && plural === CRDS.plural;
}

/** The CRD after its deletion has begun: with the cleanup finalizer and the condition Terminating. */
export function crdMarkedForDeletion(crd: KubeObject, now: number): KubeObject {
  const { finalizers = [] } = crd.metadata;
  const status = (crd["status"] ?? {}) as CrdStatus;
  const terminating: Condition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  return {
    ...crd,
    metadata: {
      ...crd.metadata,
      finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
    },
    status: { ...status, conditions: withCondition(status.conditions ?? [], terminating, now) },
  };
}

export function specOf(crd: KubeObject): CrdSpec {
  return crd["spec"] as CrdSpec;
}

export function isTrue(crd: KubeObject, type: string): boolean {
  const { conditions } = (crd["status"] ?? {}) as CrdStatus;
  return conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/** The status that a CRD should have; undefined if unchanged. */
export function statusFor(
  crd: KubeObject,
  conflict: { reason: string; message: string } | undefined,
  now: number,
): CrdStatus | undefined {
  const { names, versions } = specOf(crd);
  const before = (crd["status"] ?? {}) as CrdStatus;
  const storage = versions.find((version) => version.storage)?.name;
  const storedVersions = before.storedVersions ?? [];
  const wanted: Condition[] = [
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict },
  ];
  const established = isTrue(crd, "Established");
  if (conflict === undefined && !established) {
    wanted.push({
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    });
  } else if (!established) {
    wanted.push({ type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" });
  }
  const status: CrdStatus = {
    ...before,
    conditions: wanted.reduce(
      (conditions, condition) => withCondition(conditions, condition, now),
      before.conditions ?? [],
    ),
    acceptedNames: conflict === undefined ? names : (before.acceptedNames ?? { plural: "", kind: "" }),
    storedVersions:
      storage === undefined || storedVersions.includes(storage) ? storedVersions : [...storedVersions, storage],
  };
  return equalJson(status, before) ? undefined : status;
}

function withCondition(conditions: readonly Condition[], condition: Condition, now: number): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : timestamp(now);
  const next = { ...condition, lastTransitionTime };
  return before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
}
