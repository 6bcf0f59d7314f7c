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
  const account = (name: string): boolean => name === "default" || terms.allowsServiceAccount(name);
  const fields: [field: string, allows: (name: string) => boolean, grantedBy: string][] = [
    ["serviceAccountName", account, ALLOWED_SERVICE_ACCOUNTS_ANNOTATION],
    // The deprecated name of the same field.
    ["serviceAccount", account, ALLOWED_SERVICE_ACCOUNTS_ANNOTATION],
    ["nodeName", (name) => terms.allowsNodeName(name), ALLOWED_NODE_NAMES_ANNOTATION],
  ];
  return fields.flatMap(([field, allows, grantedBy]) => {
    const value = spec[field];
    if (!isName(value) || (typeof value === "string" && allows(value))) return [];
    return [{ field: `spec.${field}`, must: `must not be ${String(value)}`, value, grantedBy }];
  });
}

function portsIn(pod: Pod, terms: NamespaceTerms): Violation[] {
  return [...hostPorts(containersOf(pod))].filter(
    ({ hostPort }) => hostPort !== undefined && !terms.allowsHostPort(hostPort),
  );
}

/** An annotation of a hub namespace by which pods may name objects that exist only on members. */
export interface Allowance {
  namespace: string;
  annotation: string;
  values: readonly string[];
}

/** All allowances that the objects need beyond the terms, by namespace and annotation. */
export function allowancesFor(objects: readonly KubeObject[], terms: NamespaceTerms): Allowance[] {
  const needed = objects.flatMap((object) => {
    const own = terms.of?.(object) ?? terms;
    return ungrantedNames(object, own).flatMap(({ grantedBy, value }) =>
      grantedBy === undefined ? [] : [{ namespace: own.namespace, annotation: grantedBy, value: String(value) }],
    );
  });
  return [...Map.groupBy(needed, ({ namespace, annotation }) => `${namespace} ${annotation}`).values()].map(
    (group) => ({
      namespace: group[0]?.namespace ?? "",
      annotation: group[0]?.annotation ?? "",
      values: [...new Set(group.map(({ value }) => value))].toSorted(),
    }),
  );
}
