import { type Case, available, balancer, cases, condition, degraded, progressing } from "../testing/workloadHealth.ts";

const spec = { type: "LoadBalancer" };
const waiting = progressing("LoadBalancerPending", "the cluster has not given it an address yet");
const refused = (status: string): object =>
  condition("LoadBalancerPortsError", status, "MixedProtocolNotSupported", "no");

cases("v1 Service", [
  ...[{ type: "ClusterIP" }, {}, { clusterIP: "None" }, { type: "ExternalName" }].map((other): Case => [
    `no load balancer: ${JSON.stringify(other)}`,
    { spec: other },
    available,
  ]),
  ["a load balancer without an address", { spec, status: balancer() }, waiting],
  ["a load balancer with an address", { spec, status: balancer({ ip: "1.2.3.4" }) }, available],
  [
    "a load balancer whose second point cannot open a port",
    {
      spec,
      status: balancer(
        { ip: "1.2.3.4", ports: [{ port: 80, error: "" }] },
        { ports: [{ port: 81 }, { port: 443, error: "example.com/PortInUse" }] },
      ),
    },
    degraded("PortInUse", "port 443: example.com/PortInUse", "Now"),
  ],
  [
    "ports that cannot be mixed",
    { spec, status: { ...balancer({ ip: "1.2.3.4" }), conditions: [refused("True")] } },
    degraded("MixedProtocolNotSupported", "no", "Now"),
  ],
]);

cases("networking.k8s.io/v1 Ingress", [
  ["just applied; many controllers never write an address", {}, available],
  [
    "a port that the load balancer refuses",
    { status: balancer({ ip: "1.2.3.4", ports: [{ port: 443, error: "CertificateMissing" }] }) },
    degraded("CertificateMissing", "port 443: CertificateMissing", "Now"),
  ],
]);

cases("v1 Namespace", [
  ["nobody has seen it", {}, progressing("NoReport", "the cluster has not reported on it yet")],
  ["in use", { status: { phase: "Active" } }, available],
  [
    "being deleted",
    { status: { phase: "Terminating" } },
    degraded("NamespaceTerminating", "the namespace is being deleted"),
  ],
]);
