import { isFields, isMissing } from "../values.ts";

/** A struct that is still the decoder's own, so that it may be changed. */
export type Struct = Record<string, unknown>;

/** Sets what is missing. */
export type StructDefaults = (struct: Struct) => void;

/** Sets fields that are missing; the values are given as they are, so that they must not be shared objects. */
export function complete(struct: Struct, values: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(values)) if (isMissing(struct[field])) struct[field] = value;
}

/** As {@link complete}, and what is 0 counts as missing: Go cannot distinguish them in these fields. */
export function completeNumbers(struct: Struct, values: Readonly<Record<string, number>>): void {
  for (const [field, value] of Object.entries(values)) {
    if (isMissing(struct[field]) || struct[field] === 0) struct[field] = value;
  }
}

/** The struct in that field, made when it is missing. */
export function inner(struct: Struct, field: string): Struct {
  const value = struct[field];
  if (isFields(value)) return value as Struct;
  const made: Struct = {};
  struct[field] = made;
  return made;
}

export function optionalInner(struct: Struct, field: string): Struct | undefined {
  const value = struct[field];
  return isFields(value) ? (value as Struct) : undefined;
}

export function innerList(struct: Struct, field: string): Struct[] {
  const value = struct[field];
  return Array.isArray(value)
    ? (value as unknown[]).filter((item) => isFields(item)).map((item) => item as Struct)
    : [];
}
