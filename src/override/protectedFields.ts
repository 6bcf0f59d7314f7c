import { isRecord, type KubeObject, protectedChange as identityChange, sameValue, valueAt } from "../apis/index.ts";
import { templateIn } from "./podTemplate.ts";
import type { Work } from "./work.ts";

/**
 * The first protected field that differs: the object's identity, Meridian's labels and annotations, and the pod labels
 * that the selector asks for, without which a workload no longer finds its pods.
 */
export function protectedChange(before: KubeObject, after: unknown, work: Work): string | undefined {
  return identityChange(before, after) ?? selectorLabelChange(before, after as KubeObject, work);
}

function selectorLabelChange(before: KubeObject, after: KubeObject, work: Work): string | undefined {
  const template = templateIn(before);
  if (template === undefined) return undefined;
  const labels = ["metadata", "labels"];
  const [was, is] = [valueAt(template, labels), valueAt(templateIn(after), labels)];
  if (was === is) return undefined;
  const keys = selectorKeys(before);
  work.copies(keys.length);
  const key = keys.find((k) => !sameValue(valueAt(was, [k]), valueAt(is, [k])));
  return key === undefined ? undefined : `pod label ${key}, which the selector asks for`;
}

function selectorKeys(object: KubeObject): string[] {
  const matchLabels = valueAt(object, ["spec", "selector", "matchLabels"]);
  const expressions = valueAt(object, ["spec", "selector", "matchExpressions"]);
  return [
    ...(isRecord(matchLabels) ? Object.keys(matchLabels) : []),
    ...(Array.isArray(expressions) ? expressions.map((e) => String(valueAt(e, ["key"]))) : []),
  ];
}
