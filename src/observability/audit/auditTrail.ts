import { defined, type ObjectRef } from "../../apis/index.ts";
import type { SpanContext } from "../tracing/index.ts";

/** `unknown`: no answer came, so the write may have happened. */
export type WriteResult = "success" | "refused" | "unknown";

/** One request to a member. */
export interface MemberWrite {
  cluster: string;
  /** UID of the member's kube-system namespace. */
  clusterUid: string;
  verb: "create" | "apply" | "patch" | "delete";
  object: ObjectRef & { uid?: string | undefined };
  subresource?: string | undefined;
  fieldManager: string;
  result: WriteResult;
  /** HTTP status of a refusal. */
  code?: number | undefined;
  /** Of a refusal, or why no answer came. Without the server's message, which may quote contents. */
  reason?: string | undefined;
  /** `metadata.generation` of the answer. */
  generation?: number | undefined;
  ms: number;
  /** Absent: no plan asked for the request. */
  cause?: WriteCause | undefined;
}

/** Why a request is made. */
export interface WriteCause {
  /** What the worker does with the member object: Create, Update, Delete, Release… */
  action: string;
  /** The hub object that asked for the write, and its resourceVersion. */
  owner?: (ObjectRef & { uid: string; resourceVersion?: string | undefined }) | undefined;
  span: SpanContext;
  reconcileId?: string | undefined;
}

/** One line of the audit trail. The names are a contract with its readers. */
export interface AuditRecord {
  stream: "audit";
  audit_id: string;
  /** When the answer came. */
  occurred_at: string;
  /** Identity of the manager. */
  user: string;
  field_manager: string;
  cluster: string;
  "k8s.cluster.name": string;
  "k8s.cluster.uid": string;
  verb: MemberWrite["verb"];
  subresource?: string;
  resource_api_version: string;
  resource_kind: string;
  resource_namespace?: string;
  resource_name: string;
  resource_uid?: string;
  result: WriteResult;
  code?: number;
  reason?: string;
  generation?: number;
  duration_ms: number;
  action?: string;
  owner_api_version?: string;
  owner_kind?: string;
  owner_namespace?: string;
  owner_name?: string;
  owner_uid?: string;
  owner_resource_version?: string;
  trace_id?: string;
  span_id?: string;
  reconcile_id?: string;
}

export interface AuditTrailOptions {
  /** Identity of the manager. */
  user: string;
  randomId: () => string;
  /** Epoch milliseconds. */
  now: () => number;
  write: (record: AuditRecord) => void;
}

export class AuditTrail {
  readonly #options: AuditTrailOptions;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  wrote({ cluster, clusterUid, verb, object, fieldManager, result, ms, cause, ...rest }: MemberWrite): void {
    const { user, randomId, now, write } = this.#options;
    const { subresource, code, reason, generation } = rest;
    write({
      stream: "audit",
      audit_id: randomId(),
      occurred_at: new Date(now()).toISOString(),
      user,
      field_manager: fieldManager,
      cluster,
      "k8s.cluster.name": cluster,
      "k8s.cluster.uid": clusterUid,
      verb,
      ...defined({ subresource }),
      resource_api_version: object.apiVersion,
      resource_kind: object.kind,
      ...defined({ resource_namespace: object.namespace }),
      resource_name: object.name,
      ...defined({ resource_uid: object.uid }),
      result,
      ...defined({ code, reason, generation }),
      duration_ms: Math.round(ms),
      ...fieldsOf(cause),
    });
  }
}

function fieldsOf(cause: WriteCause | undefined): Partial<AuditRecord> {
  if (cause === undefined) return {};
  const { action, owner, span, reconcileId } = cause;
  return {
    action,
    ...defined({
      owner_api_version: owner?.apiVersion,
      owner_kind: owner?.kind,
      owner_namespace: owner?.namespace,
      owner_name: owner?.name,
      owner_uid: owner?.uid,
      owner_resource_version: owner?.resourceVersion,
    }),
    trace_id: span.traceId,
    span_id: span.spanId,
    ...defined({ reconcile_id: reconcileId }),
  };
}
