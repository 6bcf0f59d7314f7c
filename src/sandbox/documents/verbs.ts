import type { Subresource } from "../types.ts";
import type { ServedResource } from "./groups.ts";

const BUILTIN_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/** The same verbs, in the server's order for custom resources. */
const CUSTOM_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const SUBRESOURCE_VERBS = ["get", "patch", "update"];

export function verbsOf({ resource }: ServedResource): readonly string[] {
  return resource.verbs ?? (resource.crd === undefined ? BUILTIN_VERBS : CUSTOM_VERBS);
}

/** The subresources for discovery; for custom resources those that the CRD declares. */
export function subresourcesOf({ resource, version }: ServedResource): readonly Subresource[] {
  if (resource.crd === undefined && version.subresources !== undefined) return version.subresources;
  const declared: Subresource[] = [];
  if (version.hasStatus) declared.push({ name: "status", kind: resource.kind, verbs: SUBRESOURCE_VERBS });
  if (version.scale !== undefined) {
    declared.push({ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: SUBRESOURCE_VERBS });
  }
  return declared;
}
