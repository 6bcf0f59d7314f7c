import { type Classes, classOf, PAAS_GROUP, TRACEPARENT_ANNOTATION } from "../apis/index.ts";
import {
  parseTraceparent,
  recordError,
  type Span,
  startSpan,
  traceparentOf,
  type Tracer,
} from "../observability/index.ts";
import type { JsonPatchOperation } from "./admission/defaults.ts";
import type { AdmissionReview } from "./admission/review.ts";
import type { AdmissionRequest } from "./admission/types.ts";

/** Answers one call within a span `Admission`, whose parent is the span that the API server names. */
export async function traced(
  { tracer, webhook, traceparent }: { tracer: Tracer | undefined; webhook: string; traceparent: string | undefined },
  { kind, operation, namespace, name }: AdmissionRequest,
  answer: (span: Span | undefined) => AdmissionReview | Promise<AdmissionReview>,
): Promise<AdmissionReview> {
  if (tracer === undefined) return await answer(undefined);
  const attributes = {
    "admission.webhook": webhook,
    "admission.operation": operation,
    "k8s.resource.kind": kind.kind,
    "k8s.resource.name": name ?? "",
    "k8s.namespace.name": namespace ?? "",
  };
  const span = startSpan(tracer, "Admission", { parent: parseTraceparent(traceparent), attributes });
  try {
    const review = await answer(span);
    span.setAttribute("admission.allowed", review.response.allowed);
    return review;
  } catch (error) {
    recordError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Notes the trace on an application whose spec the request changes, so that the reconcile continues it. Only for a
 * recorded trace of the API server, and not over an annotation that the request itself sets.
 */
export function traceNote(
  { operation, subResource, kind, object, oldObject }: AdmissionRequest,
  classes: Classes,
  span: Span | undefined,
  traceparent: string | undefined,
): JsonPatchOperation[] {
  const context = parseTraceparent(traceparent);
  if (context === undefined || (context.traceFlags & 1) === 0) return [];
  if ((operation !== "CREATE" && operation !== "UPDATE") || (subResource ?? "") !== "" || !object) return [];
  if (kind.group !== PAAS_GROUP || kind.kind !== "DemoApplication" || !classes.has(classOf(object.metadata))) return [];
  const { annotations } = object.metadata;
  if (annotations?.[TRACEPARENT_ANNOTATION] !== oldObject?.metadata.annotations?.[TRACEPARENT_ANNOTATION]) return [];
  if (JSON.stringify(object["spec"]) === JSON.stringify(oldObject?.["spec"])) return [];
  // A span that is not recorded would break the trace, so the API server's span is the parent then.
  const value = traceparentOf(span?.isRecording() === true ? span.spanContext() : context);
  if (annotations === undefined)
    return [{ op: "add", path: "/metadata/annotations", value: { [TRACEPARENT_ANNOTATION]: value } }];
  const key = TRACEPARENT_ANNOTATION.replaceAll("/", "~1");
  return [{ op: "add", path: `/metadata/annotations/${key}`, value }];
}
