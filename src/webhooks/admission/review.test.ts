import { describe, expect, test } from "vitest";
import { applicationObject } from "../../../test/builders/policyObjects.ts";
import { requestOf } from "../testing/facts.ts";
import { answerReview, readAdmissionReview, ReviewError } from "./review.ts";

const request = requestOf("CREATE", applicationObject({}));
const WELL = { problems: [], warnings: [] };
const problem = { field: "spec.image", message: "is wrong" };

describe("the answer to a review", () => {
  test("lets through, with the patch in base64", () => {
    const patch = [{ op: "add" as const, path: "/a", value: 1 }];
    const { response } = answerReview(request, WELL, patch);
    expect(response).toMatchObject({ uid: "u", allowed: true, patchType: "JSONPatch" });
    expect(JSON.parse(Buffer.from(response.patch ?? "", "base64").toString())).toEqual(patch);
    expect(answerReview(request, WELL).response).toEqual({ uid: "u", allowed: true });
  });

  test("refuses with a cause for each field, and without a patch", () => {
    const judgement = {
      problems: [problem, { field: "a", message: "a: says so itself" }],
      warnings: ["w".repeat(300)],
    };
    const { response } = answerReview(request, judgement, [{ op: "add", path: "/a", value: 1 }]);
    expect(response).toMatchObject({
      allowed: false,
      status: { code: 422, reason: "Invalid", message: "spec.image: is wrong; a: says so itself" },
    });
    expect(response.patch).toBeUndefined();
    expect(response.status?.details?.causes.map(({ field }) => field)).toEqual(["spec.image", "a"]);
    expect(response.warnings?.[0]).toHaveLength(256);
  });

  test("forbids a deletion", () => {
    const deletion = requestOf("DELETE", applicationObject({}));
    expect(answerReview(deletion, { problems: [problem], warnings: [] }).response.status).toMatchObject({
      code: 403,
      reason: "Forbidden",
    });
  });

  test.each([
    undefined,
    {},
    { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
    { apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview", request },
  ])("is an error for what is no review (%#)", (body) => expect(() => readAdmissionReview(body)).toThrow(ReviewError));
});
