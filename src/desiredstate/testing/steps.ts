import { step } from "../rows/step.ts";
import type { Observation, Row, StepInput, Target } from "../types.ts";
import { copy, placement, stepInput, targetOf } from "./builders.ts";

/** What `step` makes of an object towards a target. */
export const rowsOf = (input: Partial<StepInput>): readonly Row[] => step(stepInput(input)).rows;
/** `verb cluster kind/name why` of each row. */
export const texts = (input: Partial<StepInput>): string[] =>
  rowsOf(input).map((row) => {
    const why = row.verb === "Apply" ? "" : ` ${row.why.reason}`;
    return `${row.verb} ${row.cluster} ${row.ref.kind}/${row.ref.name}${why}`;
  });

export const inChina = placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }] });
export const everywhere = placement("p");
export const target = (more: Parameters<typeof targetOf>[0] = {}): Target =>
  targetOf({ placements: [everywhere], ...more });

export const observed = (cluster: string, ref: Observation["ref"]): Observation => ({
  ...copy(cluster, "Service"),
  ref,
});
export const named = (kind: string, name: string): Observation["ref"] => ({
  apiVersion: "v1",
  kind,
  namespace: "default",
  name,
});
