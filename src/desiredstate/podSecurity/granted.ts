import {
  ALLOWED_NODE_NAMES_ANNOTATION,
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  type KubeObject,
} from "../../apis/index.ts";
import { hostPorts } from "./baseline.ts";
import { isSet } from "./fields.ts";
import { containersOf, type Pod, podsOf } from "./pods.ts";
import type { NamespaceTerms } from "./terms.ts";
import type { Violation } from "./violation.ts";

/** Names that a hub administrator must allow, whatever the level: a service account, a node, a host port. */
export function ungrantedNames(object: KubeObject, terms: NamespaceTerms): Violation[] {
  return podsOf(object).flatMap((pod) => {
    const { place } = pod;
    if (place?.isPod === false) return [];
    const found = [...namesIn(pod, terms), ...portsIn(pod, terms)];
    return place === undefined ? found : found.map((violation) => ({ ...violation, at: place.at }));
  });
}

function namesIn({ spec, place }: Pod, terms: NamespaceTerms): Violation[] {
  // An operator may use a field of the same name for something else.
  const isName = (value: unknown): boolean =>
    isSet(value) && value !== "" && (place === undefined || typeof value === "string");
  const found: Violation[] = [];
  // `serviceAccount` is the deprecated name of the same field.
  for (const field of ["serviceAccountName", "serviceAccount"]) {
    const value = spec[field];
    if (!isName(value) || value === "default") continue;
    if (typeof value !== "string" || !terms.allowsServiceAccount(value))
      found.push({
        field: `spec.${field}`,
        must: `must not be ${String(value)}`,
        value,
        grantedBy: ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
      });
  }
  const node = spec["nodeName"];
  if (isName(node) && (typeof node !== "string" || !terms.allowsNodeName(node)))
    found.push({
      field: "spec.nodeName",
      must: `must not be ${String(node)}`,
      value: node,
      grantedBy: ALLOWED_NODE_NAMES_ANNOTATION,
    });
  return found;
}

function portsIn(pod: Pod, terms: NamespaceTerms): Violation[] {
  return [...hostPorts(containersOf(pod))].filter(
    ({ hostPort }) => hostPort !== undefined && !terms.allowsHostPort(hostPort),
  );
}
