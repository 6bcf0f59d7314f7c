import { defined, type Message, type ObjectRef, pointOf, shortMessage } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { ApiError, apiVersionOf, NotLeaderError, type ResourceType, TransportError } from "../../runtime/index.ts";

/** Name under which the error metric counts failed writes to members. */
export const CONTROLLER = "worker";

/** Meaning of a failed call to a member for the member object. */
export type Outcome =
  /** The namespace does not exist. */
  | { kind: "NamespaceMissing" }
  /** The server asked for fewer requests. Wait `afterMs` at least. */
  | { kind: "Throttled"; afterMs: number }
  /** The server was not reached or the connection broke. The write may have happened. */
  | { kind: "Unreached"; reason: string; message: string }
  /** The connection holds but no answer came in time, for this kind or for all kinds. */
  | { kind: "Silent"; reason: string; message: string }
  /** The server refused the request. `final`: the same request gets the same answer until something changes. */
  | ({ kind: "Refused"; staleDiscovery: boolean } & Failure)
  /** This replica is no longer leader. Nothing was sent. */
  | { kind: "NotLeader" };

const DEFAULT_THROTTLE_MS = 1000;

/** Reason of the refusal to write an object in a version that the member, by its discovery, does not serve. */
export const VERSION_NOT_SERVED = "VersionNotServed";

/** Message for an object whose kind the member serves only in another version. */
export function notInVersion(
  { apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">,
  served: ResourceType,
): Message {
  const version = apiVersionOf(served);
  return {
    what: `the member serves no ${kind} of ${apiVersion}`,
    remedy: `name ${version} in the placement or the manifest`,
  };
}

/** Classifies an error of a call to a member; undefined for a bug. `confidential`: the message may quote the content. */
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
  const { fields: _fields, ...told } = outcome;
  const fields = (error.details?.causes ?? []).map((cause) => cause.field ?? "").filter((field) => field !== "");
  const where = fields.length === 0 ? {} : { why: fields.join(", ") };
  return { ...told, message: { what: `the member refused the object (${error.status} ${error.reason})`, ...where } };
}

const BEYOND_ETCD = "the cluster's etcd takes no object of that size (1.5 MiB unless told otherwise): make it smaller";

/**
 * Messages of admission refusals. Admission can refuse with any status code: a ValidatingAdmissionPolicy without a
 * reason uses 422, a webhook without a code uses 400, and the author of either may choose 401.
 */
const DENIED =
  /^(?:[a-zA-Z0-9.-]+ "[^"]*" is (?:forbidden|invalid): )?(?:admission webhook "[^"]*" denied the request|ValidatingAdmissionPolicy '[^']*' (?:with binding '[^']*' )?denied )/;

function classifyAnswer(error: ApiError, text: string): Outcome {
  if (DENIED.test(text)) return refused("AdmissionDenied", text, true);
  switch (error.status) {
    case 400:
      return isWrongValue(text) ? wrongValue(error, text) : refused("BadRequest", text, true);
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
      return { ...refused("KindNotServed", text, true), staleDiscovery: error.reason !== VERSION_NOT_SERVED };
    case 409:
      return conflict(error);
    case 422:
      return invalid(error, text);
    case 429:
      return { kind: "Throttled", afterMs: error.retryAfterMs ?? DEFAULT_THROTTLE_MS };
    default:
      // The server answers HTTP 500 for a field that its version does not know.
      if (/field not declared in schema/.test(text))
        return { ...refused("UnknownField", text, true), ...fieldsOf(error) };
      // The server also answers HTTP 500 for a value of the wrong type, for an object that etcd refuses, and for an
      // object too large for a message to etcd. A retry gets the same answer.
      if (/etcdserver: request is too large|trying to send message larger than max/.test(text))
        return refused("TooLarge", BEYOND_ETCD, true);
      if (isWrongValue(text)) return wrongValue(error, text);
      if (error.retryAfterMs !== undefined) return { kind: "Throttled", afterMs: error.retryAfterMs };
      return refused("ServerError", text, false);
  }
}

function invalid(error: ApiError, text: string): Outcome {
  const said = causesOf(error) ?? text;
  const fields = fieldsOf(error);
  if (!/immutable/i.test(text)) return { ...refused("Invalid", said, true), ...fields };
  const outcome = { ...refused("ImmutableField", said, true), ...fields };
  // The server quotes the whole value before the reason, such as a Job's complete pod template.
  const where = [...new Set(fields.fields)].toSorted();
  if (where.length === 0) return outcome;
  const remedy = "delete the member object, which is made anew, or rename the object on the hub";
  return { ...outcome, message: { what: "immutable:", where, remedy } };
}

function forbidden(text: string): Outcome {
  if (/exceeded quota|quota/i.test(text)) return refused("QuotaExceeded", text, true);
  if (/being terminated|is terminating/i.test(text)) return refused("NamespaceTerminating", text, false);
  return refused("Forbidden", text, true);
}

