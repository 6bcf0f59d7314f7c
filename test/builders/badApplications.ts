import type { BadObject } from "./badObject.ts";
import { applicationObject as app } from "./policyObjects.ts";

const port = (more: object) => app({ ports: [{ port: 80, ...more }] });
const ingress = (more: object) =>
  app({ ports: [{ name: "http", port: 80 }], ingress: { host: "shop.example.com", ...more } });

/** DemoApplications that must be refused. */
export const BAD_APPLICATIONS: readonly BadObject[] = [
  { name: "no image", object: app({ image: undefined }), field: "spec.image" },
  { name: "an empty image", object: app({ image: "" }), field: "spec.image" },
  { name: "an image with a space", object: app({ image: "nginx latest" }), field: "spec.image" },
  { name: "an image in capitals", object: app({ image: "Nginx:1.27" }), field: "spec.image" },
  { name: "an image with a tag and nothing before", object: app({ image: ":1.27" }), field: "spec.image" },
  { name: "a replica below 0", object: app({ replica: -1 }), field: "spec.replica" },
  { name: "a replica above 1000", object: app({ replica: 1001 }), field: "spec.replica" },
  { name: "a replica that is a text", object: app({ replica: "2" }), field: "spec.replica" },
  { name: "a replica that is a fraction", object: app({ replica: 1.5 }), field: "spec.replica" },
  {
    name: "a replica of v1beta1 above 1000",
    object: app({ replica: 1001 }, "subject", "v1beta1"),
    field: "spec.replica",
  },
  { name: "env in v1beta1, which has none", object: app({ env: [] }, "subject", "v1beta1"), field: "spec.env" },
  { name: "a field that there is not", object: app({ replicas: 3 }), field: "spec.replicas" },
  { name: "a field beside spec that there is not", object: { ...app({}), replica: 3 }, field: "replica" },
  { name: "port 0", object: app({ ports: [{ port: 0 }] }), field: "spec.ports[0].port" },
  { name: "port 65536", object: app({ ports: [{ port: 65536 }] }), field: "spec.ports[0].port" },
  { name: "a port without a number", object: app({ ports: [{ name: "http" }] }), field: "spec.ports[0].port" },
  { name: "a nodePort above 65535", object: port({ nodePort: 70000 }), field: "spec.ports[0].nodePort" },
  { name: "a protocol that there is not", object: port({ protocol: "HTTP" }), field: "spec.ports[0].protocol" },
  { name: "a targetPort above 65535", object: port({ targetPort: 70000 }), field: "spec.ports[0].targetPort" },
  {
    name: "a targetPort with a name in capitals",
    object: port({ targetPort: "HTTP" }),
    field: "spec.ports[0].targetPort",
  },
  { name: "a port name in capitals", object: port({ name: "Http" }), field: "spec.ports[0].name" },
  {
    name: "the same port twice",
    object: app({
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    }),
    field: "spec.ports[1]",
  },
  {
    name: "the same port name twice",
    object: app({
      ports: [
        { name: "a", port: 80 },
        { name: "a", port: 81 },
      ],
    }),
    field: "spec.ports",
  },
  {
    name: "the same nodePort twice",
    object: app({
      ports: [
        { name: "a", port: 80, nodePort: 30001 },
        { name: "b", port: 81, nodePort: 30001 },
      ],
    }),
    field: "spec.ports",
  },
  {
    name: "a nodePort in a Service of type ClusterIP",
    object: app({ serviceType: "ClusterIP", ports: [{ port: 80, nodePort: 30001 }] }),
    field: "spec.serviceType",
  },
  { name: "a serviceType that there is not", object: app({ serviceType: "ExternalName" }), field: "spec.serviceType" },
  { name: "a name that is no DNS label", object: app({}, "shop.web"), field: "metadata.name" },
  { name: "a name that begins with a digit", object: app({}, "1shop"), field: "metadata.name" },
  { name: "a name of 64 characters", object: app({}, "a".repeat(64)), field: "metadata.name" },
  {
    name: "a variable with a name that is none",
    object: app({ env: [{ name: "A=B", value: "" }] }),
    field: "spec.env[0].name",
  },
  {
    name: "a variable twice",
    object: app({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    }),
    field: "spec.env[1]",
  },
  {
    name: "a variable with two sources",
    object: app({ env: [{ name: "A", value: "1", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }),
    field: "spec.env[0].valueFrom",
  },
  {
    name: "a variable from nowhere",
    object: app({ env: [{ name: "A", valueFrom: {} }] }),
    field: "spec.env[0].valueFrom",
  },
  {
    name: "a variable from a Secret without a key",
    object: app({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s" } } }] }),
    field: "spec.env[0].valueFrom.secretKeyRef.key",
  },
  { name: "envFrom from nowhere", object: app({ envFrom: [{ prefix: "A_" }] }), field: "spec.envFrom[0]" },
  {
    name: "envFrom from two places",
    object: app({ envFrom: [{ configMapRef: { name: "c" }, secretRef: { name: "s" } }] }),
    field: "spec.envFrom[0]",
  },
  { name: "a volume from nowhere", object: app({ volumes: [{ name: "v" }] }), field: "spec.volumes[0]" },
  {
    name: "a volume from two places",
    object: app({ volumes: [{ name: "v", configMap: { name: "c" }, emptyDir: {} }] }),
    field: "spec.volumes[0]",
  },
  {
    name: "a volume item that leaves its folder",
    object: app({ volumes: [{ name: "v", configMap: { name: "c", items: [{ key: "k", path: "a/../../b" }] } }] }),
    field: "spec.volumes[0].configMap.items[0].path",
  },
  {
    name: "a mount of a volume that there is not",
    object: app({ volumes: [{ name: "v", emptyDir: {} }], volumeMounts: [{ name: "w", mountPath: "/w" }] }),
    field: "spec.volumeMounts",
  },
  {
    name: "a mount without any volumes",
    object: app({ volumeMounts: [{ name: "w", mountPath: "/w" }] }),
    field: "spec.volumeMounts",
  },
  {
    name: "a quantity that is none",
    object: app({ resources: { requests: { cpu: "much" } } }),
    field: "spec.resources.requests.cpu",
  },
  {
    name: "a negative quantity",
    object: app({ resources: { requests: { cpu: "-1" } } }),
    field: "spec.resources.requests.cpu",
  },
  {
    name: "a request above its limit",
    object: app({ resources: { requests: { memory: "1Gi" }, limits: { memory: "512Mi" } } }),
    field: "spec.resources.requests",
  },
  {
    name: "a probe that asks nothing",
    object: app({ readinessProbe: { periodSeconds: 5 } }),
    field: "spec.readinessProbe",
  },
  {
    name: "a probe that asks two things",
    object: app({ readinessProbe: { tcpSocket: { port: 80 }, exec: { command: ["true"] } } }),
    field: "spec.readinessProbe",
  },
  {
    name: "a liveness probe that must succeed twice",
    object: app({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }),
    field: "spec.livenessProbe.successThreshold",
  },
  {
    name: "a readiness probe that would end the pod",
    object: app({ readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 } }),
    field: "spec.readinessProbe.terminationGracePeriodSeconds",
  },
  {
    name: "an imagePullSecret without a name",
    object: app({ imagePullSecrets: [{}] }),
    field: "spec.imagePullSecrets[0].name",
  },
  {
    name: "an ingress without ports",
    object: app({ ingress: { host: "shop.example.com" } }),
    field: "spec.ingress",
  },
  {
    name: "an ingress to UDP",
    object: app({ ports: [{ port: 53, protocol: "UDP" }], ingress: { host: "shop.example.com" } }),
    field: "spec.ingress",
  },
  { name: "an ingress to a port that there is not", object: ingress({ port: 8080 }), field: "spec.ingress" },
  { name: "an ingress to a name that no port has", object: ingress({ port: "web" }), field: "spec.ingress" },
  { name: "an ingress to port 0", object: ingress({ port: 0 }), field: "spec.ingress.port" },
  { name: "an ingress without a host", object: ingress({ host: undefined }), field: "spec.ingress.host" },
  { name: "an ingress for a host in capitals", object: ingress({ host: "Shop" }), field: "spec.ingress.host" },
  { name: "an ingress for an address", object: ingress({ host: "10.0.0.1" }), field: "spec.ingress.host" },
  { name: "an ingress for a wildcard inside", object: ingress({ host: "a.*.com" }), field: "spec.ingress.host" },
  { name: "an ingress for a host with a port", object: ingress({ host: "a.com:80" }), field: "spec.ingress.host" },
  { name: "an ingress path that begins elsewhere", object: ingress({ path: "shop" }), field: "spec.ingress.path" },
  { name: "an ingress path that leads up", object: ingress({ path: "/a/../b" }), field: "spec.ingress.path" },
  { name: "an ingress path with an empty part", object: ingress({ path: "/a//b" }), field: "spec.ingress.path" },
  { name: "a pathType that there is not", object: ingress({ pathType: "Regex" }), field: "spec.ingress.pathType" },
  {
    name: "an ingress with a Secret that cannot be",
    object: ingress({ tlsSecretName: "Shop_TLS" }),
    field: "spec.ingress.tlsSecretName",
  },
  { name: "an ingress with an empty class", object: ingress({ className: "" }), field: "spec.ingress.className" },
  {
    name: "an ingress in v1beta1, which has none",
    object: app({ ports: [{ port: 80 }], ingress: { host: "a.example.com" } }, "subject", "v1beta1"),
    field: "spec.ingress",
  },
];
