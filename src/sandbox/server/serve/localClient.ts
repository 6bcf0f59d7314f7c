import type { DeleteOptions, Json, KubeObject, LocalClient, RequestContext, ResourceName } from "../../types.ts";
import { type Api, storedObject, type Target } from "../api.ts";
import {
  bindTo,
  createObject,
  decoded,
  decodedOver,
  deleteObject,
  finalizeNamespace,
  patchObject,
  replaceObject,
} from "../write/index.ts";
import { mergePatch } from "../../patch/index.ts";
import { selectionOf } from "../read/index.ts";

/** A client inside the process: without HTTP and authorization, but otherwise on the same path as a request. */
export function localClient(api: Api, manager: string): LocalClient {
  const context: RequestContext = {
    user: { name: `system:${manager}`, groups: ["system:masters", "system:authenticated"] },
    fieldManager: manager,
    dryRun: false,
    fieldValidation: "Ignore",
    warn: () => undefined,
    signal: new AbortController().signal,
  };
  const targetOf = (resource: ResourceName, namespace: string | undefined, name?: string, subresource?: string) => {
    const target: Target = { endpoint: api.catalog.stored(resource), context };
    if (namespace !== undefined && namespace !== "") target.namespace = namespace;
    if (name !== undefined) target.name = name;
    if (subresource !== undefined) target.subresource = subresource;
    return target;
  };
  return {
    as: (other) => localClient(api, other),
    get: (resource, namespace, name) => {
      const { storedAs } = api.catalog.stored(resource);
      return api.store.collection(storedAs).get(namespace, name);
    },
    list(resource, query = {}) {
      const endpoint = api.catalog.stored(resource);
      const { namespace, matches } = selectionOf(endpoint, query);
      const objects = api.store.collection(endpoint.storedAs).list(namespace);
      return matches === undefined ? objects : objects.filter(matches);
    },
    async create(resource, object, subresource) {
      const target = targetOf(resource, object.metadata.namespace, object.metadata.name, subresource);
      if (subresource === "binding") return (await bindTo(api, target, object)) as KubeObject;
      delete target.name;
      return createObject(api, target, decoded(target.endpoint, object, context));
    },
    async update(resource, object, subresource) {
      const target = targetOf(resource, object.metadata.namespace, object.metadata.name, subresource);
      if (subresource === "finalize") return finalizeNamespace(api, target, object);
      const live = storedObject(api, target, object.metadata.name);
      return (await replaceObject(api, target, decodedOver(target.endpoint, object, live, context))).object;
    },
    async patch(resource, namespace, name, patch: Json, subresource) {
      const target = targetOf(resource, namespace, name, subresource);
      return (await patchObject(api, target, (document) => mergePatch(document, patch))).object;
    },
    async delete(resource, namespace, name, { dryRun = false, ...options }: DeleteOptions = {}) {
      const target = targetOf(resource, namespace, name);
      await deleteObject(api, dryRun ? { ...target, context: { ...context, dryRun } } : target, options);
    },
    onEvent(resource, handler) {
      const collection = api.store.collection(storedAs(api, resource));
      for (const object of collection.list()) handler({ type: "ADDED", object }, undefined);
      return collection.onEvent(({ type, object, old }) => handler({ type, object }, old));
    },
    onResources: (handler) => api.catalog.onResources(handler),
  };
}

/** A listener may subscribe before the CRD of its resource exists, or after the CRD is gone. */
function storedAs(api: Api, resource: ResourceName): ResourceName {
  return api.catalog.has(resource) ? api.catalog.stored(resource).storedAs : resource;
}
