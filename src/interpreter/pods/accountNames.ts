import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { podTemplateOf, withPodSpec } from "./podTemplates.ts";
import { textOf } from "../values.ts";

/** Of the workloads of Kubernetes itself. A custom resource of their shape has its own schema, which may know one of the names only. */
const GROUPS = new Set(["", "apps", "batch"]);

/** The same result for the same object: it may be large, and what was hashed once is not hashed again. */
const completed = new WeakMap<KubeObject, KubeObject>();

/**
 * The object whose pods name their service account in both fields that an API server has for it, where they name one.
 *
 * The server fills in the deprecated `serviceAccount` by itself, as nobody's field. Were it not ours as well, it would stay when we take
 * `serviceAccountName` away again, and the server would read the account from what is left: pods would keep it for good.
 */
export function withAccountNames(object: KubeObject): KubeObject {
  const known = completed.get(object);
  if (known !== undefined) return known;
  const spec = GROUPS.has(parseApiVersion(object.apiVersion).group) ? podTemplateOf(object)?.spec : undefined;
  if (spec === undefined) return object;
  const { serviceAccountName, serviceAccount } = spec;
  // An API server takes the newer one where both are given.
  const name = textOf(serviceAccountName) ?? (isGiven(serviceAccountName) ? undefined : textOf(serviceAccount));
  if (name === undefined || (name === serviceAccountName && name === serviceAccount)) return object;
  const complete = withPodSpec(object, { ...spec, serviceAccountName: name, serviceAccount: name });
  completed.set(object, complete);
  return complete;
}

function isGiven(name: unknown): boolean {
  return name !== undefined && name !== null && name !== "";
}
