import { afterEach, beforeEach, expect, test } from "vitest";
import { explainFailure, Federation } from "../e2e/federation.ts";
import { expectPredictions } from "../e2e/planPrediction.ts";
import { PREDICTION_CLUSTERS } from "../e2e/randomChanges.ts";

/** As in test/e2e, with fifty changes, of two seeds. `MERIDIAN_SEED` makes others. */

const given = process.env["MERIDIAN_SEED"];
const seeds = given === undefined ? [3, 5] : [Number(given)];
let federation: Federation;

// A federation each: policies of the whole hub outlive the namespace of a test.
beforeEach(async () => {
  federation = await Federation.start({ members: PREDICTION_CLUSTERS });
});
afterEach(async ({ task }) => {
  await explainFailure(federation, task.result?.state === "fail");
  await federation?.[Symbol.asyncDispose]();
});

test.each(seeds)(
  "fifty random changes (seed %d) come to what their plans say, on every member and in every field",
  async (seed) => {
    expect(await expectPredictions(federation, seed, 50)).toBeGreaterThan(50);
  },
);
