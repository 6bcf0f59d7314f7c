import { ConversionError, convertObject, type KindDefinition, type KubeObject } from "../apis/index.ts";
import { ReviewError } from "./admission/review.ts";

export const CONVERSION_API_VERSION = "apiextensions.k8s.io/v1";

interface ConversionRequest {
  uid: string;
  desiredAPIVersion: string;
}

/** Answers a ConversionReview with JSON in pieces. Throws {@link ReviewError} for an invalid review. */
export async function answerConversion(
  review: unknown,
  objects: AsyncIterable<unknown>,
  kinds?: readonly KindDefinition[],
): Promise<string[]> {
  const { uid, desiredAPIVersion } = readConversionReview(review);
  const converted: string[] = [];
  try {
    for await (const object of objects) {
      converted.push(JSON.stringify(convertObject(object as KubeObject, desiredAPIVersion, kinds)));
    }
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return [answer({ uid, result: { status: "Failed", message: error.message } })];
  }
  const whole = answer({ uid, result: { status: "Success" }, convertedObjects: [] });
  const at = whole.lastIndexOf("]");
  return [whole.slice(0, at), ...converted.map((text, index) => (index === 0 ? text : `,${text}`)), whole.slice(at)];
}

function answer(response: object): string {
  return JSON.stringify({ apiVersion: CONVERSION_API_VERSION, kind: "ConversionReview", response });
}

function readConversionReview(body: unknown): ConversionRequest {
  const { apiVersion, kind, request } = (body ?? {}) as Record<string, unknown>;
  if (apiVersion !== CONVERSION_API_VERSION || kind !== "ConversionReview") {
    throw new ReviewError(`expected a ConversionReview of ${CONVERSION_API_VERSION}`);
  }
  const { uid, desiredAPIVersion, objects } = (request ?? {}) as Record<string, unknown>;
  if (typeof uid !== "string" || typeof desiredAPIVersion !== "string" || !Array.isArray(objects)) {
    throw new ReviewError("the ConversionReview holds no request");
  }
  return { uid, desiredAPIVersion };
}
