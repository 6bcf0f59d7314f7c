import { isRecord, type KubeObject, valueAt } from "../apis/index.ts";
import { podTemplatePathOf } from "../interpreter/index.ts";

/**
 * Describes labels or annotations that a patch left malformed, in the places where Meridian adds its own afterwards;
 * undefined if all are maps of strings. The check has to happen here because a member would not notice: spreading a
 * text into a map makes an entry of each letter.
 */
export function wrongMetadata(before: KubeObject, after: unknown): string | undefined {
  const template = podTemplatePathOf(before);
  for (const place of [["metadata"], ...(template === undefined ? [] : [[...template, "metadata"]])]) {
    for (const field of ["labels", "annotations"]) {
      const path = [...place, field];
      const value = changed(before, after, path);
      if (!isSet(value)) continue;
      const name = path.join(".");
      if (!isRecord(value)) return `${name} must be a map of strings`;
      const key = Object.keys(value).find(
        (known) => typeof value[known] !== "string" && valueAt(before, [...path, known]) !== value[known],
      );
      if (key !== undefined) return `${name}[${key}] must be a string`;
    }
  }
  return undefined;
}

/** Value at the path after the patch; undefined if the patch did not change the value. */
function changed(before: KubeObject, after: unknown, path: readonly string[]): unknown {
  const value = valueAt(after, path);
  return value === valueAt(before, path) ? undefined : value;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
