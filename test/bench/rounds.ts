import type { FloorFigures, RolloutFigures, RoundFigures } from "./figures.ts";

/** A rollout of Meridian's before it is set against a floor. */
export type MeasuredRollout = Omit<RolloutFigures, "ratioMembersFloor" | "ratioFullFloor">;

/** Floors that were measured before and after something stand for the time between. */
export function meanOf(before: FloorFigures, after: FloorFigures): FloorFigures {
  const mean = (figure: keyof FloorFigures): number => (before[figure] + after[figure]) / 2;
  return {
    membersSeconds: mean("membersSeconds"),
    fullSeconds: mean("fullSeconds"),
    updateMembersSeconds: mean("updateMembersSeconds"),
    updateSeconds: mean("updateSeconds"),
  };
}

export function roundOf(floors: FloorFigures, create: MeasuredRollout, update: MeasuredRollout): RoundFigures {
  return {
    floors,
    create: {
      ...create,
      ratioMembersFloor: create.membersSeconds / floors.membersSeconds,
      ratioFullFloor: create.wallSeconds / floors.fullSeconds,
    },
    update: {
      ...update,
      ratioMembersFloor: update.membersSeconds / floors.updateMembersSeconds,
      ratioFullFloor: update.wallSeconds / floors.updateSeconds,
    },
  };
}

/** The round in the middle of all by the sum of its two ratios to the full floor; of an even number the slower one. Needs a round. */
export function middleOf(rounds: readonly RoundFigures[]): RoundFigures {
  const slowness = ({ create, update }: RoundFigures): number => create.ratioFullFloor + update.ratioFullFloor;
  const sorted = rounds.toSorted((a, b) => slowness(a) - slowness(b));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("there was no round");
  return middle;
}
