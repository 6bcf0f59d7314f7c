import { type KubeObject, type MemberAddress, MOST_REPORTED, valueAt } from "../../apis/index.ts";
import { fieldsOf, listOf, numberOf, textOf } from "../values.ts";
import { balancerPoints } from "./services.ts";

/** Addresses of a member object, as the member's controllers and API server wrote them. */

export function serviceAddresses(object: KubeObject): MemberAddress[] {
  const { type } = fieldsOf(object["spec"]);
  if (type !== "NodePort" && type !== "LoadBalancer") return [];
  const ports = listOf(valueAt(object, ["spec", "ports"])).flatMap(({ nodePort }) => numberOf(nodePort) ?? []);
  const open = ports.filter((port) => port > 0 && port <= 65_535);
  return bounded([
    ...pointsOf(object, "LoadBalancer"),
    ...[...new Set(open)].map((port): MemberAddress => ({ type: "NodePort", port })),
  ]);
}

export function ingressAddresses(object: KubeObject): MemberAddress[] {
  return bounded(pointsOf(object, "Ingress"));
}

/** Sorted, since a controller may change the order each time. */
function pointsOf(object: KubeObject, type: "LoadBalancer" | "Ingress"): MemberAddress[] {
  const hosts = balancerPoints(object).flatMap(({ ip, hostname }) => textOf(ip) ?? textOf(hostname) ?? []);
  const readable = hosts.filter((host) => host.length <= 253);
  return [...new Set(readable)].toSorted().map((host) => ({ type, host }));
}

function bounded(addresses: readonly MemberAddress[]): MemberAddress[] {
  return addresses.slice(0, MOST_REPORTED);
}
