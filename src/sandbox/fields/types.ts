import type { Json, KubeObject, Resource } from "../types.ts";

/** Input of every tracked write. */
export interface Write {
  /** The stored object, in `apiVersion`; undefined for a create. */
  live: KubeObject | undefined;
  /** The field manager; "" becomes `unknown`, as on a server. */
  manager: string;
  /** The version of the request, such as `apps/v1`. All given objects and the answer are in this version. */
  apiVersion: string;
  /** `status`, `scale`…; absent for the main resource. */
  subresource?: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Schemas of all versions. Also tells built-in kinds (Go structs) from CRDs, and which fields the write resets. */
  resource: Resource;
  /**
   * Returns the object in another version of the same resource; undefined for an unknown version. Called only if an
   * entry of managedFields is in another version than the request. Errors pass through to the caller and no state stays
   * between calls, so a caller with an asynchronous conversion may throw, await, and call again.
   */
  convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
}

/** A create, an update or a patch that is not an apply. */
export interface UpdateWrite extends Write {
  operation: "Update";
  /**
   * The decoded, defaulted and, for a patch, patched object, before the server resets fields that the write may not
   * change (status, on the main resource). `managedFields` may therefore list such fields, as on a server. A
   * `metadata.managedFields` in the object counts as on a server.
   */
  submitted: KubeObject;
}

/** A server-side apply. */
export interface ApplyWrite extends Write {
  /** The configuration as sent: not defaulted, not pruned, without managedFields. */
  config: Json;
  force: boolean;
}

export interface Applied {
  /**
   * The merged object with its new managedFields, not yet defaulted, validated or in stored form. Shares parts with
   * `live` and `config`, so treat it as frozen.
   */
  object: KubeObject;
  /** False when neither a value nor an entry of managedFields differs from `live`. */
  changed: boolean;
}
