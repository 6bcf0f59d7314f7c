import { describe, expect, test } from "vitest";
import { useFederation } from "../e2e/federation.ts";
import { expectPredictions } from "../e2e/planPrediction.ts";
import { PREDICTION_CLUSTERS } from "../e2e/randomChanges.ts";

/** As in test/e2e, with fifty changes, of two seeds. `MERIDIAN_SEED` makes others. */

const given = process.env["MERIDIAN_SEED"];

// A federation each: policies of the whole hub outlive the namespace of a test.
describe.each(given === undefined ? [3, 5] : [Number(given)])("fifty random changes (seed %d)", (seed) => {
  const federation = useFederation({ members: PREDICTION_CLUSTERS });

  test("come to what their plans say, on every member and in every field", async () => {
    expect(await expectPredictions(federation, seed, 50)).toBeGreaterThan(50);
  });
});
