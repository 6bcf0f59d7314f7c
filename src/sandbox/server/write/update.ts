import { defined } from "../../../apis/index.ts";
import { keepTimesOfNoChange, trackWrite } from "../../fields/index.ts";
import { badRequest, conflict, invalid, notFound, type StatusError } from "../../statusError.ts";
import { StaleWrite } from "../../store/index.ts";
import type { FieldError, KubeObject } from "../../types.ts";
import { admissionOf, type Api, kindSubject, RulesScope, storedObject, subjectOf, type Target } from "../api.ts";
import { checkGrants } from "./builtinAdmission.ts";
import { createObject, inNamespace, mutated } from "./create.ts";
import { withOwnersOnce } from "./ownerReferences.ts";
import { chargeQuotas } from "./quotas.ts";
import { sharing } from "../../equalJson.ts";

export interface Written {
  /** The object in the version of the request. */
  object: KubeObject;
  created: boolean;
}

/**
 * Computes the new object with its managedFields from the live one, in the version of the request. Called again after a
 * conflicting write.
 */
export type Change = (live: KubeObject) => Promise<KubeObject>;

const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

/** Replaces an object by a decoded submission (PUT). Throws a StatusError. */
export async function replaceObject(api: Api, target: Target, submission: KubeObject): Promise<Written> {
  checkName(target, submission);
  const submitted = withOwnersOnce(inNamespace(target, submission), target.context, "submitted");
  const { name = "", endpoint, subresource } = target;
  if (storedObject(api, target, name) === undefined) {
    if (!endpoint.rules.allowsCreateOnUpdate || subresource !== undefined) throw notFound(subjectOf(target, name));
    const { resourceVersion: _, ...metadata } = submitted.metadata;
    if ((metadata.uid ?? "") !== "") throw wrongUid(target, metadata.uid ?? "", "");
    return { object: await createObject(api, target, { ...submitted, metadata }), created: true };
  }
  const { uid } = submitted.metadata;
  return changeObject(api, target, (live) => {
    if (uid !== undefined && uid !== "" && uid !== live.metadata.uid) {
      throw wrongUid(target, uid, live.metadata.uid ?? "");
    }
    return tracked(api, target, live, submitted);
  });
}

/** The message names the storage key, because the server's storage produces it. */
function wrongUid(target: Target, wanted: string, found: string): StatusError {
  const { endpoint, namespace, name = "" } = target;
  const key = [endpoint.resource.plural, namespace, name].filter((part) => part !== undefined).join("/");
  return conflict(
    subjectOf(target, name),
    `StorageError: invalid object, Code: 4, Key: /registry/${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}

/** Changes an existing object; an unchanged result is not written. Throws a StatusError, 404 for a missing object. */
export async function changeObject(api: Api, target: Target, change: Change): Promise<Written> {
  const { endpoint, name = "" } = target;
  for (;;) {
    const stored = storedObject(api, target, name);
    if (stored === undefined) throw notFound(subjectOf(target, name));
    const live = await api.conversion.convert(endpoint, stored, endpoint.apiVersion);
    const changed = await change(live);
    if (changed === live) return { object: live, created: false };
    checkVersion(target, changed, live);
    const scope = new RulesScope(api, target.context);
    let keep = false;
    try {
      const next = await prepared(api, target, changed, live, scope);
      const inStore = await api.conversion.convert(endpoint, next, endpoint.storedVersion);
      const kept = sharing(keepTimesOfNoChange(stored, inStore), stored);
      if (isDone(target, kept)) {
        if (target.context.dryRun) return { object: next, created: false };
        const gone = api.store.remove(endpoint.storedAs, stored);
        keep = true;
        scope.stored();
        endpoint.rules.onDelete?.(gone, { services: api.services });
        return { object: next, created: false };
      }
      if (kept === stored) return { object: live, created: false };
      const charge = target.direct === true ? undefined : chargeQuotas(api, target, kept, stored);
      if (target.context.dryRun) return { object: next, created: false };
      const written = api.store.put(endpoint.storedAs, kept, stored);
      keep = true;
      charge?.();
      scope.stored();
      return { object: await api.conversion.convert(endpoint, written, endpoint.apiVersion), created: false };
    } catch (error) {
      // Another write happened while a webhook was running. The next round checks a resourceVersion that the client
      // named.
      if (!(error instanceof StaleWrite)) throw error;
    } finally {
      if (!keep) scope.refused();
    }
  }
}

/** Updates the managedFields of a submission. */
export function tracked(api: Api, target: Target, live: KubeObject, submitted: KubeObject): Promise<KubeObject> {
  const { endpoint, subresource, context } = target;
  return api.conversion.during(endpoint, (convert) =>
    trackWrite({
      operation: "Update",
      live,
      submitted,
      manager: context.fieldManager,
      apiVersion: endpoint.apiVersion,
      ...defined({ subresource }),
      now: api.clock.now(),
      resource: endpoint.resource,
      convert,
    }),
  );
}

/** The name in the body must equal the name in the URL. Throws a StatusError 400. */
export function checkName({ name = "" }: Target, object: KubeObject): void {
  const said = object.metadata.name ?? "";
  if (said === name) return;
  throw badRequest(
    said === ""
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${said}) does not match the name on the URL (${name})`,
  );
}

