import { type DeclaredTemplate, isRecord, kindKeyOf, type KubeObject, valueAt } from "../../apis/index.ts";
import { withValueAt } from "../values.ts";

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/Pod": [],
  "/PodTemplate": ["template"],
  "batch/CronJob": ["spec", "jobTemplate", "spec", "template"],
};

/** Built-in kinds that have pods, whatever an object of the kind holds. */
const WORKLOADS: ReadonlySet<string> = new Set([
  ...Object.keys(TEMPLATES),
  ...["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"].map((kind) => `apps/${kind}`),
  "/ReplicationController",
  "batch/Job",
]);

/** In every other built-in workload, and in many custom ones. */
const USUAL_TEMPLATE = ["spec", "template"];

/** A pod or a pod template, with the spec of the pods. */
interface PodTemplate {
  metadata?: unknown;
  spec: Readonly<Record<string, unknown>>;
}

/** An object's pod template, or the Pod itself. */
export function podTemplateOf(object: KubeObject): PodTemplate | undefined {
  const template = valueAt(object, templatePathOf(object));
  return isTemplate(template) ? { metadata: template.metadata, spec: template.spec } : undefined;
}

/**
 * Path to the pod template: empty for a Pod, undefined for kinds without pods. A custom kind has one if there are
 * containers at the usual path.
 */
export function podTemplatePathOf(object: KubeObject): readonly string[] | undefined {
  const path = templatePathOf(object);
  if (isWorkload(object)) return path;
  return Array.isArray(podTemplateOf(object)?.spec["containers"]) ? path : undefined;
}

/** A field name, or an index of a list. */
export type PathStep = string | number;

/**
 * Paths to every pod template, each once: that of the kind ({@link podTemplatePathOf}), and those that a placement
 * declares and the object has.
 */
export function podTemplatePathsOf(
  object: KubeObject,
  declared: readonly DeclaredTemplate[] = [],
): readonly (readonly PathStep[])[] {
  const usual = podTemplatePathOf(object);
  const paths = new Map<string, readonly PathStep[]>();
  if (usual !== undefined) paths.set(usual.join("."), usual);
  for (const { kind, path } of declared) {
    if (kind !== object.kind) continue;
    for (const found of templatesAt(object, path.split("."), [])) paths.set(found.join("."), found);
  }
  return [...paths.values()];
}

/** Pod specs in the templates of {@link podTemplatePathsOf}. */
export function podSpecsOf(object: KubeObject, declared?: readonly DeclaredTemplate[]): PodTemplate["spec"][] {
  return podTemplatePathsOf(object, declared).flatMap((path) => {
    const template = atPath(object, path);
    return isTemplate(template) ? [template.spec] : [];
  });
}

/** Undefined if there is none. */
export function atPath(object: unknown, path: readonly PathStep[]): unknown {
  let value = object;
  for (const step of path) {
    if (typeof step === "number") value = Array.isArray(value) ? (value as unknown[])[step] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function* templatesAt(
  value: unknown,
  [step, ...rest]: readonly string[],
  sofar: readonly PathStep[],
): Generator<readonly PathStep[]> {
  if (step === undefined) {
    if (isTemplate(value)) yield sofar;
    return;
  }
  const name = step.endsWith("[]") ? step.slice(0, -2) : step;
  const member = atPath(value, [name]);
  if (name === step) yield* templatesAt(member, rest, [...sofar, name]);
  else if (Array.isArray(member))
    for (const [index, item] of (member as unknown[]).entries())
      yield* templatesAt(item, rest, [...sofar, name, index]);
}

function isTemplate(value: unknown): value is PodTemplate {
  return isRecord(value) && isRecord(value["spec"]);
}

/** The kind is built-in and has pods. */
export function isWorkload(object: KubeObject): boolean {
  return WORKLOADS.has(kindKeyOf(object));
}

/** Copy with this pod spec, where {@link podTemplateOf} finds one. */
export function withPodSpec(object: KubeObject, spec: PodTemplate["spec"]): KubeObject {
  return withValueAt(object, [...templatePathOf(object), "spec"], spec) as KubeObject;
}

function templatePathOf(object: KubeObject): readonly string[] {
  return TEMPLATES[kindKeyOf(object)] ?? USUAL_TEMPLATE;
}
