import type { KubeObject } from "../apis/index.ts";

/** Types that the folders of the sandbox share. */

/** A JSON value of a request, a patch or an answer. A BigInt is a 64-bit integer that no JavaScript number holds. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };

export type { KubeObject };

/**
 * Part of a structural schema, with the names of CRDs and published OpenAPI. A `$ref` is looked up in {@link
 * SchemaSource}.
 */
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

/**
 * A column of a Table, as a CRD declares it. A built-in kind may have `value`, which computes the cell, instead of a
 * path.
 */
export interface Column {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  format?: string;
  description?: string;
  /** 0: in every table; above 0: only with `-o wide`. */
  priority: number;
  jsonPath?: string;
  value?: (object: KubeObject, now: number) => string | number | boolean | null;
}

export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

/**
 * A subresource of a built-in kind as discovery lists it. Group and version are set only if they differ from the
 * resource's.
 */
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
  /** Schema of the whole object. The resource's `definitions` resolve its `$ref`s. */
  schema: Schema;
  columns: readonly Column[];
  hasStatus: boolean;
  scale?: ScalePaths;
  /** Subresources of a built-in kind, as discovery lists them, status and scale included. */
  subresources?: readonly Subresource[];
  /** Paths such as `.spec.nodeName` that a field selector may name, besides metadata.name and metadata.namespace. */
  selectableFields: readonly string[];
}

/** A resource that an API server serves: built-in, or declared by a CRD. */
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
  /** Schemas by the NAME of a `$ref: "#/definitions/NAME"`. */
  definitions: Readonly<Record<string, Schema>>;
  /** Allowed verbs if the resource does not allow all: reviews can only be created. */
  verbs?: readonly string[];
  /** The CRD that declares the resource; undefined for a built-in one. */
  crd?: KubeObject;
}

/** One error about a field: `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export interface FieldError {
  /**
   * `FieldValueRequired`, `FieldValueInvalid`, `FieldValueNotSupported`, `FieldValueDuplicate`, `FieldValueForbidden`,
   * `FieldValueTooLong`, `FieldValueTooMany`, `FieldValueTypeInvalid`, `FieldValueNotFound`.
   */
  reason: string;
  /** Path of the field, such as `spec.ports[0].name`. */
  field: string;
  /** The whole text without the path: `Invalid value: -1: must be greater than or equal to 0`. */
  message: string;
}

/** The authenticated user of a request. */
export interface UserInfo {
  name: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Properties of a request besides its object. */
export interface RequestContext {
  user: UserInfo;
  /** The `fieldManager` parameter, or by default the first word of the user agent. */
  fieldManager: string;
  dryRun: boolean;
  fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Sends a warning to the client as an HTTP header. */
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
 * The API server as its own controllers use it. A call takes the same path as a request over HTTP (defaults, admission,
 * validation, managedFields, watch), as a privileged user with the field manager `manager`. Returned objects are shared
 * and frozen: copy before changing. Every refusal is a {@link StatusError}. Objects are in the storage version.
 */
export interface LocalClient {
  /** The same client under another field manager: `kube-scheduler`, `kubelet`. */
  as(manager: string): LocalClient;
  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: ResourceName, query?: ListQuery): readonly KubeObject[];
  /** With `binding`, the object is a Binding named after its pod; the result is the server's answer to the Binding. */
  create(resource: ResourceName, object: KubeObject, subresource?: "binding"): Promise<KubeObject>;
  /**
   * Checks the resourceVersion if the object has one. `finalize` is for namespaces: no other write changes their
   * `spec.finalizers`.
   */
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
   * Calls the handler at once for every existing object (as ADDED), then for each change, in order, before the writer
   * gets its answer. A controller's handler therefore only queues the key.
   */
  onEvent(resource: ResourceName, handler: (event: WatchEvent, old: KubeObject | undefined) => void): Disposable;
  /** Calls the handler with the resources served now, and again on each change, because CRDs come and go. */
  onResources(handler: (resources: readonly Resource[]) => void): Disposable;
}

/** The clock of one sandbox cluster: real, or skewed by a fault. */
export interface SandboxClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after that many milliseconds; disposing cancels. The timer does not keep the process alive. */
  after(ms: number, callback: () => void): Disposable;
}

/** A Kubernetes `Status` of kind failure. */
export interface FailureStatus {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, never>;
  status: "Failure";
  message: string;
  /** Absent for an error without a reason (code 500). */
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
