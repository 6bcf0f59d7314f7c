import type { KubeObject } from "../apis/index.ts";

/** One resource that a cluster serves. */
export interface ResourceType {
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  subresources?: string[];
  verbs?: string[];
  /** Short names that kubectl accepts instead of the plural. */
  shortNames?: string[];
  /** Paths of the replica fields of the scale subresource, from the CRD. Discovery does not report these paths. */
  scale?: { spec: readonly string[]; status?: readonly string[] };
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface GetOptions extends CallOptions {
  /** Answer with PartialObjectMetadata. */
  metadataOnly?: boolean;
  /** "0" reads from the API server's cache. */
  resourceVersion?: string;
}

export interface ListOptions extends GetOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersionMatch?: "NotOlderThan" | "Exact";
}

export interface WatchOptions extends CallOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion?: string;
  resourceVersionMatch?: "NotOlderThan";
  sendInitialEvents?: boolean;
  allowWatchBookmarks?: boolean;
  timeoutSeconds?: number;
  metadataOnly?: boolean;
  /** Versions in answers to our own writes. An event of such a version brings nothing new: it becomes a bookmark. */
  known?: Pick<ReadonlySet<string>, "size" | "has">;
  /** Called when the server has accepted the watch. The first event may come much later. */
  onOpen?: () => void;
}

/** `bytes`: approximate size over the wire. */
export type WatchEvent =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubeObject; bytes?: number }
  | { type: "BOOKMARK"; object: KubeObject }
  | { type: "ERROR"; status: ApiStatus };

/** `v1.Status` as an API server answers. */
export interface ApiStatus {
  code: number;
  reason?: string;
  message?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

export interface ObjectList {
  items: KubeObject[];
  resourceVersion: string;
  continue?: string;
  /** Approximate size over the wire. */
  bytes?: number;
}

export interface ApplyOptions extends CallOptions {
  /** Take fields from other managers instead of failing with a conflict. */
  force?: boolean;
  /** Default: meridian. */
  fieldManager?: string;
  dryRun?: boolean;
}

export interface DeleteOptions extends CallOptions {
  /** Preconditions: `uid` and `resourceVersion` must match. */
  uid?: string;
  resourceVersion?: string;
  propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

export type PatchType =
  | "application/json-patch+json"
  | "application/merge-patch+json"
  | "application/strategic-merge-patch+json";

export interface RawOptions extends CallOptions {
  body?: unknown;
  accept?: string;
  timeoutMs?: number;
  /** Called with the server's clock (epoch milliseconds, whole seconds) if the answer has a `Date` header. */
  onDate?: (serverTime: number) => void;
}

export interface StreamOptions extends CallOptions {
  /** The server may be silent for so long. */
  idleTimeoutMs?: number;
}

/**
 * Client of one cluster. Every call throws {@link ApiError} (the server refused), {@link TransportError} (it was not
 * reached, or the connection broke) or the signal's reason; a write also what its guard throws ({@link NotLeaderError}).
 */
export interface Client extends AsyncDisposable {
  readonly cluster: string;
  /** Host and port of the server, for messages. */
  readonly address?: string;
  get(type: ResourceType, namespace: string | undefined, name: string, options?: GetOptions): Promise<KubeObject>;
  list(type: ResourceType, options?: ListOptions): Promise<ObjectList>;
  /** Ends when the server ends the watch, and throws when the connection breaks. Disposing closes the stream. */
  watch(type: ResourceType, options?: WatchOptions): AsyncIterable<WatchEvent> & AsyncDisposable;
  create(type: ResourceType, object: KubeObject, options?: CallOptions): Promise<KubeObject>;
  /** Server-side apply of the main resource. */
  apply(type: ResourceType, object: KubeObject, options?: ApplyOptions): Promise<KubeObject>;
  /** Server-side apply of `/status`. */
  applyStatus(type: ResourceType, object: KubeObject, options?: ApplyOptions): Promise<KubeObject>;
  patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patchType: PatchType,
    body: unknown,
    options?: CallOptions & { subresource?: string },
  ): Promise<KubeObject>;
  delete(type: ResourceType, namespace: string | undefined, name: string, options?: DeleteOptions): Promise<void>;
  /** Any other request: `/readyz`, discovery, TokenRequest. Returns parsed JSON, or the text of another answer. */
  raw(method: "GET" | "POST" | "PUT", path: string, options?: RawOptions): Promise<unknown>;
  /**
   * The bytes of a long answer, such as a log, as they arrive. A reader who pauses makes the server wait. The stream has a
   * connection of its own, so that it delays no watch. It ends with the answer, and throws when the connection breaks.
   */
  stream(path: string, options?: StreamOptions): AsyncGenerator<Uint8Array, void, undefined>;
}
