import {
  isRecord,
  type KubeObject,
  parseApiVersion,
  parseJson,
  sameValue,
  setMember,
  valueAt,
} from "../../../apis/index.ts";
import {
  type ApiError,
  type Client,
  isApiError,
  isForbidden,
  isNotFound,
  objectPath,
  type ResourceType,
} from "../../../runtime/index.ts";
import { CommandError, onOneLine, webhookRemedy, within } from "../../shared/index.ts";
import { type FileObject, inPlaceOf, inStoredVersion } from "./files.ts";
import type { HubStateReader } from "./hubReading.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const FIELD_MANAGER = "kubectl";

/**
 * The object that the hub would store, by a `dryRun`. Merges as `kubectl apply`, or as `--server-side` if that is
 * asked for or was done before. Throws {@link CommandError} with the hub's message if the hub refuses.
 */
export async function asApplied(
  reader: HubStateReader,
  file: FileObject,
  { serverSide }: { serverSide: boolean },
  signal: AbortSignal,
): Promise<KubeObject> {
  const { from, given } = file;
  const { namespace, name } = given.metadata;
  const type = await reader.typeOf(given);
  if (type === undefined || type.version !== parseApiVersion(given.apiVersion).version)
    throw new CommandError(`${from}: the hub serves no ${given.kind} of ${given.apiVersion}; check both`);
  const live = await reader.find(type, type.namespaced ? namespace : undefined, name).catch(notReadable);
  if (live === "Denied") return assumed(reader, type, file, undefined, "read");
  try {
    const isServerSide = serverSide || live === undefined || wasAppliedServerSide(live);
    return inStoredVersion(await dryRun(reader.client, type, given, isServerSide ? undefined : live, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!isApiError(error)) throw error;
    const isAdmission = /admission webhook|ValidatingAdmissionPolicy|denied the request/.test(error.message);
    if (isForbidden(error) && !isAdmission) return assumed(reader, type, file, live, "write");
    if (isNotFound(error) && error.details?.kind === "namespaces") {
      reader.notes.add(
        `There is no namespace ${namespace} on the hub yet: ${given.kind} ${name} is taken as it stands.`,
      );
      return file.object;
    }
    throw new CommandError(`${from}: the hub refuses ${given.kind} ${name}: ${wordsOf(error, given)}`);
  }
}

/** The server's message about a Secret is not passed on, because the message may quote the Secret. */
function wordsOf(error: ApiError, { kind }: KubeObject): string {
  if (kind !== "Secret") return onOneLine(error.message) + webhookRemedy(error.message);
  const fields = (error.details?.causes ?? []).flatMap(({ field }) => field ?? []);
  return [`${error.status} ${error.reason}`, ...fields].join(", ");
}

function wasAppliedServerSide({ metadata }: KubeObject): boolean {
  return (
    metadata.managedFields?.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === "Apply") ===
    true
  );
}

/** `live`: the present object to merge with; undefined: the server merges. */
async function dryRun(
  client: Client,
  type: ResourceType,
  given: KubeObject,
  live: KubeObject | undefined,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { status: _, metadata, ...rest } = given;
  const { managedFields: _fields, resourceVersion: _version, uid: _uid, ...named } = metadata;
  const wanted: KubeObject = { ...rest, metadata: named };
  if (live === undefined)
    return await client.apply(type, wanted, { dryRun: true, force: true, fieldManager: FIELD_MANAGER, signal });
  const path = `${objectPath(type, named.namespace, named.name)}?dryRun=All&fieldManager=kubectl-client-side-apply`;
  const lastApplied = live.metadata.annotations?.[LAST_APPLIED];
  const body = merged(lastApplied === undefined ? undefined : parsed(lastApplied), wanted, live);
  return (await client.raw("PUT", path, { body, signal })) as KubeObject;
}

/**
 * Merges as kubectl does: earlier fields that are missing in the file go, other live fields stay. A null removes a
 * field.
 */
export function merged(last: unknown, wanted: unknown, live: unknown): unknown {
  if (!isRecord(wanted) || !isRecord(live)) return wanted;
  const result: Record<string, unknown> = { ...live };
  for (const key of Object.keys(isRecord(last) ? last : {})) if (!Object.hasOwn(wanted, key)) delete result[key];
  for (const [key, value] of Object.entries(wanted)) {
    const [before, now] = [valueAt(last, [key]), valueAt(live, [key])];
    if (value === null) delete result[key];
    else if (!sameValue(value, now)) setMember(result, key, merged(before, value, now));
  }
  return result;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Somebody overwrote the annotation, so nothing is known about earlier applies.
    return undefined;
  }
}

/** For a person who may read but not write: the file as it stands, in place of the live object. */
function assumed(
  reader: HubStateReader,
  type: ResourceType,
  { object }: FileObject,
  live: KubeObject | undefined,
  verb: string,
): KubeObject {
  reader.notes.add(
    `You may not ${verb} ${type.plural}${within(object.metadata.namespace)} on the hub: ${object.kind} ${object.metadata.name} is taken as the file has it, and was not judged by the hub.`,
  );
  return inPlaceOf(live, object);
}

function notReadable(error: unknown): "Denied" {
  if (isForbidden(error)) return "Denied";
  throw error;
}
