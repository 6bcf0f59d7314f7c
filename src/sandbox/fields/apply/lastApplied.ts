import { parseJson } from "../../../apis/index.ts";
import type { KubeObject } from "../../types.ts";
import { checkValue, DoesNotFit } from "./check.ts";
import { compareObjects } from "./compare.ts";
import { ApplyConflicts } from "./conflicts.ts";
import { difference, type FieldSet, isEmpty } from "../sets/index.ts";
import { canonicalJson, isObject } from "../values/index.ts";
import { fieldsOfObject } from "./ownedFields.ts";
import type { Typed } from "./versions.ts";

/**
 * `kubectl apply` stores its configuration in this annotation, and `kubectl apply --server-side` continues from it. For
 * the field manager `kubectl`, a server lets the apply take the fields that the annotation names, and keeps the
 * annotation up to date.
 */
const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
const HELPED = "kubectl";

/** Limit in bytes of all annotations together. */
const MOST_ANNOTATIONS = 256 * 1024;

/** The conflicts that remain after the manager takes the annotation's fields; undefined if none remain. */
export function remainingConflicts(error: ApplyConflicts, manager: string, live: Typed): ApplyConflicts | undefined {
  if (manager !== HELPED) return error;
  const allowed = fieldsOfAnnotation(live);
  if (allowed === undefined) return error;
  const rest = error.conflicts
    .map((conflict) => ({ ...conflict, set: difference(conflict.set, allowed) }))
    .filter(({ set }) => !isEmpty(set));
  return rest.length === 0 ? undefined : new ApplyConflicts(rest);
}

/** Fields that the annotation names and whose values the object still has. */
function fieldsOfAnnotation(live: Typed): FieldSet | undefined {
  const text = live.object.metadata.annotations?.[ANNOTATION];
  if (text === undefined || text === "") return undefined;
  try {
    const applied: unknown = parseJson(text);
    if (!isObject(applied) || applied["apiVersion"] !== live.object.apiVersion) return undefined;
    checkValue(applied, live.type, "refused");
    checkValue(live.object, live.type, "refused");
    const { modified, added, removed } = compareObjects(applied, live.object, live.type);
    return [modified, added, removed].reduce(difference, fieldsOfObject(applied, live.type));
  } catch (error) {
    // A broken annotation is ignored.
    if (error instanceof SyntaxError || error instanceof DoesNotFit) return undefined;
    throw error;
  }
}

/** The object with the new configuration in its annotation. An object without the annotation stays unchanged. */
export function withLastApplied(object: KubeObject, config: KubeObject, manager: string): KubeObject {
  const { annotations } = object.metadata;
  if (manager !== HELPED || (annotations?.[ANNOTATION] ?? "") === "") return object;
  const now = { ...annotations, [ANNOTATION]: `${canonicalJson(withoutAnnotation(config))}\n` };
  const size = Object.entries(now).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (size > MOST_ANNOTATIONS) {
    const { [ANNOTATION]: _, ...others } = now;
    return withAnnotations(object, others);
  }
  return withAnnotations(object, now);
}

function withoutAnnotation(config: KubeObject): KubeObject {
  const { annotations } = config.metadata;
  if (annotations?.[ANNOTATION] === undefined) return config;
  const { [ANNOTATION]: _, ...others } = annotations;
  return withAnnotations(config, others);
}

function withAnnotations(object: KubeObject, annotations: Record<string, string>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}
