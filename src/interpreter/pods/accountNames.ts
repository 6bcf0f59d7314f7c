import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { podTemplateOf, withPodSpec } from "./podTemplates.ts";
import { textOf } from "../values.ts";

/** API groups of the built-in workloads. A custom schema may know only one of the names. */
const GROUPS = new Set(["", "apps", "batch"]);

/** A reused object is not hashed again. */
const completed = new WeakMap<KubeObject, KubeObject>();

/**
 * Names the service account of pods in both fields of an API server.
 *
 * The server fills in the deprecated `serviceAccount` without an owner. If Meridian did not own it, it would stay when
 * `serviceAccountName` goes, and pods would keep the account for good.
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
