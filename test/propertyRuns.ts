import { fc } from "@fast-check/vitest";

/** With `MERIDIAN_PROPERTY_RUNS=10000` every property of the unit tests that says no number of its own is tried so often. */
const runs = process.env["MERIDIAN_PROPERTY_RUNS"];
if (runs !== undefined) fc.configureGlobal({ numRuns: Number(runs) });
