import { conformance } from "../framework/conformance.ts";
import { service } from "../framework/objects.ts";
import { create, edit, remove } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });

conformance("defaults of Services", [
  { name: "a ClusterIP Service", steps: [create("services", named("s", service()))] },
  {
    name: "a Service with several ports",
    steps: [
      create(
        "services",
        named(
          "s",
          service({
            ports: [
              { name: "a", port: 80, targetPort: "http" },
              { name: "b", port: 53, protocol: "UDP" },
            ],
          }),
        ),
      ),
    ],
  },
  { name: "a headless Service", steps: [create("services", named("s", service({ clusterIP: "None" })))] },
  {
    name: "a headless Service without ports",
    steps: [create("services", named("s", { spec: { clusterIP: "None", selector: { a: "b" } } }))],
  },
  { name: "a NodePort Service", steps: [create("services", named("s", service({ type: "NodePort" })))] },
  { name: "a LoadBalancer Service", steps: [create("services", named("s", service({ type: "LoadBalancer" })))] },
  {
    name: "a LoadBalancer with a local policy gets a health check port",
    steps: [
      create("services", named("s", service({ type: "LoadBalancer", externalTrafficPolicy: "Local" })), {
        see: (answer) => typeof (answer as { spec: { healthCheckNodePort: unknown } }).spec.healthCheckNodePort,
      }),
    ],
  },
  {
    name: "an ExternalName Service",
    steps: [create("services", named("s", { spec: { type: "ExternalName", externalName: "example.com" } }))],
  },
  {
    name: "session affinity by client address",
    steps: [create("services", named("s", service({ sessionAffinity: "ClientIP" })))],
  },
  {
    name: "a Service without a selector",
    steps: [create("services", named("s", { spec: { ports: [{ port: 80 }] } }))],
  },
  {
    name: "a chosen address is kept",
    steps: [create("services", named("s", service({ clusterIP: "{addresses}.200.7" })))],
  },
  {
    name: "a chosen address that is taken is refused",
    steps: [
      create("services", named("s", service()), { keep: { ip: "spec.clusterIP" } }),
      create("services", named("t", service({ clusterIP: "{ip}" })), {
        gives: 422,
        saying: "provided IP is already allocated",
      }),
    ],
  },
  {
    name: "an address outside of the range is refused",
    steps: [
      create("services", named("s", service({ clusterIP: "192.168.0.1" })), {
        gives: 422,
        saying: "does not match the current range",
      }),
    ],
  },
  {
    name: "a chosen node port that is taken is refused",
    steps: [
      create("services", named("s", service({ type: "NodePort" })), { keep: { port: "spec.ports.0.nodePort" } }),
      create("services", named("t", service({ type: "NodePort", ports: [{ port: 80, nodePort: "{#port}" }] })), {
        gives: 422,
        saying: "provided port is already allocated",
        see: (answer) => (answer as { reason: string }).reason,
      }),
    ],
  },
  {
    name: "a node port outside of the range is refused",
    steps: [
      create("services", named("s", service({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })), {
        gives: 422,
        saying: "provided port is not in the valid range",
      }),
    ],
  },
  {
    name: "a deleted Service gives its node port back",
    steps: [
      create("services", named("s", service({ type: "NodePort" })), { keep: { port: "spec.ports.0.nodePort" } }),
      remove("services/s"),
      create("services", named("t", service({ type: "NodePort", ports: [{ port: 80, nodePort: "{#port}" }] }))),
    ],
  },
  {
    name: "an update keeps the address that it leaves out",
    steps: [
      create("services", named("s", service())),
      edit("services/s", { spec: { clusterIP: null, clusterIPs: null, ports: [{ port: 81 }] } }),
    ],
  },
  {
    name: "an update keeps the node port that it leaves out",
    steps: [
      create("services", named("s", service({ type: "NodePort" }))),
      edit("services/s", { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
    ],
  },
  {
    name: "a Service that becomes a NodePort gets one",
    steps: [
      create("services", named("s", service())),
      edit("services/s", { spec: { type: "NodePort" } }),
      edit("services/s", { spec: { type: "ClusterIP" } }),
    ],
  },
  {
    name: "a Service in two families wants a dual-stack cluster",
    steps: [create("services", named("s", service({ ipFamilyPolicy: "RequireDualStack" })), { gives: 422 })],
  },
  {
    name: "a dry run allocates nothing",
    steps: [
      create("services", named("s", service({ type: "NodePort", ports: [{ port: 80, nodePort: 32101 }] })), {
        dryRun: "All",
      }),
      create("services", named("s", service({ type: "NodePort", ports: [{ port: 80, nodePort: 32101 }] }))),
    ],
  },
]);
