import { type KubeObject, valueAt } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { available, health, statusOf } from "./report.ts";

/** A Service works as soon as it exists; only a load balancer has to be provided by the cluster. */
export function serviceHealth(object: KubeObject): Health {
  if (valueAt(object, ["spec", "type"]) !== "LoadBalancer") return available;
  const ingress = valueAt(object, ["status", "loadBalancer", "ingress"]);
  if (Array.isArray(ingress) && ingress.length > 0) return available;
  return health("Progressing", "LoadBalancerPending", "the cluster has not given it an address yet");
}

export function namespaceHealth(object: KubeObject): Health {
  const phase = statusOf(object)["phase"];
  if (phase === "Active") return available;
  if (phase === "Terminating") return health("Degraded", "NamespaceTerminating", "the namespace is being deleted");
  return health("Progressing", "NoReport", "the cluster has not reported on it yet");
}
