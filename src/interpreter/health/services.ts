import { type KubeObject, valueAt } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { listOf, textOf } from "../values.ts";
import { available, because, conditionOf, health, noReport, reportedHealth, serving, statusOf } from "./report.ts";

/** Health of Services, Ingresses and namespaces. */

/** A Service works as soon as it exists; only a load balancer has to be provided by the cluster. */
export function serviceHealth(object: KubeObject): Health {
  if (valueAt(object, ["spec", "type"]) !== "LoadBalancer") return available;
  const ingress = balancerPoints(object);
  if (ingress.length === 0)
    return health("Progressing", "LoadBalancerPending", "the cluster has not given it an address yet");
  return portTrouble(object) ?? available;
}

/**
 * Healthy as soon as it exists: many controllers never write an address. A placement can demand one by `spec.health`.
 */
export function ingressHealth(object: KubeObject): Health {
  return portTrouble(object) ?? available;
}

function portTrouble(object: KubeObject): Health | undefined {
  const refused = conditionOf(object, "LoadBalancerPortsError");
  if (refused?.status === "True") return serving(because("Degraded", refused));
  for (const { ports } of balancerPoints(object)) {
    const failed = listOf(ports).find(({ error }) => textOf(error) !== undefined);
    if (failed === undefined) continue;
    const code = textOf(failed["error"]) ?? "";
    return serving(
      reportedHealth("Degraded", code.slice(code.lastIndexOf("/") + 1), `port ${String(failed["port"])}: ${code}`),
    );
  }
  return undefined;
}

/** Addresses at which a Service or an Ingress can be reached from outside. */
export function balancerPoints(object: KubeObject): ReturnType<typeof listOf> {
  return listOf(valueAt(object, ["status", "loadBalancer", "ingress"]));
}

export function namespaceHealth(object: KubeObject): Health {
  const phase = statusOf(object)["phase"];
  if (phase === "Active") return available;
  if (phase === "Terminating") return health("Degraded", "NamespaceTerminating", "the namespace is being deleted");
  return noReport();
}
