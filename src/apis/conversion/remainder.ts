import { canonicalJson, defined, parseJson } from "../values/index.ts";
import { ConversionError } from "./conversion.ts";
import { type ObjectMeta } from "../metadata/index.ts";

/**
 * Fields of a spec that another version cannot hold: they travel in an annotation of the object, so that the way back gives the same
 * object. An annotation of that name which the object itself had travels beneath.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Content of the annotation. */
interface Remainder {
  spec: Fields;
  /** The value that the object itself had under the annotation's name. */
  annotation?: string;
}

/** The metadata of the other version, with what its spec cannot hold. */
export function withRemainder(metadata: ObjectMeta, key: string, spec: Fields): ObjectMeta {
  const annotation = metadata.annotations?.[key];
  if (Object.keys(spec).length === 0 && annotation === undefined) return metadata;
  const remainder: Remainder = { spec, ...defined({ annotation }) };
  return withAnnotation(metadata, key, canonicalJson(remainder));
}

/**
 * The way back: what the spec could not hold, and the metadata without it; undefined when nothing travelled. Whether the completed spec is
 * valid is the caller's to check, since anybody can write an annotation.
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
  // The server treats an empty map like no map, and answers with none.
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
