import { fc } from "@fast-check/vitest";

/** With `MERIDIAN_PROPERTY_RUNS=10000` every property of the unit tests that says no number of its own is tried so often. */
fc.configureGlobal({ numRuns: Number(process.env["MERIDIAN_PROPERTY_RUNS"]) });
