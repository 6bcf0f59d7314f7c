import { defined, type FederatedStatus, type KubeObject } from "../../apis/index.ts";
import type { PlacedKind, StatusStore } from "../../hub/index.ts";
import { recordError, startSpan, type Tracer } from "../../observability/index.ts";
import { ApiError, isApiError, isTransportError, type ReconcileContext, TransportError } from "../../runtime/index.ts";
import { isHeldByRollout } from "../../status/index.ts";

/** State of the object as a whole, by its status. */
export type StatusPhase = "Available" | "Progressing" | "Degraded";

export function phaseOf({ conditions = [] }: FederatedStatus): StatusPhase {
  const isTrue = (type: string): boolean => conditions.some((one) => one.type === type && one.status === "True");
  if (isTrue("Available")) return "Available";
  // The object is healthy on its present clusters and waits for the rest of its rollout.
  return isTrue("Progressing") || isHeldByRollout("Available", conditions) ? "Progressing" : "Degraded";
}

/** Writes a status under the span `UpdateStatus`. Rejects with the errors of the store. */
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
    // A successful apply to the status of an existing object always answers 200.
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

function whyNot({ conditions = [] }: FederatedStatus, phase: StatusPhase): { reason?: string; message?: string } {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (phase === "Available" || ready === undefined || ready.status === "True") return {};
  return { reason: ready.reason, message: ready.message };
}

/** The same error with a message that names the failed status write, since a reconcile has other steps, too. */
function notWritten(error: unknown): unknown {
  const message = `the status was not written: ${error instanceof Error ? error.message : String(error)}`;
  if (isTransportError(error)) return new TransportError(error.reason, message, error);
  if (!isApiError(error)) return error;
  const { status, reason, apiMessage, details, retryAfterMs, failedChecks } = error;
  const rest = { retryAfterMs, failedChecks, ...defined({ details }) };
  return new ApiError(status, reason, apiMessage, { ...rest, message, cause: error });
}
