import { defined } from "../../../apis/index.ts";
import { trackWrite } from "../../fields/index.ts";
import { generateName } from "../../kinds/index.ts";
import { alreadyExists, badRequest, failure, invalid } from "../../statusError.ts";
import type { KubeObject } from "../../types.ts";
import { admissionOf, type Api, kindSubject, RulesScope, storedObject, subjectOf, type Target } from "../api.ts";
import { admitNew, checkGrants, checkNamespace } from "./builtinAdmission.ts";
import { withOwnersOnce } from "./ownerReferences.ts";
import { chargeQuotas } from "./quotas.ts";
import { equalJson } from "../../equalJson.ts";
import { timestamp } from "../../timestamp.ts";
import { decoded } from "./input.ts";

/** Number of attempts to find a free generated name. */
const NAME_ATTEMPTS = 8;

/**
 * Creates an object from a decoded submission. The result is in the version of the request. Throws a StatusError; a
 * failed creation stores nothing and releases its allocations.
 */
export async function createObject(api: Api, target: Target, submission: KubeObject): Promise<KubeObject> {
  const { deletionTimestamp: _d, deletionGracePeriodSeconds: _g, ...given } = submission.metadata;
  const placed = inNamespace(target, { ...submission, metadata: given });
  const object = withOwnersOnce(placed, target.context, "submitted");
  const { resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== "0") {
    throw failure(500, "", "resourceVersion should not be set on objects to be created");
  }
  return createTracked(api, target, await trackedNew(api, target, object));
}

/** Completes the creation of an object whose managedFields are set. */
export async function createTracked(api: Api, target: Target, tracked: KubeObject): Promise<KubeObject> {
  const { endpoint, context } = target;
  refuseWhileCrdGoes(target);
  checkNamespace(api, target, tracked.metadata.name ?? "");
  const admitted = withOwnersOnce(await mutated(api, target, admitNew(api, target, tracked)), context, "admitted");
  for (let attempt = 1; ; attempt++) {
    const scope = new RulesScope(api, context);
    let keep = false;
    try {
      const named = withSystemFields(api, admitted);
      const prepared = endpoint.rules.prepareForCreate?.(named, scope.environment) ?? named;
      const errors = endpoint.rules.validate(prepared);
      if (errors.length > 0) throw invalid(kindSubject(target, prepared.metadata.name ?? ""), errors);
      checkGrants(api, target, prepared, undefined);
      if (api.hasWebhooks()) await api.webhooks.validate(admissionOf(target, "CREATE", prepared, undefined));
      for (const warning of endpoint.rules.warnings?.(prepared, undefined) ?? []) context.warn(warning);
      const { name } = prepared.metadata;
      const kept = await api.conversion.convert(endpoint, prepared, endpoint.storedVersion);
      const charge = chargeQuotas(api, target, kept, undefined);
      if (storedObject(api, target, name) !== undefined) {
        if (isGenerated(admitted) && attempt < NAME_ATTEMPTS) continue;
        throw alreadyExists(subjectOf(target, name));
      }
      if (context.dryRun) return prepared;
      const stored = api.store.put(endpoint.storedAs, kept, undefined);
      keep = true;
      charge();
      scope.stored();
      return await api.conversion.convert(endpoint, stored, endpoint.apiVersion);
    } finally {
      if (!keep) scope.refused();
    }
  }
}

function isGenerated({ metadata: { name, generateName: prefix } }: KubeObject): boolean {
  return (name === undefined || name === "") && prefix !== undefined && prefix !== "";
}

/** Checks the object's namespace against the URL's. Throws a StatusError 400. */
export function inNamespace({ endpoint: { resource }, namespace }: Target, object: KubeObject): KubeObject {
  const said = object.metadata.namespace ?? "";
  if (!resource.namespaced) {
    if (said === "") return object;
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (said === namespace) return object;
  if (said !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { ...object, metadata: { ...object.metadata, ...defined({ namespace }) } };
}

/** Calls the mutating webhooks; their result gets defaults again. */
export async function mutated(api: Api, target: Target, object: KubeObject, old?: KubeObject): Promise<KubeObject> {
  if (!api.hasWebhooks()) return object;
  const question = admissionOf(target, old === undefined ? "CREATE" : "UPDATE", object, old);
  const answer = await api.webhooks.mutate(question);
  if (answer === undefined || answer === question.object || equalJson(answer, question.object)) return object;
  if (target.form !== undefined) return target.form.taken(answer, object);
  return decoded(target.endpoint, answer, { ...target.context, fieldValidation: "Ignore" });
}

/**
 * Calls the webhooks for the object of a subresource, a Binding or an Eviction, and returns the result. Throws a
 * StatusError.
 */
export async function admittedForm(api: Api, target: Target, form: KubeObject): Promise<KubeObject> {
  if (!api.hasWebhooks()) return form;
  const question = admissionOf(target, "CREATE", form, undefined);
  const left = (await api.webhooks.mutate(question)) ?? form;
  await api.webhooks.validate({ ...question, object: left });
  return left;
}

function trackedNew(api: Api, target: Target, submitted: KubeObject): Promise<KubeObject> {
  const { endpoint, subresource, context } = target;
  return api.conversion.during(endpoint, (convert) =>
    trackWrite({
      operation: "Update",
      live: undefined,
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

function withSystemFields(api: Api, object: KubeObject): KubeObject {
  const {
    deletionTimestamp: _d,
    deletionGracePeriodSeconds: _g,
    selfLink: _s,
    ...metadata
  } = object.metadata as KubeObject["metadata"] & { selfLink?: string };
  const name = isGenerated(object) ? generateName(metadata.generateName ?? "") : metadata.name;
  return {
    ...object,
    metadata: { ...metadata, name, uid: api.newUid(), creationTimestamp: timestamp(api.clock.now()) },
  };
}

function refuseWhileCrdGoes({ endpoint: { resource } }: Target): void {
  if (resource.crd?.metadata.deletionTimestamp === undefined) return;
  throw failure(405, "MethodNotAllowed", "create not allowed while custom resource definition is terminating", {
    group: resource.group,
    kind: resource.plural,
  });
}
