import { isRecord, type KubeObject, parseApiVersion, valueAt } from "../apis/index.ts";
import { withValueAt } from "./values.ts";

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
  const template = valueAt(object, templatePathOf(object));
  if (!isRecord(template) || !isRecord(template["spec"])) return undefined;
  return { metadata: template["metadata"], spec: template["spec"] };
}

/** A copy whose pods have that spec, where {@link podTemplateOf} finds one. */
export function withPodSpec(object: KubeObject, spec: PodTemplate["spec"]): KubeObject {
  return withValueAt(object, [...templatePathOf(object), "spec"], spec) as KubeObject;
}

function templatePathOf({ apiVersion, kind }: KubeObject): readonly string[] {
  return TEMPLATES[`${parseApiVersion(apiVersion).group}/${kind}`] ?? USUAL_TEMPLATE;
}