/** Reasons with which {@link MemberWriter} itself refuses. */
const OUR_REFUSALS: ReadonlySet<string> = new Set([
  "AlreadyExists",
  "NotAdoptable",
  "CustomObjectsExist",
  "WrongScope",
]);

function conflict(error: ApiError): Outcome {
  const managers = (error.details?.causes ?? []).filter((cause) => cause.reason === "FieldManagerConflict");
  if (managers.length > 0) {
    const [first] = managers;
    return refused("FieldConflict", `${first?.message ?? "conflict"}: ${first?.field ?? ""}`, true);
  }
  const isOurs = OUR_REFUSALS.has(error.reason);
  return refused(isOurs ? error.reason : "Conflict", error.apiMessage, isOurs);
}

/** Causes of the error, sorted. The server's order differs each time and would cause status writes. */
function causesOf(error: ApiError): string | undefined {
  const causes = (error.details?.causes ?? []).map(({ field = "", message = "" }) =>
    field === "" ? message : `${field}: ${message}`,
  );
  return (
    causes
      .filter((cause) => cause !== "")
      .toSorted()
      .join("; ") || undefined
  );
}

function wrongValue(error: ApiError, text: string): Outcome & { kind: "Refused" } {
  return { ...(duplicatesIn(text) ?? refused("Invalid", text, true)), ...fieldsOf(error) };
}

const DUPLICATES = /(?<![^\s:])\.?([^\s:]+): duplicate entries for key \[([^\]]*)\]/;

/** Refusal of duplicate entries in a list that is keyed on the member but not on the hub. */
function duplicatesIn(text: string): ReturnType<typeof refused> | undefined {
  const [, path, key] = DUPLICATES.exec(text.slice(0, LONGEST_READ)) ?? [];
  if (path === undefined || key === undefined) return undefined;
  const message = {
    what: `${path}: two entries for one key`,
    why: key,
    remedy: "keep one of them on the hub",
  };
  return { ...refused("DuplicateEntries", text, true), message };
}

/** True when the server could not convert the request into an object of its kind. */
function isWrongValue(text: string): boolean {
  return /failed to create typed patch object|failed to convert|unable to convert unstructured|cannot unmarshal|strict decoding error/.test(
    text,
  );
}

/** Refused fields, from the list of causes or else from the message. */
function fieldsOf(error: ApiError): { fields?: readonly string[] } {
  const listed = (error.details?.causes ?? []).flatMap(({ field = "" }) => (field === "" ? [] : [field]));
  if (listed.length > 0) return { fields: listed };
  const text = error.apiMessage.slice(0, LONGEST_READ);
  const fields = [
    ...Array.from(text.matchAll(/(?:^|\s)(\.[a-zA-Z][^\s:]*):/g), ([, path = ""]) => path),
    ...Array.from(text.matchAll(/Go struct field [A-Za-z]+\.([\w.]+) of type/g), ([, path = ""]) => path),
    ...Array.from(text.matchAll(/unknown field "([^"]+)"/g), ([, path = ""]) => path),
  ];
  return fields.length === 0 ? {} : { fields };
}

/** Characters of a server's message that are read and passed on. */
const LONGEST_READ = 1_000;

function refused(reason: string, text: string, final: boolean): Outcome & { kind: "Refused" } {
  const message = shortMessage(pointOf(text.slice(0, LONGEST_READ)), LONGEST_READ);
  return { kind: "Refused", reason, message, final, staleDiscovery: false };
}

/** True when the member has answered. A refusal is an answer too. */
export function isAnswer({ kind }: Outcome): boolean {
  return kind !== "NotLeader" && kind !== "Unreached" && kind !== "Silent";
}

/** Failure of the member object; undefined when the outcome says nothing of the object. */
export function failureOf(outcome: Outcome, ref: ObjectRef): Failure | undefined {
  switch (outcome.kind) {
    case "NotLeader":
    // The Lease may still be renewed in time. Otherwise the lane is closed.
    case "Throttled":
      return undefined;
    case "Unreached":
    case "Silent":
      return { reason: outcome.reason, message: outcome.message, final: false };
    case "NamespaceMissing":
      // The namespace existed or was created a moment ago, so somebody deletes it during our write.
      return { reason: "NamespaceMissing", message: "the namespace went away", final: false };
    case "Refused":
      // The server's message only names a URL path.
      if (outcome.staleDiscovery) return { ...kindNotServed(ref), final: outcome.final };
      return {
        reason: outcome.reason,
        message: outcome.message,
        final: outcome.final,
        ...defined({ fields: outcome.fields }),
      };
  }
}

/** Not final, since the definition may still arrive. */
export function kindNotServed({ apiVersion, kind }: ObjectRef): Failure {
  const message = `the member does not serve ${kind} of ${apiVersion} yet; it waits for the definition`;
  return { reason: "KindNotServed", message, final: false };
}
