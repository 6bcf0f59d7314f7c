import { shortMessage } from "../apis/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../runtime/index.ts";

/** What a failed call to a member means for the object that it was about. */
export type Outcome =
  /** The namespace is not there. */
  | { kind: "NamespaceMissing" }
  /** The server asked for fewer requests; wait that long at least. */
  | { kind: "Throttled"; afterMs: number }
  /** The server was not reached, or broke off: whether the write happened is unknown. */
  | { kind: "Unreached"; reason: string; message: string }
  /** The connection holds, and no answer came in time: to requests for this kind, or to all of them. */
  | { kind: "Silent"; reason: string; message: string }
  /** The server said no. `final`: the same request will get the same answer until something changes. */
  | { kind: "Refused"; reason: string; message: string; final: boolean; staleDiscovery: boolean }
  /** This replica does not lead any more; nothing was sent. */
  | { kind: "NotLeader" };

const DEFAULT_THROTTLE_MS = 1000;

/**
 * Reads an error of a call to a member; undefined when it is none of the API's (a bug, then). Of a `confidential` object (a
 * Secret) the server's words are not passed on, since they may quote it.
 */
export function classify(error: unknown, confidential = false): Outcome | undefined {
  if (error instanceof NotLeaderError) return { kind: "NotLeader" };
  if (error instanceof TransportError)
    return {
      kind: error.reason === "Timeout" ? "Silent" : "Unreached",
      reason: "ClusterUnreachable",
      message: shortMessage(error.message),
    };
  if (!(error instanceof ApiError)) return undefined;
  const outcome = classifyAnswer(error, error.apiMessage);
  if (!confidential || outcome.kind !== "Refused") return outcome;
  const fields = (error.details?.causes ?? []).map((cause) => cause.field ?? "").filter((field) => field !== "");
  const where = fields.length === 0 ? "" : `: ${fields.join(", ")}`;
  return {
    ...outcome,
    message: shortMessage(`the member refused the object (${error.status} ${error.reason})${where}`),
  };
}

function classifyAnswer(error: ApiError, text: string): Outcome {
  switch (error.status) {
    case 400:
    case 413:
    case 415:
      return refused(error.status === 413 ? "TooLarge" : "BadRequest", text, true);
    case 401:
      return { kind: "Unreached", reason: "CredentialsRejected", message: "the member refused the credentials" };
    case 403:
      return forbidden(text);
    case 404:
      if (error.details?.kind === "namespaces" || /^namespaces? ".*" not found/.test(text))
        return { kind: "NamespaceMissing" };
      return { ...refused("KindNotServed", text, true), staleDiscovery: true };
    case 409:
      return conflict(error);
    case 422:
      return refused(/immutable/i.test(text) ? "ImmutableField" : "Invalid", causesOf(error) ?? text, true);
    case 429:
      return { kind: "Throttled", afterMs: error.retryAfterMs ?? DEFAULT_THROTTLE_MS };
    default:
      // The server's word for a field that the member's version does not know (HTTP 500).
      if (/field not declared in schema/.test(text)) return refused("UnknownField", text, true);
      if (error.retryAfterMs !== undefined) return { kind: "Throttled", afterMs: error.retryAfterMs };
      return refused("ServerError", text, false);
  }
}

function forbidden(text: string): Outcome {
  if (/exceeded quota|quota/i.test(text)) return refused("QuotaExceeded", text, true);
  if (/being terminated|is terminating/i.test(text)) return refused("NamespaceTerminating", text, false);
  return refused(
    /admission webhook|ValidatingAdmissionPolicy/i.test(text) ? "AdmissionDenied" : "Forbidden",
    text,
    true,
  );
}

function conflict(error: ApiError): Outcome {
  const managers = (error.details?.causes ?? []).filter((cause) => cause.reason === "FieldManagerConflict");
  if (managers.length > 0) {
    const [first] = managers;
    return refused("FieldConflict", `${first?.message ?? "conflict"}: ${first?.field ?? ""}`, true);
  }
  const isTaken = error.reason === "AlreadyExists" || error.reason === "NotAdoptable";
  return refused(isTaken ? error.reason : "Conflict", error.apiMessage, isTaken);
}

function causesOf(error: ApiError): string | undefined {
  const causes = error.details?.causes;
  if (causes === undefined || causes.length === 0) return undefined;
  return causes.map((cause) => `${cause.field ?? ""}: ${cause.message ?? ""}`).join("; ");
}

function refused(reason: string, message: string, final: boolean): Outcome & { kind: "Refused" } {
  return { kind: "Refused", reason, message: shortMessage(message), final, staleDiscovery: false };
}
