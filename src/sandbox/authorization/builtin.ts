import type { KubeObject } from "../types.ts";
import roles from "./roles.json" with { type: "json" };

/**
 * The ClusterRoles, Roles and their bindings that every cluster has from the start, without uid and times: all of those that a real API server has,
 * but for the identities of its own controllers. Shared by all clusters and frozen.
 */
export function builtinRoles(): readonly KubeObject[] {
  frozen ??= freeze(roles as unknown as KubeObject[]);
  return frozen;
}

let frozen: readonly KubeObject[] | undefined;

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}
