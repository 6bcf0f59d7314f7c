import { available, balancer, cases, condition } from "./testing.ts";

cases("v1 Service", [
  { name: "inside of the cluster", spec: { type: "ClusterIP" }, want: available },
  { name: "without a word on its type", spec: {}, want: available },
  { name: "headless", spec: { clusterIP: "None" }, want: available },
  { name: "a name elsewhere", spec: { type: "ExternalName" }, want: available },
  {
    name: "a load balancer that is not there yet",
    spec: { type: "LoadBalancer" },
    status: { loadBalancer: {} },
    want: { state: "Progressing", reason: "LoadBalancerPending" },
  },
  {
    name: "a load balancer with a name",
    spec: { type: "LoadBalancer" },
    status: balancer({ hostname: "a.elb.example.com" }),
    want: available,
  },
  {
    name: "a load balancer that has no room for a port",
    spec: { type: "LoadBalancer" },
    status: balancer({ ip: "1.2.3.4", ports: [{ port: 80 }, { port: 443, error: "example.com/PortInUse" }] }),
    want: { state: "Degraded", reason: "PortInUse", message: "port 443: example.com/PortInUse", serves: "Now" },
  },
  {
    name: "ports that cannot be mixed",
    spec: { type: "LoadBalancer" },
    status: {
      ...balancer({ ip: "1.2.3.4" }),
      conditions: [condition("LoadBalancerPortsError", "True", "MixedProtocolNotSupported", "no")],
    },
    want: { state: "Degraded", reason: "MixedProtocolNotSupported", message: "no", serves: "Now" },
  },
]);

cases("networking.k8s.io/v1 Ingress", [
  { name: "just applied, and nobody ever writes an address", want: available },
  { name: "with an address", status: balancer({ ip: "1.2.3.4" }), want: available },
  {
    name: "with a port that the load balancer refuses",
    status: balancer({ ip: "1.2.3.4", ports: [{ port: 443, error: "CertificateMissing" }] }),
    want: { state: "Degraded", reason: "CertificateMissing", serves: "Now" },
  },
]);
