import { isMissing, text } from "../values.ts";
import { complete, inner, innerList, optionalInner, type Struct, type StructDefaults } from "./struct.ts";

const THREE_HOURS = 10_800;

const service: StructDefaults = (struct) => {
  const spec = inner(struct, "spec");
  complete(spec, { sessionAffinity: "None", type: "ClusterIP" });
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] === "ClientIP") clientIPAffinity(spec);
  for (const port of innerList(spec, "ports")) {
    complete(port, { protocol: "TCP" });
    const target = port["targetPort"];
    if (isMissing(target) || target === 0 || target === "") port["targetPort"] = port["port"];
  }
  const type = text(spec["type"]);
  if (isExternallyAccessible(spec)) complete(spec, { externalTrafficPolicy: "Cluster" });
  if (type !== "ExternalName") complete(spec, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") {
    complete(spec, { allocateLoadBalancerNodePorts: true });
    for (const ingress of innerList(inner(inner(struct, "status"), "loadBalancer"), "ingress")) {
      if (!isMissing(ingress["ip"])) complete(ingress, { ipMode: "VIP" });
    }
  }
};

function clientIPAffinity(spec: Struct): void {
  const seconds = optionalInner(inner(spec, "sessionAffinityConfig"), "clientIP")?.["timeoutSeconds"];
  if (isMissing(seconds)) spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: THREE_HOURS } };
}

/** True if clients outside the cluster reach the Service through nodes. */
export function isExternallyAccessible(spec: Readonly<Record<string, unknown>>): boolean {
  const type = text(spec["type"]);
  if (type === "LoadBalancer" || type === "NodePort") return true;
  return type === "ClusterIP" && Array.isArray(spec["externalIPs"]) && spec["externalIPs"].length > 0;
}

export const serviceDefaults: Readonly<Record<string, StructDefaults>> = {
  "io.k8s.api.core.v1.Service": service,
};
