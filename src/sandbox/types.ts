import type { KubeObject } from "../apis/index.ts";

/** The shapes that the parts of the sandbox hand to each other. */

/** A JSON value: what travels in a request, a patch or an answer. A BigInt is an integer of 64 bits that no number holds. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };

export type { KubeObject };

/** Part of a structural schema, with the names that CRDs and published OpenAPI use. References stand in `$ref` and are looked up in {@link SchemaSource}. */
export interface Schema {
  $ref?: string;
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: string;
  description?: string;
  title?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  default?: unknown;
  enum?: unknown[];
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "atomic" | "granular";
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-validations"?: ValidationRule[];
  "x-kubernetes-patch-merge-key"?: string;
  "x-kubernetes-patch-strategy"?: string;
}

/** A CEL rule of a schema. */
export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** A column of a Table, as a CRD declares it; `value` stands instead of the path where a built-in kind computes the cell. */
export interface Column {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  format?: string;
  description?: string;
  /** 0 stands in every table, more with `-o wide` only. */
  priority: number;
  jsonPath?: string;
  value?: (object: KubeObject, now: number) => string | number | boolean | null;
}

export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

/** A subresource of a built-in kind as discovery lists it; group and version stand where they differ from the resource's. */
export interface Subresource {
  name: string;
  group?: string;
  version?: string;
  kind: string;
  verbs: readonly string[];
}

/** One version of a resource. */
export interface ResourceVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  /** Of the whole object; `$ref`s are resolved by the resource's `definitions`. */
  schema: Schema;
  columns: readonly Column[];
  hasStatus: boolean;
  scale?: ScalePaths;
  /** Of a built-in kind, as discovery lists them, status and scale too. */
  subresources?: readonly Subresource[];
  /** Paths such as `.spec.nodeName` that a field selector may name, beside metadata.name and metadata.namespace. */
  selectableFields: readonly string[];
}

/** A resource that an API server serves: built in, or of a CRD. */
export interface Resource {
  /** "" is the core group. */
  group: string;
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  versions: readonly ResourceVersion[];
  /** Schemas by name that `$ref: "#/definitions/NAME"` means. */
  definitions: Readonly<Record<string, Schema>>;
  /** What can be done with it, where that is not everything: reviews can only be created. */
  verbs?: readonly string[];
  /** The CRD that declares it; undefined for what is built in. */
  crd?: KubeObject;
}

/** What is wrong with a field: `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export interface FieldError {
  /** `FieldValueRequired`, `FieldValueInvalid`, `FieldValueNotSupported`, `FieldValueDuplicate`, `FieldValueForbidden`, `FieldValueTooLong`, `FieldValueTooMany`, `FieldValueTypeInvalid`, `FieldValueNotFound`. */
  reason: string;
  /** As in `spec.ports[0].name`. */
  field: string;
  /** The whole text without the field: `Invalid value: -1: must be greater than or equal to 0`. */
  message: string;
}

/** Who asks. */
export interface UserInfo {
  name: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** What of a request matters beside its object. */
export interface RequestContext {
  user: UserInfo;
  /** From the `fieldManager` parameter, else the first word of the user agent. */
  fieldManager: string;
  dryRun: boolean;
  fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Warnings go out as HTTP headers. */
  warn: (text: string) => void;
  signal: AbortSignal;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

export interface WatchEvent {
  type: WatchEventType;
  object: KubeObject;
}

export interface ListQuery {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** The deletion options of a request. */
export interface DeleteOptions {
  propagationPolicy?: "Foreground" | "Background" | "Orphan";
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

/** Names a resource within one API server: `{group: "apps", plural: "deployments"}`. */
export interface ResourceName {
  group: string;
  plural: string;
}

/**
 * The API server as its own controllers use it: the same path as a request over HTTP (defaults, admission, validation, managedFields, watch), as
 * a privileged user whose field manager is `manager`. Objects that it gives are shared and frozen: copy before changing. Every
 * refusal is a {@link StatusError}. Objects are in the version that the resource stores.
 */
export interface LocalClient {
  /** The same client under another field manager: `kube-scheduler`, `kubelet`. */
  as(manager: string): LocalClient;
  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: ResourceName, query?: ListQuery): readonly KubeObject[];
  /** With `binding` the object is a Binding that bears the name of its pod; the answer is what the server answers to that. */
  create(resource: ResourceName, object: KubeObject, subresource?: "binding"): Promise<KubeObject>;
  /** Checks the resourceVersion when the object has one. `finalize` is for namespaces: it alone changes their `spec.finalizers`. */
  update(resource: ResourceName, object: KubeObject, subresource?: "status" | "finalize"): Promise<KubeObject>;
  /** A JSON merge patch. */
  patch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    patch: Json,
    subresource?: "status",
  ): Promise<KubeObject>;
  delete(resource: ResourceName, namespace: string | undefined, name: string, options?: DeleteOptions): Promise<void>;
  /**
   * Called at once for every object there is (as ADDED), then for each change, in order, before the answer to the writer is sent: a controller
   * only notes the key and works later.
   */
  onEvent(resource: ResourceName, handler: (event: WatchEvent, old: KubeObject | undefined) => void): Disposable;
  /** Called with what is served now, and on each change: CRDs come and go. */
  onResources(handler: (resources: readonly Resource[]) => void): Disposable;
}

/** The clock of one sandbox cluster: real, or skewed by a fault. */
export interface SandboxClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once after that many milliseconds; disposing cancels. Does not keep the process alive. */
  after(ms: number, callback: () => void): Disposable;
}

/** A Kubernetes `Status` of kind failure. */
export interface FailureStatus {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, never>;
  status: "Failure";
  message: string;
  /** Absent where a server has an error without a name, with code 500. */
  reason?: string;
  code: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { reason?: string; message: string; field?: string }[];
    retryAfterSeconds?: number;
  };
}
