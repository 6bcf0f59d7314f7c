import { defined } from "../../../apis/index.ts";
import { badRequest, failure, notFound, type StatusError } from "../../statusError.ts";
import type { DeleteOptions, Json, KubeObject } from "../../types.ts";
import { type Api, storedObject, subjectOf, type Target } from "../api.ts";
import { type Authentication, listOptionsOf, revisionOf, type WriteOptions } from "../request/index.ts";
import {
  APPLY,
  applyObject,
  bindPod,
  type Body,
  checkName,
  createObject,
  createReview,
  createToken,
  decoded,
  deleteObject,
  deleteOptionsOf,
  evictPod,
  finalizeNamespace,
  isReview,
  ofKind,
  patchObject,
  patchOf,
  podLog,
  readBody,
  readScale,
  replaceObject,
  scalePatch,
  scaleReplacement,
  SUCCESS,
  writeScale,
} from "../write/index.ts";
import { checkReached, type ListAnswer, listObjects } from "../read/index.ts";

/** The result of a verb. */
export type VerbAnswer =
  | { kind: "Object"; code: number; object: unknown }
  | { kind: "List"; list: ListAnswer }
  | { kind: "Text"; text: string };

/** A request for objects, with all inputs of its verb. */
export interface VerbRequest {
  api: Api;
  authentication: Authentication;
  verb: string;
  target: Target;
  query: URLSearchParams;
  body: Body;
  write: WriteOptions;
}

/** Executes a request for objects, except a watch. Throws a StatusError. */
export async function runVerb(request: VerbRequest): Promise<VerbAnswer> {
  const { verb, target } = request;
  switch (target.subresource) {
    case undefined:
      return runMain(request);
    case "status":
      if (!target.endpoint.version.hasStatus) throw withoutSubresource(target);
      return runMain(request);
    case "scale":
      if (target.endpoint.version.scale === undefined) throw withoutSubresource(target);
      return runScale(request);
    default:
  }
  switch (`${target.endpoint.resource.group}/${target.endpoint.resource.plural}/${target.subresource} ${verb}`) {
    case "/pods/binding create":
      return created(await bindPod(request.api, target, request.body));
    case "/pods/eviction create":
      return created(await evictPod(request.api, target, request.body));
    case "/pods/log get":
      return { kind: "Text", text: podLog(request.api, target, request.query) };
    case "/serviceaccounts/token create":
      return created(createToken(request.api, target, request.body));
    case "/namespaces/finalize update":
      return finalize(request);
    default:
      throw isSubresource(target) ? unavailable(target) : notServed();
  }
}

/** The server's answer to an unknown subresource; for a custom resource it is NotFound of the object. */
function withoutSubresource(target: Target): StatusError {
  return target.endpoint.resource.crd === undefined ? notServed() : notFound(subjectOf(target, target.name ?? ""));
}

async function runMain(request: VerbRequest): Promise<VerbAnswer> {
  const { api, verb, target, query, body, write } = request;
  const { endpoint, name } = target;
  checkMethod(target, verb);
  switch (verb) {
    case "get":
      return get(api, target, query);
    case "list":
      return { kind: "List", list: await listObjects(api, target, listOptionsOf(query, false)) };
    case "create": {
      const submission = decodedBody(request);
      if (endpoint.resource.plural === "bindings" && endpoint.resource.group === "") {
        return created(await bindPod(api, { ...target, endpoint: pods(api), name: submission.metadata.name }, body));
      }
      if (isReview(target)) return created(createReview(api, target, submission, request.authentication));
      return created(await createObject(api, target, submission));
    }
    case "update": {
      const { object, created: isNew } = await replaceObject(api, target, decodedBody(request));
      return { kind: "Object", code: isNew ? 201 : 200, object };
    }
    case "patch": {
      const { object, created: isNew } =
        body.type === APPLY
          ? await applyObject(api, target, body.text, write.force)
          : await patchObject(api, target, patchOf(target, body));
      return { kind: "Object", code: isNew ? 201 : 200, object };
    }
    case "delete":
      return remove(request);
    case "deletecollection":
      return removeAll(request);
    default:
      throw methodNotAllowed();
  }

  function decodedBody({ api: { catalog }, target: { context } }: VerbRequest): KubeObject {
    const { apiVersion, resource } = endpoint;
    const value = readBody(body, { apiVersion, kind: resource.kind }, context);
    const object = ofKind(catalog, endpoint, value);
    if (verb === "update" && name !== undefined) checkName(target, object);
    const result = decoded(endpoint, object, context);
    // With an empty list a client gives up all ownership. The decoder drops empty lists, so this one is restored.
    if (object.metadata.managedFields?.length !== 0) return result;
    return { ...result, metadata: { ...result.metadata, managedFields: [] } };
  }
}

async function runScale({ api, verb, target, body, write }: VerbRequest): Promise<VerbAnswer> {
  switch (verb) {
    case "get":
      return { kind: "Object", code: 200, object: await readScale(api, target) };
    case "update":
      return { kind: "Object", code: 200, object: await writeScale(api, target, scaleReplacement(api, target, body)) };
    case "patch":
      return {
        kind: "Object",
        code: 200,
        object: await writeScale(api, target, scalePatch(api, target, body, write.force)),
      };
    default:
      throw methodNotAllowed();
  }
}

