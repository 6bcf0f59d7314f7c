import { expect } from "vitest";
import { cluster, placement, subject } from "../../testing.ts";
import type { ClusterSnapshot, PlacementRules, Subject } from "../../types.ts";
import { pick } from "../pick.ts";

/** Fixtures for the tests of a pick. */

type Constraint = NonNullable<PlacementRules["spreadConstraints"]>[number];

export const over = (topologyKey: string, minGroups?: number, maxGroups?: number): Constraint => ({
  topologyKey,
  ...(minGroups === undefined ? {} : { minGroups }),
  ...(maxGroups === undefined ? {} : { maxGroups }),
  whenUnsatisfiable: "DoNotSchedule",
});
export const softly = (topologyKey: string, minGroups: number): Constraint => ({
  ...over(topologyKey, minGroups),
  whenUnsatisfiable: "ScheduleAnyway",
});
/** Parses clusters: `a1 p` is cluster `a1` in region `a` of provider `p`; `-1` is in no region. A third word is the rack. */
export function clustersOf(text: string): ClusterSnapshot[] {
  return text.split(", ").map((one) => {
    const [name = "", provider, rack] = one.split(" ");
    const region = name.slice(0, 1);
    return cluster(name, {
      ...(region === "-" ? {} : { region }),
      ...(provider === undefined || provider === "-" ? {} : { provider }),
      labels: { name, ...(rack === undefined ? {} : { "example.com/rack": rack }) },
    });
  });
}
export const preferring = (weights: Record<string, number>): PlacementRules["clusterPreferences"] =>
  Object.entries(weights).map(([name, weight]) => ({ targetClusters: { clusterNames: [name] }, weight }));

export interface PickCase {
  name: string;
  clusters: string;
  rules: Partial<PlacementRules>;
  who?: Partial<Subject>;
  taken: string[];
  notes?: string[];
  /** Expected steps of some clusters: `STEP REASON: message`, and the remedy after ` | `. */
  said?: Record<string, string>;
}

export function picks({ clusters, rules, who = {}, taken, notes = [], said = {} }: PickCase): void {
  const all = clustersOf(clusters);
  const got = pick(subject(who), placement(rules), all);
  expect(all.filter((_, i) => got.taken[i]).map(({ name }) => name)).toEqual(taken);
  expect(got.taken).toHaveLength(all.length);
  expect(got.notes).toEqual(notes);
  const answers = all.flatMap(({ name }, i): [string, string][] => {
    const step = got.steps[i];
    if (step === undefined || said[name] === undefined) return [];
    expect([step.stage, step.fits]).toEqual(["select", taken.includes(name)]);
    const remedy = step.remedy === undefined ? "" : ` | ${step.remedy}`;
    return [[name, `${step.name} ${step.reason}: ${step.message}${remedy}`]];
  });
  expect(Object.fromEntries(answers)).toEqual(said);
}
