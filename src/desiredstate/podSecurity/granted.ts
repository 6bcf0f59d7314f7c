import type { KubeObject } from "../../apis/index.ts";
import { isSet, podOf } from "./pods.ts";
import type { NamespaceTerms } from "./terms.ts";
import type { Violation } from "./violation.ts";

/**
 * What pods name that exists on a member and not in the tenant's namespace on the hub: a service account with rights of its own there, a node.
 * No level of the Pod Security Standards says anything about these, so an administrator of the hub has to.
 */
export function ungrantedNames(object: KubeObject, terms: NamespaceTerms): Violation[] {
  const pod = podOf(object);
  if (pod === undefined) return [];
  const found: Violation[] = [];
  // The older name of the field means the same.
  for (const field of ["serviceAccountName", "serviceAccount"]) {
    const value = pod.spec[field];
    if (!isSet(value) || value === "" || value === "default") continue;
    if (typeof value !== "string" || !terms.allowsServiceAccount(value))
      found.push({ field: `spec.${field}`, must: `must not be ${String(value)}`, value });
  }
  const node = pod.spec["nodeName"];
  if (isSet(node) && node !== "" && (typeof node !== "string" || !terms.allowsNodeName(node)))
    found.push({ field: "spec.nodeName", must: `must not be ${String(node)}`, value: node });
  return found;
}

/** A port of the node below the level `privileged`, which allows all of them: allowed by its number. */
export function isGrantedHostPort({ hostPort }: Violation, terms: NamespaceTerms): boolean {
  return hostPort !== undefined && terms.allowsHostPort(hostPort);
}
