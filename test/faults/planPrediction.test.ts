import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { explainFailure, Federation } from "../e2e/federation.ts";
import { expectPredictions, PREDICTION_CLUSTERS } from "../e2e/planPrediction.ts";

/** As in test/e2e, with fifty changes. `MERIDIAN_SEED` makes others. */

const seed = Number(process.env["MERIDIAN_SEED"] ?? 3);
let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({ members: PREDICTION_CLUSTERS });
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

test("fifty random changes come to what their plans say, on every member and in every field", async () => {
  expect(await expectPredictions(federation, seed, 50)).toBeGreaterThan(50);
});
