import {
  ConversionError,
  type DemoApplication,
  type DemoApplicationV1beta1,
  type KubeObject,
  PAAS_GROUP,
  toV1,
  toV1beta1,
} from "../apis/index.ts";
import { ReviewError } from "./admission/review.ts";

export const CONVERSION_API_VERSION = "apiextensions.k8s.io/v1";

interface ConversionRequest {
  uid: string;
  desiredAPIVersion: string;
  objects: KubeObject[];
}

export interface ConversionReview {
  apiVersion: string;
  kind: "ConversionReview";
  response: {
    uid: string;
    result: { status: "Success" } | { status: "Failed"; message: string };
    convertedObjects?: KubeObject[];
  };
}

/** Answers a ConversionReview. Throws {@link ReviewError} when it is none. */
export function answerConversion(body: unknown): ConversionReview {
  const { uid, desiredAPIVersion, objects } = readConversionReview(body);
  const answer = (response: Omit<ConversionReview["response"], "uid">): ConversionReview => ({
    apiVersion: CONVERSION_API_VERSION,
    kind: "ConversionReview",
    response: { uid, ...response },
  });
  try {
    const convertedObjects = objects.map((object) => convertObject(object, desiredAPIVersion));
    return answer({ result: { status: "Success" }, convertedObjects });
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return answer({ result: { status: "Failed", message: error.message } });
  }
}

function readConversionReview(body: unknown): ConversionRequest {
  const { apiVersion, kind, request } = (body ?? {}) as Record<string, unknown>;
  if (apiVersion !== CONVERSION_API_VERSION || kind !== "ConversionReview") {
    throw new ReviewError(`expected a ConversionReview of ${CONVERSION_API_VERSION}`);
  }
  const { uid, desiredAPIVersion, objects } = (request ?? {}) as Partial<ConversionRequest>;
  if (typeof uid !== "string" || typeof desiredAPIVersion !== "string" || !Array.isArray(objects)) {
    throw new ReviewError("the ConversionReview holds no request");
  }
  return request as ConversionRequest;
}

/**
 * One object in another version. The server also asks for parts of objects, when it works out which fields a manager owns: what has no spec
 * yet is the same in every version.
 */
export function convertObject(object: KubeObject, desired: string): KubeObject {
  if (object.apiVersion === desired) return object;
  const [from, to] = [object.apiVersion, desired];
  const known = [`${PAAS_GROUP}/v1`, `${PAAS_GROUP}/v1beta1`];
  if (object.kind !== "DemoApplication" || !known.includes(from) || !known.includes(to)) {
    throw new ConversionError(`${object.kind} of ${from} cannot be converted to ${to}`);
  }
  if (typeof object["spec"] !== "object" || object["spec"] === null) return { ...object, apiVersion: to };
  const whole = { ...object, metadata: object.metadata ?? {} } as unknown;
  const converted =
    to === `${PAAS_GROUP}/v1` ? toV1(whole as DemoApplicationV1beta1) : toV1beta1(whole as DemoApplication);
  return converted as unknown as KubeObject;
}
