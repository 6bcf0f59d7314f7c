import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import type { KubeObject, Resource } from "../types.ts";
import { gadgets } from "./testing/gadget.ts";
import { outcomeOf, replay, type Step } from "./testing/replay.ts";

// What a real API server answered: test/conformance/recordFields.ts asks it again.
const recorded = readFileSync(new URL("testdata/answers.ndjson", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Step & { sequence: string });
const sequences = Object.entries(Object.groupBy(recorded, ({ sequence }) => sequence)).map(
  ([name, steps]) => [name, steps ?? []] as const,
);

/** What that server sets after it noted the owners, or puts back after that. */
const ALLOCATED: Record<string, readonly string[]> = {
  services: ["/spec/clusterIP", "/spec/clusterIPs", "/spec/ipFamilies", "/spec/ipFamilyPolicy", "/spec/ports/nodePort"],
  pods: [
    "/spec/serviceAccount",
    "/spec/serviceAccountName",
    "/spec/tolerations",
    "/spec/priority",
    "/spec/preemptionPolicy",
    "/status/observedGeneration",
  ],
};

describe.each(sequences)("as a real API server: %s", (name, steps) => {
  const lives = livesOf(steps);
  test.each(steps.map((step, index) => [step.name, index] as const))("%s", (_, index) => {
    const step = steps[index] as Step;
    const outcome = replay(lives[index], step, resourceOf(step.resource), ALLOCATED[name] ?? []);
    expect(outcome).toEqual(outcomeOf(step));
  });
});

/** The object before each step. */
function livesOf(steps: readonly Step[]): (KubeObject | undefined)[] {
  let live: KubeObject | undefined;
  return steps.map(({ status, answer }) => {
    const before = live;
    if (status < 400) live = answer as unknown as KubeObject;
    return before;
  });
}

function resourceOf(name: string): Resource {
  const plural = name.slice(name.lastIndexOf("/") + 1);
  const found = [...builtinResources(), gadgets].find((resource) => resource.plural === plural);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}
