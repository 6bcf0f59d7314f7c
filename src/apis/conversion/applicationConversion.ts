import { defined } from "../values/index.ts";
import { type Conversion, ConversionError } from "./conversion.ts";
import {
  type DemoApplication,
  type DemoApplicationSpec,
  demoApplicationSpec,
  type DemoApplicationV1beta1,
} from "../kinds/index.ts";
import { CONVERSION_ANNOTATION, type KubeObject, PAAS_GROUP } from "../metadata/index.ts";
import { parseSpec } from "../schema/index.ts";
import { takeRemainder, withRemainder } from "./remainder.ts";

/**
 * The fields that v1beta1 cannot hold travel in an annotation. A v1beta1 object whose annotation does not complete a
 * valid v1 spec is refused: guessing would drop fields, or let through values that v1 does not accept.
 */

const V1 = `${PAAS_GROUP}/v1`;
const V1BETA1 = `${PAAS_GROUP}/v1beta1`;

/** Partial objects without a spec are the same in both versions. */
export const V1BETA1_CONVERSION: Conversion = {
  toStored: (object) => ofWhole(object, (whole) => toV1(whole as DemoApplicationV1beta1)),
  fromStored: (object) => ofWhole(object, (whole) => toV1beta1(whole as DemoApplication)),
};

function ofWhole(object: KubeObject, convert: (whole: unknown) => unknown): KubeObject {
  if (typeof object["spec"] !== "object" || object["spec"] === null) return object;
  return convert(object) as KubeObject;
}

/** Never fails: every v1 object can be read as v1beta1. */
export function toV1beta1(object: DemoApplication): DemoApplicationV1beta1 {
  const { image, replica, ports, ...spec } = object.spec;
  return {
    ...object,
    apiVersion: V1BETA1,
    metadata: withRemainder(object.metadata, CONVERSION_ANNOTATION, spec),
    spec: { image, replica, ...defined({ ports }) },
  };
}

/** Throws {@link ConversionError} when v1 does not accept the annotation or the spec that the annotation completes. */
export function toV1(object: DemoApplicationV1beta1): DemoApplication {
  const remainder = takeRemainder(object.metadata, CONVERSION_ANNOTATION);
  if (remainder === undefined) return { ...object, apiVersion: V1 };

  const { image: _image, replica: _replica, ports: _ports, ...rest } = remainder.spec as Partial<DemoApplicationSpec>;
  const spec = { ...rest, ...object.spec };
  const parsed = parseSpec(demoApplicationSpec, spec);
  if (!parsed.ok) {
    const [{ field, message } = { field: "spec", message: "is invalid" }] = parsed.problems;
    throw new ConversionError(`metadata.annotations[${CONVERSION_ANNOTATION}]: ${field}: ${message}`);
  }
  return { ...object, apiVersion: V1, metadata: remainder.metadata, spec };
}
