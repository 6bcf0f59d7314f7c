import { counted } from "../../apis/index.ts";
import type { Score } from "../score/staticWeight.ts";
import type { ClusterSnapshot, PlacementRules, Step } from "../types.ts";
import { divideWithin, type TieBreak } from "./divide.ts";

/** A cluster that gets none of a positive total does not fit. */
export interface ReplicaShare {
  replicas: number;
  step: Step;
}

export interface Shares {
  shares: ReplicaShare[];
  /** Replicas without a place, since every cluster in use is at its maximum. */
  unplaced: number;
}

/** Divides the replicas by score, within the placement's bounds and steps. Adds to `notes` what could not be done. */
export function shareReplicas(
  total: number,
  clusters: readonly ClusterSnapshot[],
  scores: readonly Score[],
  { minReplicasPerCluster: min, maxReplicasPerCluster: max, replicaStep: step }: PlacementRules["replicaScheduling"],
  ties: TieBreak,
  notes: string[],
): Shares {
  const weights = Object.fromEntries(clusters.map(({ name }, i) => [name, scores[i]?.weight ?? 0]));
  const division = divideWithin(total, weights, { min, max, step }, ties);
  const unplaced = clusters.length === 0 ? 0 : division.unplaced;
  if (unplaced > 0) notes.push(unplacedText(unplaced, total));
  if (division.belowMinimum.length > 0 || (total > 0 && total < (min ?? 0))) {
    notes.push(
      `${counted(total, "replica")} ${total === 1 ? "is" : "are"} too few for minReplicasPerCluster on each cluster`,
    );
  }
  const belowMinimum = new Set(division.belowMinimum);
  const shares = clusters.map(({ name }): ReplicaShare => {
    const replicas = division.replicas[name] ?? 0;
    if (replicas === 0 && total > 0) {
      const message = whyNone(total, weights[name] ?? 0, belowMinimum.has(name));
      return { replicas, step: { ...STEP, fits: false, reason: "NoReplicas", message } };
    }
    // Replicas have no place only if every cluster that gets any is at its maximum.
    const rest = unplaced > 0 ? `, its most; ${unplaced} ${unplaced === 1 ? "has" : "have"} no place` : "";
    const message = `gets ${replicas} of ${counted(total, "replica")}${rest}`;
    return { replicas, step: { ...STEP, fits: true, reason: "Selected", message } };
  });
  return { shares, unplaced };
}

/** For the author of the placement. */
export function unplacedText(unplaced: number, total: number): string {
  return `maxReplicasPerCluster leaves ${unplaced} of ${counted(total, "replica")} without a place`;
}

const STEP = { stage: "divide", name: "LargestRemainder" } as const;

function whyNone(total: number, weight: number, belowMinimum: boolean): string {
  if (belowMinimum)
    return `${counted(total, "replica")} ${total === 1 ? "is" : "are"} too few for minReplicasPerCluster on each cluster`;
  return weight === 0
    ? "no weight is given for it"
    : `${counted(total, "replica")} divided by weight ${total === 1 ? "leaves" : "leave"} none for it`;
}
