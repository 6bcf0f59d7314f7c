import { StatusError } from "../../statusError.ts";
import type { KubeObject, UserInfo } from "../../types.ts";
import type { Attributes, RoleSource } from "../index.ts";
import type { PolicyRule } from "../types.ts";

export const RBAC = "rbac.authorization.k8s.io";

export function object(kind: string, name: string, fields: Record<string, unknown>, namespace?: string): KubeObject {
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion: `${RBAC}/v1`, kind, metadata, ...fields };
}

export const clusterRole = (name: string, ...rules: PolicyRule[]) => object("ClusterRole", name, { rules });
export const role = (namespace: string, name: string, ...rules: PolicyRule[]) =>
  object("Role", name, { rules }, namespace);
export const roleRef = (kind: string, name: string) => ({ apiGroup: RBAC, kind, name });
export const user = (name: string) => ({ kind: "User", apiGroup: RBAC, name });
export const clusterBinding = (name: string, to: string, ...subjects: unknown[]) =>
  object("ClusterRoleBinding", name, { roleRef: roleRef("ClusterRole", to), subjects });
export const binding = (namespace: string, name: string, kind: string, to: string, ...subjects: unknown[]) =>
  object("RoleBinding", name, { roleRef: roleRef(kind, to), subjects }, namespace);

export function source(...objects: KubeObject[]): RoleSource {
  const of = (kind: string) => objects.filter((candidate) => candidate.kind === kind);
  return {
    clusterRole: (name) => of("ClusterRole").find(({ metadata }) => metadata.name === name),
    role: (namespace, name) =>
      of("Role").find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    clusterRoleBindings: () => of("ClusterRoleBinding"),
    roleBindings: (namespace) => of("RoleBinding").filter(({ metadata }) => metadata.namespace === namespace),
  };
}

export const person = (name: string, ...groups: string[]): UserInfo => ({
  name,
  groups: [...groups, "system:authenticated"],
});
export const serviceAccount = (namespace: string, name: string) => person(`system:serviceaccount:${namespace}:${name}`);

export function ask(verb: string, resource: string, more: Partial<Attributes & { kind: "Resource" }> = {}): Attributes {
  const [plural = "", subresource] = resource.split("/");
  return {
    kind: "Resource",
    verb,
    group: "",
    version: "v1",
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...more,
  };
}

export const url = (path: string): Attributes => ({ kind: "NonResource", verb: "get", path });

/** The failure that an action throws; undefined when it throws none. */
export function refusalOf(act: () => void): StatusError["status"] | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  return undefined;
}
