import { expect } from "vitest";
import { type Bounds, divideWithin } from "./divide.ts";

/** Row of a table of divisions, with the whole expected result. */
export interface DivisionCase {
  name: string;
  total: number;
  weights: Record<string, number>;
  /** Default: no bounds. */
  bounds?: Bounds;
  /** Current replicas by cluster; absent: not known. */
  holds?: Record<string, number>;
  want: Record<string, number>;
  /** Default: 0. */
  unplaced?: number;
  /** Default: no cluster. */
  belowMinimum?: readonly string[];
}

export function expectDivision(row: DivisionCase): void {
  const { total, weights, bounds = {}, holds, want, unplaced = 0, belowMinimum = [] } = row;
  const ties = holds === undefined ? undefined : { holds: new Map(Object.entries(holds)) };
  expect(divideWithin(total, weights, bounds, ties)).toEqual({ replicas: want, unplaced, belowMinimum });
}
