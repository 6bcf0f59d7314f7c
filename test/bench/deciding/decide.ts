import { computeTarget, type Snapshot, type Target } from "../../../src/desiredstate/index.ts";
import { snapshots } from "./snapshots.ts";

const OBJECTS = 1_000;
const CLUSTERS = 1_000;
const TARGETS = 100;
const OVERRIDES = 12;
const PASSES = 5;
/** Objects before the first measured one: code that runs for the first time is compiled. */
const WARM_UP = 200;
const NOW = 1_795_000_000_000;

/** The pure function that is measured: nothing else here names it. */
const decide: (snapshot: Snapshot, now: number) => Target = computeTarget;

export interface DecideFigures {
  objects: number;
  clusters: number;
  /** Of the pass in the middle. */
  msPerObject: number;
  /** Of every pass, in order. */
  passes: number[];
  /** The longest single decision of all passes: how long the event loop stands still for it. */
  longestMs: number;
}

/** Decides about every object, several times over. Throws when the decisions are not those that the bench is about. */
export function measureDeciding(): DecideFigures {
  const all = [...snapshots(OBJECTS, CLUSTERS)];
  for (const snapshot of all.slice(0, WARM_UP)) check(decide(snapshot, NOW));
  const passes: number[] = [];
  let longestMs = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    const startedAt = performance.now();
    for (let before = startedAt, index = 0; index < all.length; index++) {
      decide(all[index] as Snapshot, NOW);
      const now = performance.now();
      longestMs = Math.max(longestMs, now - before);
      before = now;
    }
    passes.push((performance.now() - startedAt) / all.length);
  }
  const msPerObject = passes.toSorted((a, b) => a - b)[Math.floor(passes.length / 2)] ?? Number.NaN;
  return { objects: OBJECTS, clusters: CLUSTERS, msPerObject, passes, longestMs };
}

/** Ten of the policies match in any one place: of those by zone and by provider one each. */
function check(target: Target): void {
  const applied = target.clusters.filter(({ frozen, problem }) => !frozen && problem === undefined);
  if (applied.length !== TARGETS || target.overrides.length !== OVERRIDES)
    throw new Error(
      `decided for ${applied.length} clusters with ${target.overrides.length} overrides: ${JSON.stringify(target).slice(0, 2_000)}`,
    );
}
