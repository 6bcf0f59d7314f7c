import { compareText } from "../order.ts";

/** A cluster that may be picked. */
export interface Candidate {
  /** Its place among the candidates. */
  index: number;
  name: string;
  /** How good it is; never negative. */
  value: number;
  /** Its group by each constraint, a number each; {@link NO_GROUP} where it has none. */
  groups: readonly number[];
}

export const NO_GROUP = -1;

/** Candidates of the same groups: whatever is asked of groups, the best of a class can stand for any of it. */
export interface CandidateClass {
  groups: readonly number[];
  /** The best first; equal ones by name. */
  members: readonly Candidate[];
  /** Value of the first so many members. */
  sums: readonly number[];
}

/** In the order of their best members. */
export function classesOf(candidates: readonly Candidate[]): CandidateClass[] {
  const byGroups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = candidate.groups.join();
    const same = byGroups.get(key);
    if (same === undefined) byGroups.set(key, [candidate]);
    else same.push(candidate);
  }
  return [...byGroups.values()].map(classOf).sort((a, b) => byWorth(a.members[0], b.members[0]));
}

function classOf(members: Candidate[]): CandidateClass {
  members.sort(byWorth);
  let sum = 0;
  const sums = [0, ...members.map(({ value }) => (sum += value))];
  return { groups: members[0]?.groups ?? [], members, sums };
}

export function byWorth(a: Candidate | undefined, b: Candidate | undefined): number {
  return (b?.value ?? 0) - (a?.value ?? 0) || compareText(a?.name ?? "", b?.name ?? "");
}