function checkVersion(target: Target, changed: KubeObject, live: KubeObject): void {
  const { resource, rules } = target.endpoint;
  const { resourceVersion = "" } = changed.metadata;
  if (resourceVersion !== "" && resourceVersion !== "0") {
    if (resourceVersion === live.metadata.resourceVersion) return;
    throw conflict(subjectOf(target, live.metadata.name), MODIFIED);
  }
  if (rules.allowsUnconditionalUpdate) return;
  const wrong: FieldError = {
    reason: "FieldValueInvalid",
    field: "metadata.resourceVersion",
    message: "Invalid value: 0: must be specified for an update",
  };
  // The server names the plural in this error; every other Invalid names the kind.
  throw invalid({ group: resource.group, kind: resource.plural, name: live.metadata.name }, [wrong]);
}

async function prepared(
  api: Api,
  target: Target,
  changed: KubeObject,
  live: KubeObject,
  scope: RulesScope,
): Promise<KubeObject> {
  const { rules } = target.endpoint;
  if (target.direct === true) return withSystemFieldsOf(changed, live);
  const isStatus = target.subresource === "status";
  const mutatedObject = withOwnersOnce(await mutated(api, target, changed, live), target.context, "admitted");
  const next = withSystemFieldsOf(mutatedObject, live);
  const ready = isStatus
    ? rules.prepareForStatusUpdate?.(next, live, scope.environment)
    : rules.prepareForUpdate?.(next, live, scope.environment);
  const result = withDeletionOf(ready ?? next, live);
  const errors =
    isStatus && rules.validateStatus !== undefined ? rules.validateStatus(result, live) : rules.validate(result, live);
  if (errors.length > 0) throw invalid(kindSubject(target, live.metadata.name), errors);
  if (!isStatus) checkGrants(api, target, result, live);
  if (api.hasWebhooks()) await api.webhooks.validate(admissionOf(target, "UPDATE", result, live));
  for (const warning of rules.warnings?.(result, live) ?? []) target.context.warn(warning);
  return result;
}

/**
 * Restores the metadata that no client can change. A missing UID or creation time becomes the old value; validation
 * refuses a wrong UID.
 */
function withSystemFieldsOf(object: KubeObject, live: KubeObject): KubeObject {
  const {
    uid = "",
    generation: _,
    selfLink: _link,
    ...metadata
  } = object.metadata as KubeObject["metadata"] & {
    selfLink?: string;
  };
  return {
    ...object,
    metadata: {
      ...metadata,
      uid: uid === "" ? live.metadata.uid : uid,
      resourceVersion: live.metadata.resourceVersion,
      creationTimestamp: live.metadata.creationTimestamp,
      ...defined({ generation: live.metadata.generation }),
    } as KubeObject["metadata"],
  };
}

/** Keeps the deletion fields of the live object if the submission omits them; validation refuses different values. */
function withDeletionOf(object: KubeObject, { metadata: live }: KubeObject): KubeObject {
  const {
    deletionTimestamp: time = live.deletionTimestamp,
    deletionGracePeriodSeconds: grace,
    ...metadata
  } = object.metadata;
  const seconds = grace ?? live.deletionGracePeriodSeconds;
  if (time === object.metadata.deletionTimestamp && seconds === grace) return object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...defined({ deletionTimestamp: time, deletionGracePeriodSeconds: seconds }),
    },
  };
}

/** True if the object is being deleted and nothing keeps it. */
export function isDone({ endpoint: { rules } }: Target, { metadata, ...rest }: KubeObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    rules.isHeld?.({ metadata, ...rest } as KubeObject) !== true
  );
}
