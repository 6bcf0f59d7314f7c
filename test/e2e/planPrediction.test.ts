import { expect, test } from "vitest";
import { useFederation } from "./federation.ts";
import { expectPredictions } from "./planPrediction.ts";
import { PREDICTION_CLUSTERS } from "./randomChanges.ts";

/** The longer version, with fifty changes, is in test/faults. */

const federation = useFederation({ members: PREDICTION_CLUSTERS });

test("what a plan says is what applying then does, on every member and in every field", async () => {
  expect(await expectPredictions(federation, 2, 8)).toBeGreaterThan(0);
});
