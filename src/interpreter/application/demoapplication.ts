import { defined, type KubeObject, type ObjectMeta, PAAS_GROUP, setMember } from "../../apis/index.ts";
import { staysOnHub } from "../kinds/index.ts";
import { podDependencies } from "../pods/index.ts";
import { ingressSpec } from "./ingress.ts";
import { containerPorts, servicePorts, serviceType } from "./ports.ts";
import type { HubKind } from "../types.ts";
import { type Fields, fieldsOf, listOf, numberOf, prune, textOf } from "../values.ts";

/** Fields that a container has under the same name. */
const CONTAINER_FIELDS = [
  "image",
  "command",
  "args",
  "env",
  "envFrom",
  "resources",
  "livenessProbe",
  "readinessProbe",
  "volumeMounts",
] as const;

/** For objects written before the CRD had a default. */
const DEFAULT_REPLICAS = 1;

/**
 * DemoApplication, read as `v1`, which contains all of `v1beta1`: a Deployment, a Service if there are ports, and an
 * Ingress if asked for. All have the application's name, and `app: <name>` as label and selector.
 */
export const demoApplicationKind: HubKind = {
  group: PAAS_GROUP,
  kind: "DemoApplication",

  render(object) {
    const spec = fieldsOf(object["spec"]);
    const ports = listOf(spec["ports"]);
    const rendered = [renderDeployment(object, spec, ports)];
    if (ports.length > 0) rendered.push(renderService(object, spec, ports));
    if (spec["ingress"] !== undefined) rendered.push(...renderIngress(object, fieldsOf(spec["ingress"]), ports));
    return rendered;
  },

  replicas: (object) => replicasOf(fieldsOf(object["spec"])),

  dependencies(object) {
    const spec = fieldsOf(object["spec"]);
    const { volumes, imagePullSecrets } = spec;
    const certificate = textOf(fieldsOf(spec["ingress"])["tlsSecretName"]);
    // No pod reads the certificate or a pull secret, so a new one restarts nothing.
    const unread = certificate === undefined ? imagePullSecrets : [...listOf(imagePullSecrets), { name: certificate }];
    return podDependencies({ containers: [spec], volumes, imagePullSecrets: unread }, object.metadata.namespace);
  },

  becomesMore: (object) => fieldsOf(object["spec"])["ingress"] !== undefined,

  podSelector: (object) => `app=${object.metadata.name}`,
};

function replicasOf(spec: Fields): number {
  return numberOf(spec["replica"]) ?? DEFAULT_REPLICAS;
}

function renderDeployment(object: KubeObject, spec: Fields, ports: Fields[]): KubeObject {
  const { name } = object.metadata;
  const container: Record<string, unknown> = { name };
  for (const field of CONTAINER_FIELDS) put(container, field, spec[field]);
  put(container, "ports", containerPorts(ports));

  const podSpec: Record<string, unknown> = { containers: [container] };
  put(podSpec, "volumes", spec["volumes"]);
  put(podSpec, "imagePullSecrets", spec["imagePullSecrets"]);

  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: renderMetadata(object),
    spec: {
      replicas: replicasOf(spec),
      selector: { matchLabels: { app: name } },
      // Labels of the application stay off the pods: a new label must not restart them.
      template: { metadata: { labels: { app: name } }, spec: podSpec },
    },
  };
}

function renderService(object: KubeObject, spec: Fields, ports: Fields[]): KubeObject {
  const type = serviceType(spec["serviceType"], ports);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: renderMetadata(object),
    spec: { type, selector: { app: object.metadata.name }, ports: servicePorts(ports, type) },
  };
}

/** Empty if no port can be led to, which the schema refuses. */
function renderIngress(object: KubeObject, ingress: Fields, ports: Fields[]): KubeObject[] {
  const spec = ingressSpec(object.metadata.name, ingress, ports);
  if (spec === undefined) return [];
  return [{ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: renderMetadata(object), spec }];
}

/** Sets the pruned value, if anything is left. */
function put(target: Record<string, unknown>, field: string, value: unknown): void {
  const rest = prune(value);
  if (rest !== undefined && !isEmptyObject(rest)) target[field] = rest;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function renderMetadata(object: KubeObject): ObjectMeta {
  const { name, namespace } = object.metadata;
  const annotations = travelling(object.metadata.annotations);
  return {
    name,
    ...defined({ namespace }),
    labels: { ...travelling(object.metadata.labels), app: name },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function travelling(entries: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(entries ?? {})) {
    if (!staysOnHub(key)) setMember(kept, key, value);
  }
  return kept;
}
