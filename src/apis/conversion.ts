import { canonicalJson } from "./canonical.ts";
import {
  demoApplicationSpec,
  type DemoApplication,
  type DemoApplicationSpec,
  type DemoApplicationV1beta1,
} from "./demoapplication.ts";
import type { ObjectMeta } from "./meta.ts";
import { parseSpec } from "./parse.ts";
import { CONVERSION_ANNOTATION, PAAS_GROUP } from "./wellknown.ts";

/**
 * DemoApplication between its versions. The fields that v1beta1 cannot hold travel in an annotation, so that
 * converting to v1beta1 and back gives the same object. A v1beta1 object whose annotation does not complete a valid v1 spec is
 * refused: guessing would drop fields, or let through values that v1 does not accept.
 */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

/** Content of the annotation: the rest of the spec, and the value that the v1 object itself had under the annotation's name. */
interface Remainder {
  spec: Omit<DemoApplicationSpec, "image" | "replica" | "ports">;
  annotation?: string;
}

const V1 = `${PAAS_GROUP}/v1`;
const V1BETA1 = `${PAAS_GROUP}/v1beta1`;

function withAnnotation(metadata: ObjectMeta, value: string | undefined): ObjectMeta {
  const { annotations = {}, ...rest } = metadata;
  const { [CONVERSION_ANNOTATION]: _former, ...others } = annotations;
  const all = value === undefined ? others : { ...others, [CONVERSION_ANNOTATION]: value };
  // The server treats an empty map like no map, and answers with none.
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

/** Never fails: every v1 object can be read as v1beta1. */
export function toV1beta1(object: DemoApplication): DemoApplicationV1beta1 {
  const { image, replica, ports, ...spec } = object.spec;
  const annotation = object.metadata.annotations?.[CONVERSION_ANNOTATION];
  const remainder: Remainder | undefined =
    Object.keys(spec).length === 0 && annotation === undefined
      ? undefined
      : { spec, ...(annotation === undefined ? {} : { annotation }) };
  return {
    ...object,
    apiVersion: V1BETA1,
    metadata: remainder === undefined ? object.metadata : withAnnotation(object.metadata, canonicalJson(remainder)),
    spec: { image, replica, ...(ports === undefined ? {} : { ports }) },
  };
}

function readRemainder(text: string): Remainder {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConversionError(`metadata.annotations[${CONVERSION_ANNOTATION}]: is not JSON; remove it`, { cause });
  }
  const { spec, annotation } = (value ?? {}) as Record<string, unknown>;
  const wellFormed =
    typeof spec === "object" &&
    spec !== null &&
    !Array.isArray(spec) &&
    ["string", "undefined"].includes(typeof annotation);
  if (!wellFormed) {
    throw new ConversionError(`metadata.annotations[${CONVERSION_ANNOTATION}]: does not hold a v1 spec; remove it`);
  }
  return value as Remainder;
}

/** Throws {@link ConversionError} when v1 does not accept the annotation or the spec that the annotation completes. */
export function toV1(object: DemoApplicationV1beta1): DemoApplication {
  const text = object.metadata.annotations?.[CONVERSION_ANNOTATION];
  if (text === undefined) return { ...object, apiVersion: V1 };

  const remainder = readRemainder(text);
  const { image: _image, replica: _replica, ports: _ports, ...rest } = remainder.spec as Partial<DemoApplicationSpec>;
  const spec = { ...rest, ...object.spec };
  const parsed = parseSpec(demoApplicationSpec, spec);
  if (!parsed.ok) {
    const [{ field, message } = { field: "spec", message: "is invalid" }] = parsed.problems;
    throw new ConversionError(`metadata.annotations[${CONVERSION_ANNOTATION}]: ${field}: ${message}`);
  }
  return { ...object, apiVersion: V1, metadata: withAnnotation(object.metadata, remainder.annotation), spec };
}
