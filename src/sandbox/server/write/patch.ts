import { defined, parseJson } from "../../../apis/index.ts";
import { authorize, forbidden } from "../../authorization/index.ts";
import { applyConfiguration } from "../../fields/index.ts";
import { jsonPatch, mergePatch, strategicMergePatch } from "../../patch/index.ts";
import { badRequest, conflict, failure, notFound, StatusError, unexplained } from "../../statusError.ts";
import type { Json, KubeObject } from "../../types.ts";
import { type Api, storedObject, subjectOf, type Target } from "../api.ts";
import { createTracked, inNamespace } from "./create.ts";
import { type Body, decodedOver, ofKind, parseYaml } from "./input.ts";
import { changeObject, checkName, tracked, type Written } from "./update.ts";

export const APPLY = "application/apply-patch+yaml";
export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";

/** Applies a patch to a document without changing the document. */
export type PatchFunction = (document: Json) => Json;

/**
 * Reads a patch that is not an apply. Throws a StatusError: 400 for an unreadable patch, 415 for a type that the kind
 * does not support.
 */
export function patchOf(target: Target, { type, text }: Body): PatchFunction {
  const { resource, version } = target.endpoint;
  switch (type) {
    case JSON_PATCH: {
      const operations = parsePatch(text);
      return (document) => jsonPatch(document, operations);
    }
    case MERGE_PATCH: {
      const patch = parsePatch(text);
      return (document) => mergePatch(document, patch);
    }
    case STRATEGIC_MERGE_PATCH: {
      // Only built-in kinds have merge keys.
      if (resource.crd !== undefined) break;
      const patch = parsePatch(text);
      return (document) => strategicMergePatch(document, patch, version.schema, resource.definitions);
    }
    default:
  }
  const why =
    resource.crd === undefined
      ? "415: Unsupported Media Type"
      : `the body of the request was in an unknown format - accepted media types include: ${[JSON_PATCH, MERGE_PATCH, APPLY].join(", ")}`;
  throw failure(415, "UnsupportedMediaType", why, resource.crd === undefined ? {} : undefined);
}

/** Patches an existing object. Throws a StatusError. */
export function patchObject(api: Api, target: Target, patch: PatchFunction): Promise<Written> {
  return changeObject(api, target, async (live) => {
    const patched = patch(live as unknown as Json);
    if (typeof patched !== "object" || patched === null || Array.isArray(patched)) {
      throw badRequest("the patch leaves no object");
    }
    const submitted = inNamespace(target, decodedPatched(api, target, patched as Record<string, Json>, live));
    checkName(target, submitted);
    return tracked(api, target, live, submitted);
  });
}

/** Decodes the patched object, which must be of the kind. Throws a StatusError 422. */
function decodedPatched(
  api: Api,
  target: Target,
  patched: Readonly<Record<string, Json>>,
  live: KubeObject,
): KubeObject {
  const { endpoint, context } = target;
  try {
    return decodedOver(endpoint, ofKind(api.catalog, endpoint, patched), live, context);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw failure(422, "Invalid", `the patch leaves no valid object: ${error.message}`, {
      causes: [{ reason: "FieldValueInvalid", message: error.message, field: "patch" }],
    });
  }
}

/** Server-side apply: changes or creates an object. Throws a StatusError. */
export async function applyObject(api: Api, target: Target, text: string, force: boolean): Promise<Written> {
  const { endpoint, name = "", subresource } = target;
  const config = configurationOf(target, text);
  if (storedObject(api, target, name) !== undefined) {
    return changeObject(api, target, (live) => merged(api, target, config, force, live));
  }
  if (subresource !== undefined) throw notFound(subjectOf(target, name));
  checkMayCreate(api, target, name);
  if ((config.metadata.uid ?? "") !== "") {
    const why = `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`;
    throw conflict(subjectOf(target, name), why);
  }
  const { resourceVersion: _, ...metadata } = config.metadata;
  const object = await merged(api, target, { ...config, metadata }, force, undefined);
  return { object: await createTracked(api, target, inNamespace(target, object)), created: true };

  function configurationOf({ endpoint: { apiVersion, resource } }: Target, yaml: string): KubeObject {
    const value = parseYaml(yaml);
    const object = (typeof value === "object" && value !== null ? value : {}) as Partial<KubeObject>;
    if (object.apiVersion !== apiVersion || object.kind !== resource.kind) {
      throw badRequest(`invalid object type: ${typeText(object.apiVersion ?? "", object.kind ?? "")}`);
    }
    const metadata = object.metadata ?? { name: "" };
    if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
      throw badRequest("metadata.managedFields must be nil");
    }
    const configuration = { ...object, metadata } as KubeObject;
    checkName(target, configuration);
    // Checks the namespace without setting it: the configuration may omit it, and refusals show the configuration as
    // written.
    inNamespace(target, configuration);
    return configuration;
  }

  async function merged(
    server: Api,
    { context }: Target,
    configuration: KubeObject,
    forced: boolean,
    live: KubeObject | undefined,
  ): Promise<KubeObject> {
    const applied = await server.conversion.during(endpoint, (convert) =>
      applyConfiguration({
        live,
        config: configuration as unknown as Json,
        force: forced,
        manager: context.fieldManager,
        apiVersion: endpoint.apiVersion,
        ...defined({ subresource }),
        now: server.clock.now(),
        resource: endpoint.resource,
        convert,
      }),
    );
    if (!applied.changed && live !== undefined) return live;
    try {
      return decodedOver(endpoint, applied.object, live, { ...context, fieldValidation: "Ignore" });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 400 || endpoint.resource.crd !== undefined) throw error;
      const { apiVersion, resource } = endpoint;
      const kind = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${resource.kind}`;
      const why = error.message.replace(/^\S+ in version "\S+" cannot be handled as an? \S+: /, "");
      const object = `${configuration.metadata.namespace ?? ""}/${configuration.metadata.name}`;
      throw unexplained(
        `failed to convert new object (${object}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${why}`,
      );
    }
  }
}

/** An apply that creates an object needs the permission to create. Throws a StatusError 403. */
function checkMayCreate(api: Api, { endpoint, namespace, context }: Target, name: string): void {
  const { group, plural } = endpoint.resource;
  const attributes = {
    kind: "Resource" as const,
    verb: "create",
    group,
    version: endpoint.version.name,
    resource: plural,
    name,
    ...defined({ namespace }),
  };
  const { allowed, reason } = authorize(context.user, attributes, api.roles);
  if (!allowed) throw forbidden(context.user, attributes, reason);
}

function parsePatch(text: string): Json {
  try {
    return parseJson(text) as Json;
  } catch (cause) {
    throw badRequest(`error decoding patch: ${(cause as Error).message}`);
  }
}

/** A group, version and kind as Go prints them. */
function typeText(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  return `${group ?? ""}/${version ?? ""}, Kind=${kind}`;
}
