import { deepFreeze } from "../freeze.ts";
import type { KubeObject } from "../types.ts";
import roles from "./roles.json" with { type: "json" };

/**
 * The initial ClusterRoles, Roles and bindings of every cluster, without UIDs and times: a real API server's, except
 * those for its own controllers' identities. Frozen, and shared by all clusters.
 */
export function builtinRoles(): readonly KubeObject[] {
  frozen ??= deepFreeze(roles as unknown as KubeObject[]);
  return frozen;
}

let frozen: readonly KubeObject[] | undefined;
