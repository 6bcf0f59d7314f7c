import { isFields, isMissing } from "../values.ts";

/** A struct that only the decoder holds, so it may be changed. */
export type Struct = Record<string, unknown>;

/** Sets the missing fields of a struct. */
export type StructDefaults = (struct: Struct) => void;

/** Sets missing fields. Values are not copied, so they must not be shared objects. */
export function complete(struct: Struct, values: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(values)) if (isMissing(struct[field])) struct[field] = value;
}

/** Like {@link complete}, but 0 counts as missing: Go cannot tell them apart in these fields. */
export function completeNumbers(struct: Struct, values: Readonly<Record<string, number>>): void {
  for (const [field, value] of Object.entries(values)) {
    if (isMissing(struct[field]) || struct[field] === 0) struct[field] = value;
  }
}

/** The struct in that field; creates it when missing. */
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
