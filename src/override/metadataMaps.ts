import { isRecord, type KubeObject, valueAt } from "../apis/index.ts";
import { podTemplatePathOf } from "../interpreter/index.ts";

/**
 * What a patch has left that is no map of strings where Meridian writes labels and annotations of its own afterwards; undefined
 * when there is nothing. A member would not see what was wrong: added to, a text becomes an object of its letters.
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

/** Undefined where the patch left the value alone. */
function changed(before: KubeObject, after: unknown, path: readonly string[]): unknown {
  const value = valueAt(after, path);
  return value === valueAt(before, path) ? undefined : value;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
