import type { Resource } from "../../types.ts";
import { differenceWithBelow, type FieldSet, isEmpty, isMember, nodeOf, setOf } from "./fieldSet.ts";
import { SELF } from "../values/index.ts";

/** Removes from a set the fields that a write resets to their old values, because the writer cannot own them. */
export type ResetFields = (set: FieldSet) => FieldSet;

const nothing: ResetFields = (set) => set;

/**
 * The fields that a write to a subresource ("": the main resource) resets, as seen by a managedFields entry in
 * `entryVersion`.
 */
export function resetFieldsOf(
  resource: Resource,
  requestVersion: string,
  subresource: string,
  entryVersion: string,
): ResetFields {
  const version = versionOf(resource, requestVersion);
  if (resource.crd !== undefined) {
    if (version?.hasStatus !== true) return nothing;
    if (subresource === "status")
      return versionOf(resource, entryVersion)?.hasStatus === true ? without([["spec"]]) : nothing;
    // A server resets the status of a custom resource in the version of the request only.
    return subresource === "" && entryVersion === requestVersion ? without([["status"]]) : nothing;
  }
  const name = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
  const special = SPECIAL[`${name}/${subresource}`];
  if (special !== undefined) return special;
  if (version?.hasStatus !== true) return nothing;
  if (subresource === "") return STATUS;
  return subresource === "status" ? SPEC : nothing;
}

function versionOf(resource: Resource, apiVersion: string) {
  const name = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return resource.versions.find((version) => version.name === name);
}

function without(paths: readonly (readonly string[])[]): ResetFields {
  const excluded = setOf(...paths.map((path) => path.map((name) => `f:${name}`)));
  return (set) => differenceWithBelow(set, excluded);
}

/** Keeps only paths at or below these patterns; `*` matches any element. */
function only(...patterns: readonly (readonly string[])[]): ResetFields {
  return (set) => matching(set, patterns) ?? {};
}

function matching(set: FieldSet, patterns: readonly (readonly string[])[]): FieldSet | undefined {
  const out: FieldSet = {};
  for (const element in set) {
    if (element === SELF) continue;
    const rests = patterns
      .filter(([first]) => first === "*" || `f:${first}` === element)
      .map((pattern) => pattern.slice(1));
    if (rests.length === 0) continue;
    const child = set[element] as FieldSet;
    const node = rests.some((rest) => rest.length === 0) ? child : nodeOf(isMember(child), matching(child, rests));
    if (node !== undefined) out[element] = node;
  }
  return isEmpty(out) ? undefined : out;
}

const STATUS = without([["status"]]);
const SPEC = without([["spec"]]);
const METADATA_AND_SPEC = without([["metadata"], ["spec"]]);

/** Kinds that differ from the rule, taken from the server's strategies. */
const SPECIAL: Readonly<Record<string, ResetFields>> = {
  "pods/status": without([["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]]),
  "pods/ephemeralcontainers": only(["spec", "ephemeralContainers"]),
  "pods/resize": only(
    ["spec", "containers", "*", "resources"],
    ["spec", "containers", "*", "resizePolicy"],
    ["spec", "initContainers", "*", "resources"],
    ["spec", "initContainers", "*", "resizePolicy"],
  ),
  "deployments.apps/status": without([["spec"], ["metadata", "labels"]]),
  "namespaces/finalize": STATUS,
  "customresourcedefinitions.apiextensions.k8s.io/status": METADATA_AND_SPEC,
};
