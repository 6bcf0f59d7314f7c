import { compareText } from "../order.ts";

/** A cluster that may be picked. */
export interface Candidate {
  index: number;
  name: string;
  /** Never negative. */
  value: number;
  /** By constraint. */
  groups: readonly number[];
}

export const NO_GROUP = -1;

/** Candidates in the same groups, which can replace each other. */
export interface CandidateClass {
  groups: readonly number[];
  /** Best first; equal ones by name. */
  members: readonly Candidate[];
  /** Total value of the first n members, by n. */
  sums: readonly number[];
}

/** Classes in the order of their best members. */
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
