import { canonicalJson, defined, parseJson } from "../values/index.ts";
import { ConversionError } from "./conversion.ts";
import { type ObjectMeta } from "../metadata/index.ts";

/**
 * Fields that another version's spec cannot hold travel in an annotation; a former value of that annotation with them.
 */

type Fields = Readonly<Record<string, unknown>>;

interface Remainder {
  spec: Fields;
  /** The object's own value under that name. */
  annotation?: string;
}

/** Metadata for the other version, with these fields in the annotation `key`. */
export function withRemainder(metadata: ObjectMeta, key: string, spec: Fields): ObjectMeta {
  const annotation = metadata.annotations?.[key];
  if (Object.keys(spec).length === 0 && annotation === undefined) return metadata;
  const remainder: Remainder = { spec, ...defined({ annotation }) };
  return withAnnotation(metadata, key, canonicalJson(remainder));
}

/** The reverse; undefined without the annotation. Anybody can write it, so the caller checks the completed spec. */
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
