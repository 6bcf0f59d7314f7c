import type { Json, KubeObject, Resource } from "../types.ts";

/** What every write that is tracked has in common. */
export interface Write {
  /** As it is stored now, in `apiVersion`; undefined when the write creates. */
  live: KubeObject | undefined;
  /** The field manager; "" becomes `unknown`, as on a server. */
  manager: string;
  /** The version of the request, `apps/v1`: that of all objects given and of the answer. */
  apiVersion: string;
  /** `status`, `scale`…; absent for the main resource. */
  subresource?: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Gives schemas of all versions, distinguishes built-in kinds (Go structs) from CRDs, and which fields the write resets. */
  resource: Resource;
  /**
   * The object in another version of the same resource; undefined when that version is no longer known. Only asked when an entry of managedFields is in
   * another version than the request. What it throws goes through to the caller untouched, and nothing is kept between calls: so a caller whose
   * conversion is asynchronous may throw, await, and call again.
   */
  convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
}

/** A create, an update or a patch that is not an apply. */
export interface UpdateWrite extends Write {
  operation: "Update";
  /**
   * The object as decoded, defaulted and, for a patch, patched, but before fields that the write may not change (status, on the main resource) are put
   * back: so does a server, and `managedFields` may show it. A `metadata.managedFields` in it is honoured as on a server.
   */
  submitted: KubeObject;
}

/** A server-side apply. */
export interface ApplyWrite extends Write {
  /** What the person sent: not defaulted, not pruned, without managedFields. */
  config: Json;
  force: boolean;
}

export interface Applied {
  /**
   * The merged object with its new managedFields. Not yet defaulted, validated or brought into stored form; shares parts with `live` and `config`, so
   * treat it as frozen.
   */
  object: KubeObject;
  /** False when neither a value nor an entry of managedFields differs from `live`. */
  changed: boolean;
}
