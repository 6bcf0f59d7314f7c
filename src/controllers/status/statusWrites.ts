import { defined, type FederatedStatus, type KubeObject } from "../../apis/index.ts";
import type { PlacedKind, StatusStore } from "../../hub/index.ts";
import { recordError, startSpan, type Tracer } from "../../observability/index.ts";
import { ApiError, isApiError, isTransportError, type ReconcileContext, TransportError } from "../../runtime/index.ts";
import { isHeldByRollout } from "../../status/index.ts";

/** What a status says of the object as a whole. */
export type StatusPhase = "Available" | "Progressing" | "Degraded";

export function phaseOf({ conditions = [] }: FederatedStatus): StatusPhase {
  const isTrue = (type: string): boolean => conditions.some((one) => one.type === type && one.status === "True");
  if (isTrue("Available")) return "Available";
  // Where it runs it is well; it waits for the rest of its rollout.
  return isTrue("Progressing") || isHeldByRollout("Available", conditions) ? "Progressing" : "Degraded";
}

/** Writes a status, under the span `UpdateStatus`. Rejects with what the store rejects with. */
export async function writeStatus(
  { store, tracer }: { store: Pick<StatusStore, "write">; tracer: Tracer },
  owner: string,
  found: { object: KubeObject; kind: PlacedKind },
  status: FederatedStatus,
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<void> {
  const phase = phaseOf(status);
  const attributes = { "reconcile.key": owner, "status.phase": phase };
  const span = startSpan(tracer, "UpdateStatus", { parent: context.span, attributes });
  try {
    await store.write(found, status, signal);
    // An apply to the status of an object that exists has no other answer that is no refusal.
    span.setAttribute("http.status_code", 200);
  } catch (error) {
    if (isApiError(error)) span.setAttribute("http.status_code", error.status);
    recordError(span, error);
    throw notWritten(error);
  } finally {
    span.end();
  }
  const { uid, generation } = found.object.metadata;
  const fields = { object: owner, resource_uid: uid, phase, generation, replicas: status.replicas };
  context.logger.info({ ...fields, ...whyNot(status, phase) }, `status written: ${phase}`);
}

/** What a person is told who waits for the object. */
function whyNot({ conditions = [] }: FederatedStatus, phase: StatusPhase): { reason?: string; message?: string } {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (phase === "Available" || ready === undefined || ready.status === "True") return {};
  return { reason: ready.reason, message: ready.message };
}

/** The same kind of error, which says what it was that failed: a reconcile does more than this. */
function notWritten(error: unknown): unknown {
  const message = `the status was not written: ${error instanceof Error ? error.message : String(error)}`;
  if (isTransportError(error)) return new TransportError(error.reason, message, error);
  if (!isApiError(error)) return error;
  const { status, reason, apiMessage, details, retryAfterMs, failedChecks } = error;
  const rest = { retryAfterMs, failedChecks, ...defined({ details }) };
  return new ApiError(status, reason, apiMessage, { ...rest, message, cause: error });
}
