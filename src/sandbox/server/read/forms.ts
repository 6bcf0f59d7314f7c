import { type IncludeObject, tableOf } from "../../tables/index.ts";
import type { KubeObject } from "../../types.ts";
import { type Endpoint } from "../catalog/index.ts";
import type { ListAnswer } from "./list.ts";
import { type Wanted } from "../request/index.ts";

/** How the caller wants objects: as they are, as metadata only, or as rows of a Table. */
export interface Form extends Wanted {
  includeObject: IncludeObject;
}

/** One object; only what the resource itself declares can be shown as a Table, so a Scale or a Status stays as it is. */
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
        // The items of a list of built-in kinds do not repeat what the list says.
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
