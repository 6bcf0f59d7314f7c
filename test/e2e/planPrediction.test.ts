import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { explainFailure, Federation } from "./federation.ts";
import { expectPredictions } from "./planPrediction.ts";
import { PREDICTION_CLUSTERS } from "./randomChanges.ts";

/** The longer version, with fifty changes, is in test/faults. */

let federation: Federation;

beforeAll(async () => {
  federation = await Federation.start({ members: PREDICTION_CLUSTERS });
});
afterAll(() => federation?.[Symbol.asyncDispose]());
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

test("what a plan says is what applying then does, on every member and in every field", async () => {
  expect(await expectPredictions(federation, 2, 8)).toBeGreaterThan(0);
});
