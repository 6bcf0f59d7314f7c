import type { BadRow } from "./badObject.ts";
import { applicationObject as app } from "./policyObjects.ts";

const port = (more: object) => app({ ports: [{ port: 80, ...more }] });
const ingress = (more: object) =>
  app({ ports: [{ name: "http", port: 80 }], ingress: { host: "shop.example.com", ...more } });

/** DemoApplications that must be refused. */
export const BAD_APPLICATIONS: readonly BadRow[] = [
  ["no image", app({ image: undefined }), "spec.image"],
  ["an empty image", app({ image: "" }), "spec.image"],
  ["an image with a space", app({ image: "nginx latest" }), "spec.image"],
  ["an image in capitals", app({ image: "Nginx:1.27" }), "spec.image"],
  ["an image with a tag and nothing before", app({ image: ":1.27" }), "spec.image"],
  ["a replica below 0", app({ replica: -1 }), "spec.replica"],
  ["a replica above 1000", app({ replica: 1001 }), "spec.replica"],
  ["a replica that is a text", app({ replica: "2" }), "spec.replica"],
  ["a replica that is a fraction", app({ replica: 1.5 }), "spec.replica"],
  ["a replica of v1beta1 above 1000", app({ replica: 1001 }, "subject", "v1beta1"), "spec.replica"],
  ["env in v1beta1, which has none", app({ env: [] }, "subject", "v1beta1"), "spec.env"],
  ["a field that there is not", app({ replicas: 3 }), "spec.replicas"],
  ["a field beside spec that there is not", { ...app({}), replica: 3 }, "replica"],
  ["port 0", app({ ports: [{ port: 0 }] }), "spec.ports[0].port"],
  ["port 65536", app({ ports: [{ port: 65536 }] }), "spec.ports[0].port"],
  ["a port without a number", app({ ports: [{ name: "http" }] }), "spec.ports[0].port"],
  ["a nodePort above 65535", port({ nodePort: 70000 }), "spec.ports[0].nodePort"],
  ["a protocol that there is not", port({ protocol: "HTTP" }), "spec.ports[0].protocol"],
  ["a targetPort above 65535", port({ targetPort: 70000 }), "spec.ports[0].targetPort"],
  ["a targetPort with a name in capitals", port({ targetPort: "HTTP" }), "spec.ports[0].targetPort"],
  ["a port name in capitals", port({ name: "Http" }), "spec.ports[0].name"],
  [
    "the same port twice",
    app({
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    }),
    "spec.ports[1]",
  ],
  [
    "the same port name twice",
    app({
      ports: [
        { name: "a", port: 80 },
        { name: "a", port: 81 },
      ],
    }),
    "spec.ports",
  ],
  [
    "the same nodePort twice",
    app({
      ports: [
        { name: "a", port: 80, nodePort: 30001 },
        { name: "b", port: 81, nodePort: 30001 },
      ],
    }),
    "spec.ports",
  ],
  [
    "a nodePort in a Service of type ClusterIP",
    app({ serviceType: "ClusterIP", ports: [{ port: 80, nodePort: 30001 }] }),
    "spec.serviceType",
  ],
  ["a serviceType that there is not", app({ serviceType: "ExternalName" }), "spec.serviceType"],
  ["a name that is no DNS label", app({}, "shop.web"), "metadata.name"],
  ["a name that begins with a digit", app({}, "1shop"), "metadata.name"],
  ["a name of 64 characters", app({}, "a".repeat(64)), "metadata.name"],
  ["a variable with a name that is none", app({ env: [{ name: "A=B", value: "" }] }), "spec.env[0].name"],
  [
    "a variable twice",
    app({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    }),
    "spec.env[1]",
  ],
  [
    "a variable with two sources",
    app({ env: [{ name: "A", value: "1", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }),
    "spec.env[0].valueFrom",
  ],
  ["a variable from nowhere", app({ env: [{ name: "A", valueFrom: {} }] }), "spec.env[0].valueFrom"],
  [
    "a variable from a Secret without a key",
    app({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s" } } }] }),
    "spec.env[0].valueFrom.secretKeyRef.key",
  ],
  ["envFrom from nowhere", app({ envFrom: [{ prefix: "A_" }] }), "spec.envFrom[0]"],
  [
    "envFrom from two places",
    app({ envFrom: [{ configMapRef: { name: "c" }, secretRef: { name: "s" } }] }),
    "spec.envFrom[0]",
  ],
  ["a volume from nowhere", app({ volumes: [{ name: "v" }] }), "spec.volumes[0]"],
  [
    "a volume from two places",
    app({ volumes: [{ name: "v", configMap: { name: "c" }, emptyDir: {} }] }),
    "spec.volumes[0]",
  ],
  [
    "a volume item that leaves its folder",
    app({ volumes: [{ name: "v", configMap: { name: "c", items: [{ key: "k", path: "a/../../b" }] } }] }),
    "spec.volumes[0].configMap.items[0].path",
  ],
  [
    "a mount of a volume that there is not",
    app({ volumes: [{ name: "v", emptyDir: {} }], volumeMounts: [{ name: "w", mountPath: "/w" }] }),
    "spec.volumeMounts",
  ],
  ["a mount without any volumes", app({ volumeMounts: [{ name: "w", mountPath: "/w" }] }), "spec.volumeMounts"],
  ["a quantity that is none", app({ resources: { requests: { cpu: "much" } } }), "spec.resources.requests.cpu"],
  ["a negative quantity", app({ resources: { requests: { cpu: "-1" } } }), "spec.resources.requests.cpu"],
  [
    "a request above its limit",
    app({ resources: { requests: { memory: "1Gi" }, limits: { memory: "512Mi" } } }),
    "spec.resources.requests",
  ],
  ["a probe that asks nothing", app({ readinessProbe: { periodSeconds: 5 } }), "spec.readinessProbe"],
  [
    "a probe that asks two things",
    app({ readinessProbe: { tcpSocket: { port: 80 }, exec: { command: ["true"] } } }),
    "spec.readinessProbe",
  ],
  [
    "a liveness probe that must succeed twice",
    app({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }),
    "spec.livenessProbe.successThreshold",
  ],
  [
    "a readiness probe that would end the pod",
    app({ readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 } }),
    "spec.readinessProbe.terminationGracePeriodSeconds",
  ],
  ["an imagePullSecret without a name", app({ imagePullSecrets: [{}] }), "spec.imagePullSecrets[0].name"],
  ["an ingress without ports", app({ ingress: { host: "shop.example.com" } }), "spec.ingress"],
  [
    "an ingress to UDP",
    app({ ports: [{ port: 53, protocol: "UDP" }], ingress: { host: "shop.example.com" } }),
    "spec.ingress",
  ],
  ["an ingress to a port that there is not", ingress({ port: 8080 }), "spec.ingress"],
  ["an ingress to a name that no port has", ingress({ port: "web" }), "spec.ingress"],
  ["an ingress to port 0", ingress({ port: 0 }), "spec.ingress.port"],
  ["an ingress without a host", ingress({ host: undefined }), "spec.ingress.host"],
  ["an ingress for a host in capitals", ingress({ host: "Shop" }), "spec.ingress.host"],
  ["an ingress for an address", ingress({ host: "10.0.0.1" }), "spec.ingress.host"],
  ["an ingress for a wildcard inside", ingress({ host: "a.*.com" }), "spec.ingress.host"],
  ["an ingress for a host with a port", ingress({ host: "a.com:80" }), "spec.ingress.host"],
  ["an ingress path that begins elsewhere", ingress({ path: "shop" }), "spec.ingress.path"],
  ["an ingress path that leads up", ingress({ path: "/a/../b" }), "spec.ingress.path"],
  ["an ingress path with an empty part", ingress({ path: "/a//b" }), "spec.ingress.path"],
  ["a pathType that there is not", ingress({ pathType: "Regex" }), "spec.ingress.pathType"],
  ["an ingress with a Secret that cannot be", ingress({ tlsSecretName: "Shop_TLS" }), "spec.ingress.tlsSecretName"],
  ["an ingress with an empty class", ingress({ className: "" }), "spec.ingress.className"],
  [
    "an ingress in v1beta1, which has none",
    app({ ports: [{ port: 80 }], ingress: { host: "a.example.com" } }, "subject", "v1beta1"),
    "spec.ingress",
  ],
];
