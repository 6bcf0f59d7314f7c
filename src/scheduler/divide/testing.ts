import { expect } from "vitest";
import { type Bounds, divideWithin } from "./divide.ts";

/** A row of a table of divisions, and all of the answer. */
export interface DivisionCase {
  name: string;
  total: number;
  weights: Record<string, number>;
  /** None: there are none. */
  bounds?: Bounds;
  /** Replicas that the clusters have; absent: nothing is known of any. */
  holds?: Record<string, number>;
  want: Record<string, number>;
  /** None: 0. */
  unplaced?: number;
  /** None: nobody. */
  belowMinimum?: readonly string[];
}

export function expectDivision(row: DivisionCase): void {
  const { total, weights, bounds = {}, holds, want, unplaced = 0, belowMinimum = [] } = row;
  const ties = holds === undefined ? undefined : { holds: new Map(Object.entries(holds)) };
  expect(divideWithin(total, weights, bounds, ties)).toEqual({ replicas: want, unplaced, belowMinimum });
}
