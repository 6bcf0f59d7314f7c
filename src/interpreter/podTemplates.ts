import { isRecord, type KubeObject, parseApiVersion, valueAt } from "../apis/index.ts";

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/Pod": [],
  "/PodTemplate": ["template"],
  "batch/CronJob": ["spec", "jobTemplate", "spec", "template"],
};

/** Where every other workload of Kubernetes has its pods, and many a custom one. */
const USUAL_TEMPLATE = ["spec", "template"];

/** A pod, or the template of one, with the spec of the pods. */
interface PodTemplate {
  metadata?: unknown;
  spec: Readonly<Record<string, unknown>>;
}

/** What stands in an object in the place of its pods' template; of a Pod the Pod itself. Undefined when nothing does. */
export function podTemplateOf(object: KubeObject): PodTemplate | undefined {
  const path = TEMPLATES[`${parseApiVersion(object.apiVersion).group}/${object.kind}`] ?? USUAL_TEMPLATE;
  const template = valueAt(object, path);
  if (!isRecord(template) || !isRecord(template["spec"])) return undefined;
  return { metadata: template["metadata"], spec: template["spec"] };
}
