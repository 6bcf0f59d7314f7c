import type { DeletionFigures, FloorFigures, RolloutFigures, RoundFigures } from "./figures.ts";

/** A rollout of Meridian's before it is set against a floor. */
export type MeasuredRollout = Omit<RolloutFigures, "ratioMembersFloor" | "ratioFullFloor">;
export type MeasuredDeletion = Omit<DeletionFigures, "ratioFullFloor">;

/** Floors that were measured before and after something stand for the time between. */
export function meanOf(before: FloorFigures, after: FloorFigures): FloorFigures {
  const mean = ([figure, seconds]: [string, number]) => [figure, (seconds + after[figure as keyof FloorFigures]) / 2];
  return Object.fromEntries(Object.entries(before).map(mean)) as FloorFigures;
}

export function roundOf(
  floors: FloorFigures,
  create: MeasuredRollout,
  update: MeasuredRollout,
  deletion: MeasuredDeletion,
): RoundFigures {
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
    delete: { ...deletion, ratioFullFloor: deletion.wallSeconds / floors.deleteSeconds },
  };
}

/** The round in the middle of all by the sum of its ratios to the full floor; of an even number the slower one. Needs a round. */
export function middleOf(rounds: readonly RoundFigures[]): RoundFigures {
  const slowness = ({ create, update, delete: deletion }: RoundFigures): number =>
    create.ratioFullFloor + update.ratioFullFloor + deletion.ratioFullFloor;
  const sorted = rounds.toSorted((a, b) => slowness(a) - slowness(b));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("there was no round");
  return middle;
}

/** The value in the middle; of an even number the greater one. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
