import { firstFitting, type ObjectRef, pointOf, shortMessage, shortPoint } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { ApiError, apiVersionOf, NotLeaderError, type ResourceType, TransportError } from "../../runtime/index.ts";

/** Under which errors of writes to members are counted, beside those of the controllers. */
export const CONTROLLER = "worker";

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
  | ({ kind: "Refused"; staleDiscovery: boolean } & Failure)
  /** This replica does not lead any more; nothing was sent. */
  | { kind: "NotLeader" };

const DEFAULT_THROTTLE_MS = 1000;

/** Reason of the refusal to write an object in a version that the member, by its discovery, does not serve. */
export const VERSION_NOT_SERVED = "VersionNotServed";

/** Why an object is not written on a member that serves its kind in another version. */
export function notInVersion(
  { apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">,
  served: ResourceType,
): string {
  const version = apiVersionOf(served);
  return firstFitting([
    `the member serves ${kind} in ${version} and not in ${apiVersion}: name ${version} in the placement, or write the manifest in it`,
    `the member serves no ${kind} of ${apiVersion}: name ${version} in the placement or the manifest`,
    `the member does not serve ${apiVersion}: name ${version} in the placement or the manifest`,
  ]);
}

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
  const { detail: _detail, fields: _fields, ...told } = outcome;
  const fields = (error.details?.causes ?? []).map((cause) => cause.field ?? "").filter((field) => field !== "");
  const where = fields.length === 0 ? "" : `: ${fields.join(", ")}`;
  return {
    ...told,
    message: shortMessage(`the member refused the object (${error.status} ${error.reason})${where}`),
  };
}

const BEYOND_ETCD = "the cluster's etcd takes no object of that size (1.5 MiB unless told otherwise): make it smaller";

/**
 * Admission says no under whatever code it likes: a ValidatingAdmissionPolicy that names no reason as if the object were invalid (422), a webhook
 * without a code as if the request were not understood (400), and either as if the credentials were bad (401), should its author want so.
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
      // The server's word for a field that the member's version does not know (HTTP 500).
      if (/field not declared in schema/.test(text))
        return { ...refused("UnknownField", text, true), ...fieldsOf(error) };
      // A value of another type than the field's is an internal error for the server (HTTP 500), and will be one each time.
      // So is an object that etcd does not take, or that is too long for a message to etcd.
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
  // The server quotes the whole value before the point, such as all of a Job's pod template.
  const names = [...new Set(fields.fields)].toSorted().join(", ");
  if (names === "") return outcome;
  const remedy = "cannot be changed: delete the member object, which is made anew, or rename the object on the hub";
  return { ...outcome, message: firstFitting([`${names} ${remedy}`, `a field ${remedy}`]) };
}

function forbidden(text: string): Outcome {
  if (/exceeded quota|quota/i.test(text)) return refused("QuotaExceeded", text, true);
  if (/being terminated|is terminating/i.test(text)) return refused("NamespaceTerminating", text, false);
  return refused("Forbidden", text, true);
}

/** What {@link MemberWriter} itself refuses. */
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

/** Sorted: the server lists them in another order each time, and the status would be written anew for that. */
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

/** Entries of one key, in a list that the member knows to have keys and the hub does not. */
function duplicatesIn(text: string): ReturnType<typeof refused> | undefined {
  const [, path, key] = DUPLICATES.exec(text.slice(0, LONGEST_READ)) ?? [];
  if (path === undefined || key === undefined) return undefined;
  const remedy = "two entries for one key; keep one of them on the hub";
  const field = path.slice(path.lastIndexOf(".") + 1);
  const message = firstFitting([`${path}: ${remedy} (${key})`, `${path}: ${remedy}`, `${field}: ${remedy}`]);
  return { ...refused("DuplicateEntries", text, true), message };
}

/** The server could make no object of its kind of what was sent, whatever it calls that. */
function isWrongValue(text: string): boolean {
  return /failed to create typed patch object|failed to convert|unable to convert unstructured|cannot unmarshal|strict decoding error/.test(
    text,
  );
}

/** The fields that the server refuses: as it lists them, or where its sentence names them. */
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

/** Of what a server says, so much is read and passed on. */
const LONGEST_READ = 1_000;

function refused(reason: string, text: string, final: boolean): Outcome & { kind: "Refused" } {
  const point = pointOf(text.slice(0, LONGEST_READ));
  const message = firstFitting([point, shortPoint(point)]);
  const detail = message === point ? {} : { detail: shortMessage(point, LONGEST_READ) };
  return { kind: "Refused", reason, message, final, staleDiscovery: false, ...detail };
}
