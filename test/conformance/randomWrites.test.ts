import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { bothSides, makeNamespace } from "./framework/conformance.ts";
import { differences } from "./framework/differences.ts";
import type { Client } from "./framework/client.ts";
import { type Outcome, Play } from "./framework/play.ts";
import { writesTo } from "./framework/randomWrites.ts";
import type { Step } from "./framework/requests.ts";
import { writables } from "./framework/wishes.ts";

/** More of them, or others: set these for a longer search. */
const RUNS = Number(process.env["CONFORMANCE_RUNS"] ?? 40);
const SEED = Number(process.env["CONFORMANCE_SEED"] ?? 20_260_101);
const NAMESPACE = "random-writes";

/** Warnings of legal but odd pod templates are many, and not what is looked for here. */
function withoutWarnings(outcome: Outcome | undefined): unknown {
  return { ...outcome, warnings: undefined };
}

describe("random writes by several field managers leave the same object and the same owners", () => {
  const { real, sandbox } = bothSides();
  beforeAll(() => Promise.all([makeNamespace(real, NAMESPACE), makeNamespace(sandbox, NAMESPACE)]));

  test.concurrent.each(writables)("$resource", { timeout: 240_000 + RUNS * 4000 }, async (writable) => {
    let objects = 0;
    const sameOnBoth = async (steps: Step[]) => {
      const words = { ns: NAMESPACE, object: `o${++objects}` };
      const playOn = (client: Client) => new Play(client, words, false).run(steps);
      const [wanted, got] = await Promise.all([playOn(real), playOn(sandbox)]);
      for (const [index, outcome] of wanted.entries()) {
        const sandboxOutcome = got[index];
        // A map from which an apply took the last member may become null in the real server, which then refuses its own work.
        const hasWrongType = (one: Outcome | undefined) => JSON.stringify(one).includes("FieldValueTypeInvalid");
        if (hasWrongType(outcome) && !hasWrongType(sandboxOutcome)) return;
        expect(
          differences(withoutWarnings(outcome), withoutWarnings(sandboxOutcome)),
          `step ${index + 1}, ${outcome.request}`,
        ).toEqual([]);
        // Nothing was created, so there is nothing to write to.
        if (index === 0 && outcome.code >= 400) return;
      }
    };
    await fc.assert(fc.asyncProperty(writesTo(writable), sameOnBoth), { numRuns: RUNS, seed: SEED });
  });
});
