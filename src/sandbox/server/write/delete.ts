import { defined } from "../../../apis/index.ts";
import { conflict, failure, invalid, notFound } from "../../statusError.ts";
import { StaleWrite } from "../../store/index.ts";
import type { DeleteOptions, FieldError, KubeObject } from "../../types.ts";
import { admissionOf, type Api, RulesScope, storedObject, subjectOf, type Target } from "../api.ts";
import { checkDeletion } from "./builtinAdmission.ts";
import { equalJson } from "../../equalJson.ts";
import { crdMarkedForDeletion, isCrd } from "../catalog/index.ts";
import { timestamp } from "../../timestamp.ts";
import { isDone } from "./update.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

export interface Deleted {
  /** The deleted object in its last state, or the remaining object; in the stored version. */
  object: KubeObject;
  /** False while finalizers, a grace period or the content of a namespace keep the object. */
  gone: boolean;
}

/** Deletes an object, or marks it for deletion. Throws a StatusError. */
export async function deleteObject(api: Api, target: Target, options: DeleteOptions): Promise<Deleted> {
  const { endpoint, context, name = "" } = target;
  for (;;) {
    const stored = storedObject(api, target, name);
    if (stored === undefined) throw notFound(subjectOf(target, name));
    checkPreconditions(target, stored, options);
    checkDeletion(target, name);
    const old = await api.conversion.convert(endpoint, stored, endpoint.apiVersion);
    if (api.hasWebhooks()) await api.webhooks.validate(admissionOf(target, "DELETE", undefined, old));
    const scope = new RulesScope(api, context);
    let keep = false;
    try {
      const marked = markedForDeletion(api, target, stored, options, scope);
      if (isDone(target, marked)) {
        if (!context.dryRun) {
          const last = api.store.remove(endpoint.storedAs, stored);
          keep = true;
          scope.stored();
          endpoint.rules.onDelete?.(last, { services: api.services });
          const { resourceVersion } = last.metadata;
          if (resourceVersion !== undefined) {
            return { object: { ...marked, metadata: { ...marked.metadata, resourceVersion } }, gone: true };
          }
        }
        return { object: marked, gone: true };
      }
      if (context.dryRun || equalJson(marked, stored)) return { object: stored, gone: false };
      const kept = api.store.put(endpoint.storedAs, marked, stored);
      keep = true;
      scope.stored();
      return { object: kept, gone: false };
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
    } finally {
      if (!keep) scope.refused();
    }
  }
}

function markedForDeletion(
  api: Api,
  { endpoint }: Target,
  stored: KubeObject,
  options: DeleteOptions,
  scope: RulesScope,
): KubeObject {
  const { rules } = endpoint;
  const { metadata } = stored;
  const isFirst = metadata.deletionTimestamp === undefined;
  const grace = rules.gracePeriodSeconds?.(stored, options) ?? 0;
  const finalizers = finalizersFor(stored, options, rules.defaultPropagation);
  const shortened = !isFirst && grace < (metadata.deletionGracePeriodSeconds ?? 0);
  const held = rules.isHeld?.(stored) === true;
  const { finalizers: _, ...rest } = metadata;
  const marked: KubeObject = {
    ...stored,
    metadata: {
      ...rest,
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      ...(isFirst || shortened
        ? {
            deletionTimestamp: timestamp(api.clock.now() + grace * 1000),
            // A namespace waits until it is empty, not for a time.
            ...(held ? {} : { deletionGracePeriodSeconds: grace }),
          }
        : {}),
      ...(isFirst && (metadata.generation ?? 0) > 0 ? { generation: (metadata.generation ?? 0) + 1 } : {}),
    },
  };
  if (!isFirst) return marked;
  if (isCrd(endpoint.resource)) return crdMarkedForDeletion(marked, api.clock.now());
  return endpoint.rules.prepareForDelete?.(marked, scope.environment) ?? marked;
}

/** The finalizers that tell the garbage collector what to do with the dependents first. */
function finalizersFor(
  { metadata: { finalizers = [] } }: KubeObject,
  { propagationPolicy }: DeleteOptions,
  defaultPropagation: "Orphan" | undefined,
): readonly string[] {
  const before =
    propagationPolicy ??
    (finalizers.includes(ORPHAN) ? "Orphan" : finalizers.includes(FOREGROUND) ? "Foreground" : defaultPropagation);
  const wanted = before === "Orphan" ? ORPHAN : before === "Foreground" ? FOREGROUND : undefined;
  if (wanted !== undefined && finalizers.includes(wanted)) {
    const other = wanted === ORPHAN ? FOREGROUND : ORPHAN;
    return finalizers.includes(other) ? finalizers.filter((finalizer) => finalizer !== other) : finalizers;
  }
  const others = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  return wanted === undefined ? others : [...others, wanted];
}

function checkPreconditions(
  { endpoint }: Target,
  { metadata }: KubeObject,
  { preconditions = {} }: DeleteOptions,
): void {
  // In these messages the server names the kind, without its group.
  const subject = { group: "", kind: endpoint.resource.kind, name: metadata.name };
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(subject, why);
  }
}

/** Reads the options of a deletion from the body or the query. Throws a StatusError, 422 for invalid values. */
export function deleteOptionsOf(
  body: Readonly<Record<string, unknown>> | undefined,
  query: URLSearchParams,
): DeleteOptions {
  const source: Readonly<Record<string, unknown>> = body ?? Object.fromEntries(query);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions } = source as {
    propagationPolicy?: string | null;
    orphanDependents?: boolean | string | null;
    gracePeriodSeconds?: number | string | null;
    preconditions?: { uid?: string; resourceVersion?: string } | null;
  };
  const errors: FieldError[] = [];
  const policy = propagationPolicy === "" ? undefined : (propagationPolicy ?? undefined);
  if (policy !== undefined && orphanDependents !== undefined && orphanDependents !== null) {
    errors.push({
      reason: "FieldValueInvalid",
      field: "propagationPolicy",
      message: `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`,
    });
  } else if (policy !== undefined && !isPropagation(policy)) {
    errors.push({
      reason: "FieldValueNotSupported",
      field: "propagationPolicy",
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    });
  }
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", name: "" }, errors);
  const grace =
    gracePeriodSeconds === undefined || gracePeriodSeconds === null ? undefined : Number(gracePeriodSeconds);
  if (grace !== undefined && !Number.isInteger(grace)) {
    throw failure(400, "BadRequest", `gracePeriodSeconds: ${String(gracePeriodSeconds)} is no whole number`);
  }
  const orphan = orphanDependents === true || orphanDependents === "true";
  const keeps = orphanDependents === false || orphanDependents === "false";
  const propagation = isPropagation(policy) ? policy : orphan ? "Orphan" : keeps ? "Background" : undefined;
  return {
    ...defined({ propagationPolicy: propagation, gracePeriodSeconds: grace }),
    ...(preconditions === undefined || preconditions === null ? {} : { preconditions }),
  };
}

function isPropagation(policy: string | undefined): policy is NonNullable<DeleteOptions["propagationPolicy"]> {
  return policy === "Foreground" || policy === "Background" || policy === "Orphan";
}