async function get(api: Api, target: Target, query: URLSearchParams): Promise<VerbAnswer> {
  const { endpoint, name = "" } = target;
  checkReached(
    api,
    revisionOf(query.get("resourceVersion") ?? "", (why) =>
      failure(400, "BadRequest", `invalid resource version: ${why}`),
    ),
  );
  const stored = storedObject(api, target, name);
  if (stored === undefined) throw notFound(subjectOf(target, name));
  return { kind: "Object", code: 200, object: await api.conversion.convert(endpoint, stored, endpoint.apiVersion) };
}

async function remove(request: VerbRequest): Promise<VerbAnswer> {
  const { api } = request;
  const { target, options } = deletionOf(request);
  const { endpoint, name = "" } = target;
  const before = storedObject(api, target, name);
  const { object: marked, gone } = await deleteObject(api, target, options);
  const { resource } = endpoint;
  const answersWithObject = resource.group === "" && ANSWERED_WITH.has(resource.plural);
  // The answer holds a deleted pod in its last state, other objects in their state before the deletion.
  const object = gone && resource.plural !== "pods" ? asBefore(before ?? marked, marked) : marked;
  if (!gone || answersWithObject) {
    return { kind: "Object", code: 200, object: await api.conversion.convert(endpoint, object, endpoint.apiVersion) };
  }
  const { group, plural } = resource;
  const details = { name, ...(group === "" ? {} : { group }), kind: plural, uid: object.metadata.uid };
  return { kind: "Object", code: 200, object: { ...SUCCESS, details } };
}

/** The object before the deletion, with the new resourceVersion. */
function asBefore(before: KubeObject, { metadata: { resourceVersion } }: KubeObject): KubeObject {
  return { ...before, metadata: { ...before.metadata, ...defined({ resourceVersion }) } };
}

/** Kinds of the core group whose deletion answers with the object; other kinds get a Status. */
const ANSWERED_WITH: ReadonlySet<string> = new Set(["pods", "services", "serviceaccounts", "persistentvolumeclaims"]);

async function removeAll(request: VerbRequest): Promise<VerbAnswer> {
  const { api, query } = request;
  const { target, options } = deletionOf(request);
  const list = await listObjects(api, target, listOptionsOf(query, false));
  const items: KubeObject[] = [];
  for (const listed of list.items) {
    const { metadata } = listed;
    const one: Target = { ...target, name: metadata.name };
    if (metadata.namespace !== undefined) one.namespace = metadata.namespace;
    try {
      const { object: marked, gone } = await deleteObject(api, one, options);
      const object = gone && target.endpoint.resource.plural !== "pods" ? listed : marked;
      items.push(await api.conversion.convert(target.endpoint, object, target.endpoint.apiVersion));
    } catch (error) {
      // Another request deleted the object first.
      if (storedObject(api, one, metadata.name) !== undefined) throw error;
    }
  }
  return { kind: "List", list: { items, metadata: list.metadata } };
}

async function finalize({ api, target, body }: VerbRequest): Promise<VerbAnswer> {
  const { apiVersion, resource } = target.endpoint;
  const value = readBody(body, { apiVersion, kind: resource.kind }, target.context);
  const object = await finalizeNamespace(api, target, ofKind(api.catalog, target.endpoint, value));
  return { kind: "Object", code: 200, object };
}

/** The target and options of a deletion. The options are in the body, or in the query if the body is empty. */
function deletionOf({ body, query, target }: VerbRequest): { target: Target; options: DeleteOptions } {
  if (body.bytes.length === 0) return { target, options: deleteOptionsOf(undefined, query) };
  const expected = { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" };
  const value = readBody(body, expected, { ...target.context, fieldValidation: "Ignore" });
  const kind = value["kind"] ?? "DeleteOptions";
  if (kind !== "DeleteOptions") {
    const version = JSON.stringify(value["apiVersion"] ?? "");
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { dryRun } = value as { dryRun?: Json };
  const isDry = target.context.dryRun || (Array.isArray(dryRun) && dryRun.includes("All"));
  return {
    target: { ...target, context: { ...target.context, dryRun: isDry } },
    options: deleteOptionsOf(value, query),
  };
}

function created(object: unknown): VerbAnswer {
  return { kind: "Object", code: 201, object };
}

function pods(api: Api) {
  return api.catalog.stored({ group: "", plural: "pods" });
}

/** Checks that the resource allows the verb and that the path names what the verb needs. */
export function checkMethod({ endpoint: { resource }, name, namespace, subresource }: Target, verb: string): void {
  const named = name !== undefined;
  const fits = verb === "create" || verb === "list" || verb === "watch" || verb === "deletecollection" ? !named : named;
  const placed = !resource.namespaced || namespace !== undefined || verb === "list" || verb === "watch";
  const supported =
    subresource === undefined
      ? (resource.verbs?.includes(verb) ?? true)
      : verb === "get" || verb === "update" || verb === "patch";
  if (!fits || !placed || !supported) throw methodNotAllowed();
}

function isSubresource({ endpoint: { version }, subresource }: Target): boolean {
  return version.subresources?.some(({ name }) => name === subresource) === true;
}

function methodNotAllowed() {
  return failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

export function notServed() {
  return failure(404, "NotFound", "the server could not find the requested resource", {});
}

function unavailable({ endpoint: { resource }, subresource }: Target) {
  return failure(
    501,
    "NotImplemented",
    `${resource.plural}/${subresource} needs containers that run, and the sandbox runs none`,
    {},
  );
}
