import { conformance } from "../framework/conformance.ts";
import { service } from "../framework/objects.ts";
import { create, edit, remove } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });

conformance("defaults of Services", {
  "a ClusterIP Service": [create("services", named("s", service()))],
  "a Service with several ports": [
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
  "a headless Service": [create("services", named("s", service({ clusterIP: "None" })))],
  "a headless Service without ports": [
    create("services", named("s", { spec: { clusterIP: "None", selector: { a: "b" } } })),
  ],
  "a NodePort Service": [create("services", named("s", service({ type: "NodePort" })))],
  "a LoadBalancer Service": [create("services", named("s", service({ type: "LoadBalancer" })))],
  "a LoadBalancer with a local policy gets a health check port": [
    create("services", named("s", service({ type: "LoadBalancer", externalTrafficPolicy: "Local" })), {
      see: (answer) => typeof (answer as { spec: { healthCheckNodePort: unknown } }).spec.healthCheckNodePort,
    }),
  ],
  "an ExternalName Service": [
    create("services", named("s", { spec: { type: "ExternalName", externalName: "example.com" } })),
  ],
  "session affinity by client address": [create("services", named("s", service({ sessionAffinity: "ClientIP" })))],
  "a Service without a selector": [create("services", named("s", { spec: { ports: [{ port: 80 }] } }))],
  "a chosen address is kept": [create("services", named("s", service({ clusterIP: "{addresses}.200.7" })))],
  "a chosen address that is taken is refused": [
    create("services", named("s", service()), { keep: { ip: "spec.clusterIP" } }),
    create("services", named("t", service({ clusterIP: "{ip}" })), {
      gives: 422,
      saying: "provided IP is already allocated",
    }),
  ],
  "an address outside of the range is refused": [
    create("services", named("s", service({ clusterIP: "192.168.0.1" })), {
      gives: 422,
      saying: "does not match the current range",
    }),
  ],
  "a chosen node port that is taken is refused": [
    create("services", named("s", service({ type: "NodePort" })), { keep: { port: "spec.ports.0.nodePort" } }),
    create("services", named("t", service({ type: "NodePort", ports: [{ port: 80, nodePort: "{#port}" }] })), {
      gives: 422,
      saying: "provided port is already allocated",
      see: (answer) => (answer as { reason: string }).reason,
    }),
  ],
  "a node port outside of the range is refused": [
    create("services", named("s", service({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })), {
      gives: 422,
      saying: "provided port is not in the valid range",
    }),
  ],
  "a deleted Service gives its node port back": [
    create("services", named("s", service({ type: "NodePort" })), { keep: { port: "spec.ports.0.nodePort" } }),
    remove("services/s"),
    create("services", named("t", service({ type: "NodePort", ports: [{ port: 80, nodePort: "{#port}" }] }))),
  ],
  "an update keeps the address that it leaves out": [
    create("services", named("s", service())),
    edit("services/s", { spec: { clusterIP: null, clusterIPs: null, ports: [{ port: 81 }] } }),
  ],
  "an update keeps the node port that it leaves out": [
    create("services", named("s", service({ type: "NodePort" }))),
    edit("services/s", { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
  ],
  "a Service that becomes a NodePort gets one": [
    create("services", named("s", service())),
    edit("services/s", { spec: { type: "NodePort" } }),
    edit("services/s", { spec: { type: "ClusterIP" } }),
  ],
  "a Service in two families wants a dual-stack cluster": [
    create("services", named("s", service({ ipFamilyPolicy: "RequireDualStack" })), { gives: 422 }),
  ],
  "a dry run allocates nothing": [
    create("services", named("s", service({ type: "NodePort", ports: [{ port: 80, nodePort: 32101 }] })), {
      dryRun: "All",
    }),
    create("services", named("s", service({ type: "NodePort", ports: [{ port: 80, nodePort: 32101 }] }))),
  ],
});
