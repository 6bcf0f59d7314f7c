/** The parts of Kubernetes' object model that every module shares. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  subresource?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: FieldsV1;
}

/** A set of owned fields as `metadata.managedFields` holds it: `f:name`, `k:{...}`, `v:value`, `i:index` and `.`. */
export interface FieldsV1 {
  [path: string]: FieldsV1;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Reference to an object within one cluster. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** With the UID: a recreated object of the same name is another object. */
export interface OwnerRef extends ObjectRef {
  uid: string;
}

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** The core group is the empty string. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `group/Kind`, independent of the version. */
export function kindKey({ group, kind }: { group: string; kind: string }): string {
  return `${group}/${kind}`;
}

export function kindKeyOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

export function refOf(object: KubeObject): ObjectRef {
  const { namespace, name } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
  };
}

/** `group/Kind/namespace/name`, independent of the version; an empty namespace for cluster-scoped objects. */
export function refKey(ref: ObjectRef): string {
  return `${kindKeyOf(ref)}/${ref.namespace ?? ""}/${ref.name}`;
}

/**
 * 1 for kinds whose generation the server does not count: `kubectl wait` ignores a condition whose observedGeneration
 * is below the generation of the binding that holds it.
 */
export function generationOf({ generation = 1 }: Pick<ObjectMeta, "generation">): number {
  return generation;
}
