import { badRequest } from "../../statusError.ts";
import type { KubeObject } from "../../types.ts";
import { type Endpoint } from "../catalog/index.ts";
import { matchesFields, parseFieldSelector } from "./fieldSelector.ts";
import { matchesLabels, parseLabelSelector } from "./labelSelector.ts";

/** The objects of a resource that a list or watch covers. */
export interface Selection {
  namespace: string | undefined;
  /** Set if only an object of this name can match. */
  name: string | undefined;
  /** Undefined: all objects match. */
  matches: ((object: KubeObject) => boolean) | undefined;
}

export interface Selectors {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

const METADATA_FIELDS = ["metadata.name", "metadata.namespace"];

/**
 * Tests objects in the stored version; field selectors name fields of the endpoint's version. Throws a StatusError 400.
 */
export function selectionOf(endpoint: Endpoint, { namespace, labelSelector, fieldSelector }: Selectors): Selection {
  const labels = parseLabelSelector(labelSelector ?? "");
  const fields = parseFieldSelector(fieldSelector ?? "");
  const { resource, version, rules } = endpoint;
  const known = new Set([...METADATA_FIELDS, ...version.selectableFields.map((path) => path.replace(/^\./, ""))]);
  for (const { field } of fields) {
    if (!known.has(field)) throw unknownField(endpoint, field, labelSelector ?? "", fieldSelector ?? "");
  }
  const name = fields.find(({ field, equal }) => field === "metadata.name" && equal)?.value;
  const inside = fields.find(({ field, equal }) => field === "metadata.namespace" && equal)?.value;
  const test = (object: KubeObject) => {
    if (!matchesLabels(labels, object.metadata.labels)) return false;
    if (fields.length === 0) return true;
    let values: Readonly<Record<string, string>> | undefined;
    return matchesFields(fields, (field) => {
      if (field === "metadata.name") return object.metadata.name;
      if (field === "metadata.namespace") return object.metadata.namespace ?? "";
      values ??= rules.selectableFields?.(object, endpoint.apiVersion) ?? {};
      return values[field] ?? "";
    });
  };
  return {
    namespace: namespace ?? (resource.namespaced && inside !== "" ? inside : undefined),
    name,
    matches: labels.length === 0 && fields.length === 0 ? undefined : test,
  };
}

function unknownField(endpoint: Endpoint, field: string, labelSelector: string, fieldSelector: string) {
  const { resource, version, apiVersion } = endpoint;
  if (version.selectableFields.length === 0 && resource.crd === undefined) {
    return badRequest(
      `${JSON.stringify(field)} is not a known field selector: only ${METADATA_FIELDS.map((one) => JSON.stringify(one)).join(", ")}`,
    );
  }
  if (resource.crd !== undefined) return badRequest(`field label not supported: ${field}`);
  const of = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Resource=${resource.plural}`;
  return badRequest(
    `Unable to find ${JSON.stringify(of)} that match label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}: field label not supported: ${field}`,
  );
}
