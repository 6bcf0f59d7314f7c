import { type IncludeObject, tableOf } from "../../tables/index.ts";
import type { KubeObject } from "../../types.ts";
import { type Endpoint } from "../catalog/index.ts";
import type { ListAnswer } from "./list.ts";
import { type Wanted } from "../request/index.ts";

/** The requested form of objects: full objects, metadata only, or rows of a Table. */
export interface Form extends Wanted {
  includeObject: IncludeObject;
}

/**
 * One object in the requested form. A Scale or a Status stays unchanged, because only the resource's own kind has table
 * columns.
 */
export function objectIn(form: Form, endpoint: Endpoint, object: KubeObject, now: number): unknown {
  if (object.kind !== endpoint.resource.kind) return object;
  switch (form.as) {
    case "Object":
      return object;
    case "PartialObjectMetadata":
      return partialOf(object, form.metaVersion);
    case "Table": {
      const { resourceVersion } = object.metadata;
      const { resource, version } = endpoint;
      const meta = resourceVersion === undefined ? {} : { resourceVersion };
      return tableOf(resource, version, [object], now, form.includeObject, meta);
    }
  }
}

export function listIn(form: Form, endpoint: Endpoint, { items, metadata }: ListAnswer, now: number): unknown {
  const { resource, version, apiVersion } = endpoint;
  switch (form.as) {
    case "Object":
      return {
        kind: resource.listKind,
        apiVersion,
        metadata,
        // Items of built-in lists do not repeat the kind and apiVersion of the list.
        items: resource.crd === undefined ? items.map(({ kind: _k, apiVersion: _v, ...rest }) => rest) : items,
      };
    case "PartialObjectMetadata":
      return {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${form.metaVersion}`,
        metadata,
        items: items.map((object) => partialOf(object, form.metaVersion)),
      };
    case "Table":
      return tableOf(resource, version, items, now, form.includeObject, metadata);
  }
}

export function partialOf({ metadata }: KubeObject, metaVersion: string): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
}
