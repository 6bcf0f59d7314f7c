import { canonicalJson, defined, parseJson } from "../values/index.ts";
import { ConversionError } from "./conversion.ts";
import { type ObjectMeta } from "../metadata/index.ts";

/**
 * Fields of a spec that another version cannot hold. They travel in an annotation of the object, so that converting
 * back gives the same object. If the object already has an annotation of that name, its value travels inside the new
 * one.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Content of the annotation. */
interface Remainder {
  spec: Fields;
  /** The value that the object itself had under the annotation's name. */
  annotation?: string;
}

/** Metadata for the other version. The annotation `key` holds the fields that the other version's spec cannot hold. */
export function withRemainder(metadata: ObjectMeta, key: string, spec: Fields): ObjectMeta {
  const annotation = metadata.annotations?.[key];
  if (Object.keys(spec).length === 0 && annotation === undefined) return metadata;
  const remainder: Remainder = { spec, ...defined({ annotation }) };
  return withAnnotation(metadata, key, canonicalJson(remainder));
}

/**
 * Reverse of {@link withRemainder}: the fields from the annotation, and the metadata without the annotation. Undefined
 * when the object has no such annotation. The caller checks the completed spec, since anybody can write an annotation.
 */
export function takeRemainder(metadata: ObjectMeta, key: string): { metadata: ObjectMeta; spec: Fields } | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined) return undefined;
  const { spec, annotation } = readRemainder(text, key);
  return { metadata: withAnnotation(metadata, key, annotation), spec };
}

function withAnnotation(metadata: ObjectMeta, key: string, value: string | undefined): ObjectMeta {
  const { annotations = {}, ...rest } = metadata;
  const { [key]: _former, ...others } = annotations;
  const all = value === undefined ? others : { ...others, [key]: value };
  // The server treats an empty map as a missing one and leaves it out of its answers.
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

function readRemainder(text: string, key: string): Remainder {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new ConversionError(`metadata.annotations[${key}]: is not JSON; remove it`, { cause });
  }
  const { spec, annotation } = (value ?? {}) as Record<string, unknown>;
  const wellFormed =
    typeof spec === "object" &&
    spec !== null &&
    !Array.isArray(spec) &&
    ["string", "undefined"].includes(typeof annotation);
  if (!wellFormed) {
    throw new ConversionError(`metadata.annotations[${key}]: does not hold fields of a spec; remove it`);
  }
  return value as Remainder;
}
