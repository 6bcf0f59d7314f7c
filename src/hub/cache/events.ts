import {
  type MemberCluster,
  type ObjectMeta,
  type OverridePolicy,
  type Placement,
  REMOVE_FOUND_ANNOTATION,
} from "../../apis/index.ts";
import type { InformerEvent } from "../../runtime/index.ts";

export type Policy = Placement | OverridePolicy;

/** `key` is the key in workqueues: `refKey` of an object, `policyKey` of a policy, the name of a cluster. */
export type HubEvent<T> = InformerEvent<T>;

type Change<T> = Pick<HubEvent<T>, "type" | "object" | "old">;

/** For `when`: more has changed than the status and the bookkeeping of the server. */
export function changedSpec({ type, object, old }: Change<{ metadata: ObjectMeta }>): boolean {
  if (type !== "Updated" || old === undefined) return true;
  const before = old.metadata;
  const after = object.metadata;
  return (
    before.uid !== after.uid ||
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    !sameEntries(before.labels, after.labels) ||
    !sameEntries(before.annotations, after.annotations) ||
    !sameList(before.finalizers, after.finalizers)
  );
}

/** For `when`: a fact has changed that plans depend on, and not only times and messages about health. */
export function changedFacts({ type, object, old }: Change<MemberCluster>): boolean {
  return type !== "Updated" || old === undefined || planningFacts(old) !== planningFacts(object);
}

/** True once for each life: when the deletion begins, or the object is gone and the beginning was not seen. */
export function isDeparture({ type, object, old }: Change<{ metadata: ObjectMeta }>): boolean {
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  if (type === "Deleted") return !isLeaving;
  return isLeaving && (old === undefined || old.metadata.deletionTimestamp === undefined);
}

/** As one text. */
function planningFacts({ metadata, spec, status }: MemberCluster): string {
  const { local, pull } = spec.connection;
  return JSON.stringify([
    metadata.uid,
    metadata.deletionTimestamp !== undefined,
    metadata.annotations?.[REMOVE_FOUND_ANNOTATION],
    Object.entries(metadata.labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    spec.provider,
    spec.taints,
    spec.deletionPolicy,
    spec.namespaces,
    local !== undefined ? "local" : pull !== undefined ? "pull" : "kubeconfig",
    status?.conditions?.find(({ type }) => type === "Ready")?.status,
    status?.capacity,
    status?.apis,
  ]);
}

function sameEntries(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
