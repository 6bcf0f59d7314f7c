import { isRecord, type KubeObject, parseApiVersion, valueAt } from "../apis/index.ts";
import { withValueAt } from "./values.ts";

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/Pod": [],
  "/PodTemplate": ["template"],
  "batch/CronJob": ["spec", "jobTemplate", "spec", "template"],
};

/** Kinds of Kubernetes that have pods, whatever an object of them says. */
const WORKLOADS: ReadonlySet<string> = new Set([
  ...Object.keys(TEMPLATES),
  ...["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"].map((kind) => `apps/${kind}`),
  "/ReplicationController",
  "batch/Job",
]);

/** Where every other workload of Kubernetes has its pods, and many a custom one. */
const USUAL_TEMPLATE = ["spec", "template"];

/** A pod, or the template of one, with the spec of the pods. */
interface PodTemplate {
  metadata?: unknown;
  spec: Readonly<Record<string, unknown>>;
}

/** What stands in an object in the place of its pods' template; of a Pod the Pod itself. Undefined when nothing does. */
export function podTemplateOf(object: KubeObject): PodTemplate | undefined {
  const template = valueAt(object, templatePathOf(object));
  if (!isRecord(template) || !isRecord(template["spec"])) return undefined;
  return { metadata: template["metadata"], spec: template["spec"] };
}

/**
 * Path from an object to its pods' template, of a Pod the empty one; undefined for kinds without pods. Of a kind that Kubernetes does not bring, the
 * object shows it: containers stand in the usual place.
 */
export function podTemplatePathOf(object: KubeObject): readonly string[] | undefined {
  const path = templatePathOf(object);
  if (WORKLOADS.has(nameOf(object))) return path;
  return Array.isArray(podTemplateOf(object)?.spec["containers"]) ? path : undefined;
}

/** A copy whose pods have that spec, where {@link podTemplateOf} finds one. */
export function withPodSpec(object: KubeObject, spec: PodTemplate["spec"]): KubeObject {
  return withValueAt(object, [...templatePathOf(object), "spec"], spec) as KubeObject;
}

function templatePathOf(object: KubeObject): readonly string[] {
  return TEMPLATES[nameOf(object)] ?? USUAL_TEMPLATE;
}

function nameOf({ apiVersion, kind }: KubeObject): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}
