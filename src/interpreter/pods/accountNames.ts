import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { podTemplateOf, withPodSpec } from "./podTemplates.ts";
import { textOf } from "../values.ts";

/**
 * Groups of the built-in workloads. A custom resource of the same shape has its own schema, which may know only one of
 * the names.
 */
const GROUPS = new Set(["", "apps", "batch"]);

/** Cached results. An object may be large, and a reused object is not hashed again. */
const completed = new WeakMap<KubeObject, KubeObject>();

/**
 * Names the service account in both fields that an API server has for it, if the pods name one.
 *
 * The server fills in the deprecated `serviceAccount` by itself, without an owner. If Meridian did not own that field
 * too, it would stay when Meridian removes `serviceAccountName`, and the server would read the account from it: pods
 * would keep the account for good.
 */
export function withAccountNames(object: KubeObject): KubeObject {
  const known = completed.get(object);
  if (known !== undefined) return known;
  const spec = GROUPS.has(parseApiVersion(object.apiVersion).group) ? podTemplateOf(object)?.spec : undefined;
  if (spec === undefined) return object;
  const { serviceAccountName, serviceAccount } = spec;
  // An API server takes the newer field if both are given.
  const name = textOf(serviceAccountName) ?? (isGiven(serviceAccountName) ? undefined : textOf(serviceAccount));
  if (name === undefined || (name === serviceAccountName && name === serviceAccount)) return object;
  const complete = withPodSpec(object, { ...spec, serviceAccountName: name, serviceAccount: name });
  completed.set(object, complete);
  return complete;
}

function isGiven(name: unknown): boolean {
  return name !== undefined && name !== null && name !== "";
}
