import type { ResourceName } from "../types.ts";
import { CLASS_SUFFIX, countedName, PLAINLY_COUNTED } from "./usage.ts";

const OF_SERVICES: ReadonlySet<string> = new Set(["services.nodeports", "services.loadbalancers"]);
const OF_CLAIMS: ReadonlySet<string> = new Set(["requests.storage", "persistentvolumeclaims"]);
const OF_PODS: ReadonlySet<string> = new Set(["pods", "cpu", "memory", "ephemeral-storage"]);

/** True if objects of the resource consume the quota's resource `name`. */
export function isConsumer(resource: ResourceName, name: string): boolean {
  if (name === countedName(resource)) return true;
  if (resource.group !== "") return false;
  const { plural } = resource;
  if (PLAINLY_COUNTED.has(plural) && name === plural) return true;
  switch (plural) {
    case "services":
      return OF_SERVICES.has(name);
    case "persistentvolumeclaims":
      return OF_CLAIMS.has(name) || (name.includes(CLASS_SUFFIX) && OF_CLAIMS.has(name.split(CLASS_SUFFIX)[1] ?? ""));
    case "pods":
      return (
        OF_PODS.has(name) || name.startsWith("limits.") || (name.startsWith("requests.") && name !== "requests.storage")
      );
    default:
      return false;
  }
}

/** The names of a quota that objects of the resource consume. */
export function trackedNames(resource: ResourceName, names: readonly string[]): string[] {
  return names.filter((name) => isConsumer(resource, name));
}
