import {
  type DeclaredTemplate,
  defined,
  isRecord,
  type KubeObject,
  type OverrideRule,
  sameValue,
  valueAt,
} from "../apis/index.ts";
import { atPath, type PathStep, podTemplatePathOf, podTemplatePathsOf } from "../interpreter/index.ts";
import { overrideImage, type ImageOverride } from "./image.ts";
import { RuleError } from "./ruleError.ts";
import type { Work } from "./work.ts";

type Json = Record<string, unknown>;

/** Annotation of kubectl that names the main container of a pod. */
const DEFAULT_CONTAINER_ANNOTATION = "kubectl.kubernetes.io/default-container";

export function templateIn(object: KubeObject): Json | undefined {
  const path = podTemplatePathOf(object);
  if (path === undefined) return undefined;
  const value = valueAt(object, path);
  return isRecord(value) ? value : undefined;
}

/**
 * Applies `image`, `command`, `args` and `env` to the main container of every pod template: the one named by
 * `kubectl.kubernetes.io/default-container`, or else the first. Only `image.registry` applies to all containers: a
 * mirror serves all images, while a tag is not the sidecar's.
 *
 * @throws {RuleError} InvalidOverride when there is no pod template or no container, or the image is malformed
 */
export function overridePodTemplates(
  objects: readonly KubeObject[],
  rule: OverrideRule,
  work: Work,
  declared: readonly DeclaredTemplate[] = [],
): readonly KubeObject[] {
  const field = (["image", "command", "args", "env"] as const).find((name) => rule[name] !== undefined);
  if (field === undefined || objects.length === 0) return objects;
  let hasTemplate = false;
  const changed = objects.map((object) => {
    let result: unknown = object;
    for (const { path, template } of templatesIn(object, declared)) {
      hasTemplate = true;
      const overridden = overrideTemplate(template, rule, object.kind, work);
      if (overridden !== template) result = replaceAt(result, path, overridden);
    }
    return result as KubeObject;
  });
  if (!hasTemplate) throw new RuleError("InvalidOverride", `${field} needs a pod template, and no object here has one`);
  return changed;
}

/** Templates without containers are left out if another has some: an operator adds those of the empty ones. */
function templatesIn(
  object: KubeObject,
  declared: readonly DeclaredTemplate[],
): { path: readonly PathStep[]; template: Json }[] {
  const all = podTemplatePathsOf(object, declared).flatMap((path) => {
    const template = atPath(object, path);
    return isRecord(template) ? [{ path, template }] : [];
  });
  const filled = all.filter(({ template: { spec } }) => isRecord(spec) && jsonArray(spec["containers"]).length > 0);
  return filled.length === 0 ? all.slice(0, 1) : filled;
}

function overrideTemplate(template: Json, rule: OverrideRule, kind: string, work: Work): Json {
  const spec = isRecord(template["spec"]) ? template["spec"] : {};
  const containers = jsonArray(spec["containers"]);
  const main = mainContainer(template, containers);
  if (main === undefined) throw new RuleError("InvalidOverride", `the pod template of the ${kind} has no container`);

  const { image, command, args, env } = rule;
  work.brings([image, command, args, env]);
  work.copies(containers.length + jsonArray(spec["initContainers"]).length + jsonArray(main["env"]).length);

  const { registry, ...ofMain } = rule.image ?? {};
  const everywhere: ImageOverride | undefined = registry === undefined ? undefined : { registry };
  const result = updateAt(spec, ["containers"], () =>
    containers.map((c) =>
      c === main ? overrideContainer(c, rule, { ...everywhere, ...ofMain }) : withImage(c, everywhere),
    ),
  );
  const initContainers = spec["initContainers"];
  const mirrored =
    !Array.isArray(initContainers) || everywhere === undefined
      ? result
      : updateAt(result, ["initContainers"], () => jsonArray(initContainers).map((c) => withImage(c, everywhere)));
  return mirrored === template["spec"] ? template : { ...template, spec: mirrored };
}

function mainContainer(template: Json, containers: Json[]): Json | undefined {
  const metadata = isRecord(template["metadata"]) ? template["metadata"] : {};
  const annotations = isRecord(metadata["annotations"]) ? metadata["annotations"] : {};
  const named = annotations[DEFAULT_CONTAINER_ANNOTATION];
  return containers.find((container) => container["name"] === named) ?? containers[0];
}

function overrideContainer(container: Json, rule: OverrideRule, image: ImageOverride): Json {
  return {
    ...withImage(container, image),
    ...defined({ command: rule.command, args: rule.args }),
    ...(rule.env === undefined ? {} : { env: mergeEnv(jsonArray(container["env"]), rule.env) }),
  };
}

function withImage(container: Json, image: ImageOverride | undefined): Json {
  if (image === undefined || Object.values(image).every((part) => part === undefined)) return container;
  const current = container["image"];
  if (typeof current !== "string") {
    throw new RuleError("InvalidOverride", `container ${String(container["name"])} has no image to override`);
  }
  return { ...container, image: overrideImage(current, image) };
}

/** Replaces entries by name, in place and as a whole; new ones follow. */
function mergeEnv(base: Json[], entries: readonly Json[]): Json[] {
  const merged = new Map(base.map((entry) => [entry["name"], entry]));
  for (const entry of entries) merged.set(entry["name"], entry);
  return [...merged.values()];
}

/** Returns the same `value` if nothing changes. */
export function updateAt(value: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [field, ...rest] = path;
  if (field === undefined) {
    const changed = change(value);
    return sameValue(value, changed) ? value : changed;
  }
  const parent = isRecord(value) ? value : {};
  const changed = updateAt(parent[field], rest, change);
  return changed === parent[field] ? value : { ...parent, [field]: changed };
}

/** Replaces the value at the path. */
function replaceAt(value: unknown, path: readonly PathStep[], next: unknown): unknown {
  const [field, ...rest] = path;
  if (field === undefined) return next;
  if (typeof field === "number")
    return (Array.isArray(value) ? (value as unknown[]) : []).map((item, index) =>
      index === field ? replaceAt(item, rest, next) : item,
    );
  const parent = isRecord(value) ? value : {};
  return { ...parent, [field]: replaceAt(parent[field], rest, next) };
}

function jsonArray(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
