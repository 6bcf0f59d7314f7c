import type { FieldError, ScalePaths } from "../types.ts";
import { invalid } from "../fieldErrors.ts";
import { isRecord, jsonType } from "../jsonType.ts";

const LARGEST = 2 ** 31 - 1;

/** Errors of the fields that the scale subresource shows: replicas must be int32 numbers, the selector a string. */
export function validateScale(scale: ScalePaths, value: unknown): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const errors = [...replicas(value, specReplicasPath), ...replicas(value, statusReplicasPath)];
  if (labelSelectorPath === undefined || labelSelectorPath === "") return errors;
  const selector = at(value, labelSelectorPath);
  if (selector !== undefined && typeof selector !== "string") {
    errors.push(invalid(labelSelectorPath, "", wrongType(labelSelectorPath, selector, "a string")));
  }
  return errors;
}

function replicas(value: unknown, path: string): FieldError[] {
  const count = at(value, path);
  if (count === undefined) return [];
  if (typeof count !== "number" || !Number.isInteger(count))
    return [invalid(path, 0, wrongType(path, count, "a whole number"))];
  if (count < 0) return [invalid(path, count, "should be a non-negative integer")];
  return count > LARGEST ? [invalid(path, count, `should be less than or equal to ${LARGEST}`)] : [];
}

function wrongType(path: string, value: unknown, expected: string): string {
  return `${path} must be ${expected}, not ${jsonType(value)}`;
}

function at(value: unknown, path: string): unknown {
  let current = value;
  for (const field of path.replace(/^\./, "").split(".")) {
    if (!isRecord(current) || !Object.hasOwn(current, field)) return undefined;
    current = current[field];
  }
  return current;
}
