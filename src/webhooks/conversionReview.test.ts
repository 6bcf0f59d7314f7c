import { isDeepStrictEqual } from "node:util";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { CONVERSION_ANNOTATION, type KindDefinition, type KubeObject } from "../apis/index.ts";
import { KINDS_WITH_NEXT, NEXT_API_VERSION } from "../apis/testing/nextVersion.ts";
import { clusterObject } from "../../test/builders/policyObjects.ts";
import { ReviewError } from "./admission/review.ts";
import { answerConversion, CONVERSION_API_VERSION } from "./conversionReview.ts";
import { anyApplication } from "../apis/testing/anyApplication.ts";

const V1 = "paas.cmft.com/v1";
const V1BETA1 = "paas.cmft.com/v1beta1";

function review(desiredAPIVersion: string, objects: readonly unknown[]): unknown {
  return {
    apiVersion: CONVERSION_API_VERSION,
    kind: "ConversionReview",
    request: { uid: "u", desiredAPIVersion, objects },
  };
}

function overTheWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

interface Response {
  uid: string;
  result: { status: string; message?: string };
  convertedObjects?: KubeObject[];
}

async function answerTo(
  desired: string,
  objects: readonly unknown[],
  kinds?: readonly KindDefinition[],
): Promise<Response> {
  async function* oneByOne(): AsyncGenerator<unknown> {
    yield* objects;
  }
  const pieces = await answerConversion(review(desired, []), oneByOne(), kinds);
  return (JSON.parse(pieces.join("")) as { response: Response }).response;
}

/** Through the text that is sent over the wire, there and back. */
async function convert(objects: readonly KubeObject[], desired: string): Promise<KubeObject[]> {
  const response = await answerTo(desired, overTheWire(objects));
  expect(response).toMatchObject({ uid: "u", result: { status: "Success" } });
  return response.convertedObjects ?? [];
}

describe("conversion as the API server asks for it", () => {
  test.prop([fc.array(anyApplication(), { maxLength: 5 })])(
    "from v1 to v1beta1 and back loses nothing",
    async (objects) => isDeepStrictEqual(await convert(await convert(objects, V1BETA1), V1), overTheWire(objects)),
  );

  test.prop([fc.array(anyApplication(), { maxLength: 5 })])("keeps a list's order and length", async (objects) => {
    const names = (list: readonly KubeObject[]) => list.map(({ metadata }) => metadata.name);
    expect(names(await convert(objects, V1BETA1))).toEqual(names(objects));
  });

  test("is that of the kinds which the manager knows", async () => {
    const cluster = clusterObject({ provider: "own" });
    expect(await answerTo(NEXT_API_VERSION, [cluster], KINDS_WITH_NEXT)).toMatchObject({
      result: { status: "Success" },
      convertedObjects: [{ apiVersion: NEXT_API_VERSION, spec: { operator: "own" } }],
    });
    expect(await answerTo(NEXT_API_VERSION, [cluster])).toMatchObject({ result: { status: "Failed" } });
  });

  test("hands back what is in the wanted version already, and parts that have no spec", async () => {
    const partial = { apiVersion: V1BETA1, kind: "DemoApplication", metadata: {} };
    const same = {
      apiVersion: V1,
      kind: "DemoApplication",
      metadata: { name: "a" },
      spec: { image: "nginx", replica: 1 },
    };
    expect(await convert([partial as KubeObject, same], V1)).toEqual([{ ...partial, apiVersion: V1 }, same]);
  });

  test.each([
    {
      name: "an annotation that says no v1 spec",
      object: {
        apiVersion: V1BETA1,
        kind: "DemoApplication",
        metadata: { name: "a", annotations: { [CONVERSION_ANNOTATION]: "{" } },
        spec: { image: "nginx", replica: 1 },
      },
      desired: V1,
      message: /v1-fields.*remove it/,
    },
    {
      name: "another kind",
      object: { apiVersion: V1, kind: "Other", metadata: { name: "a" } },
      desired: V1BETA1,
      message: /Other .* cannot be converted/,
    },
    {
      name: "a version that is not known",
      object: { apiVersion: V1, kind: "DemoApplication", metadata: { name: "a" }, spec: {} },
      desired: "paas.cmft.com/v2",
      message: /cannot be converted to paas\.cmft\.com\/v2/,
    },
  ])("answers Failed with the reason for $name", async ({ object, desired, message }) => {
    const response = await answerTo(desired, [object]);
    expect(response.convertedObjects).toBeUndefined();
    expect(response.result).toEqual({ status: "Failed", message: expect.stringMatching(message) as string });
  });

  test.each([
    ["nothing", undefined],
    ["another review", { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: {} }],
    ["a review without a request", { apiVersion: CONVERSION_API_VERSION, kind: "ConversionReview" }],
  ])("refuses %s", async (_, body) => {
    await expect(answerConversion(body, none())).rejects.toThrow(ReviewError);
  });
});

async function* none(): AsyncGenerator<unknown> {}
