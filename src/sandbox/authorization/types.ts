import type { LabelSelector } from "../labelSelectors.ts";
import type { KubeObject } from "../types.ts";

/** The attributes of a request to authorize. */
export type Attributes =
  | {
      kind: "Resource";
      /** get, list, watch, create, update, patch, delete, deletecollection, bind, escalate, impersonate… */
      verb: string;
      group: string;
      version: string;
      /** The plural name. */
      resource: string;
      subresource?: string;
      /** Undefined for cluster-scoped resources and for all namespaces. */
      namespace?: string;
      name?: string;
    }
  | { kind: "NonResource"; verb: string; path: string };

export interface Decision {
  allowed: boolean;
  /** The reason as in SubjectAccessReview; "" if there is none. */
  reason: string;
}

/** Reads the roles of a cluster. All objects are rbac.authorization.k8s.io/v1. */
export interface RoleSource {
  clusterRole(name: string): KubeObject | undefined;
  role(namespace: string, name: string): KubeObject | undefined;
  clusterRoleBindings(): readonly KubeObject[];
  roleBindings(namespace: string): readonly KubeObject[];
}

export const RBAC_GROUP = "rbac.authorization.k8s.io";

export interface PolicyRule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** The rules of a role; the server writes null for an empty list. */
export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return (role["rules"] as readonly PolicyRule[] | null | undefined) ?? [];
}

export function subjectsOf(binding: KubeObject): readonly Subject[] {
  return (binding["subjects"] as readonly Subject[] | null | undefined) ?? [];
}

export function roleRefOf(binding: KubeObject): RoleRef {
  return binding["roleRef"] as RoleRef;
}

export function selectorsOf(role: KubeObject): readonly LabelSelector[] | undefined {
  const rule = role["aggregationRule"] as { clusterRoleSelectors?: readonly LabelSelector[] | null } | null | undefined;
  return rule === undefined || rule === null ? undefined : (rule.clusterRoleSelectors ?? []);
}
