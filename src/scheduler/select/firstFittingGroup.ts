import { type AffinityGroup, durationMs } from "../../apis/index.ts";
import type { Filtered } from "../filter/filterClusters.ts";
import type { ClusterSnapshot, Decision, PlacementRules, Step, Subject } from "../types.ts";
import type { Picked } from "./pick.ts";

export interface Selection {
  /** Undefined if the placement has none, or none fits. */
  group: AffinityGroup | undefined;
  selected: readonly ClusterSnapshot[];
  /** In the order of the clusters. */
  filtered: readonly Filtered[];
  /** In the order of the clusters; undefined if nothing is picked. */
  scores?: readonly (Step | undefined)[] | undefined;
  picks?: readonly (Step | undefined)[] | undefined;
  /** Step of all clusters that no filter refuses. */
  step: Step;
  /** If no group fits, in the order of the clusters. */
  stepsByCluster?: readonly (Step | undefined)[];
  /** When the first of the selected clusters stops fitting, epoch milliseconds or infinity. */
  until: number;
  /** Earlier group, and when the object returns to it. */
  returning?: Decision["returning"];
  notes: readonly string[];
}

/** Filter answers for all clusters, and the pick that follows. */
export interface Round {
  filtered: readonly Filtered[];
  /** Picks among the clusters that no filter refuses. */
  pick: ((clusters: readonly ClusterSnapshot[]) => Picked) | undefined;
}

/** Input for the return to an earlier group. */
export interface Returning {
  subject: Subject;
  placement: PlacementRules;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Selects in the first affinity group in which a cluster fits and the spread is met. An object in a later group returns
 * only `failover.returnAfter` after the earlier one fits again. If none fits, each cluster gets the answer of the first
 * group whose selector took it, else of the first group.
 */
export function firstFittingGroup(
  clusters: readonly ClusterSnapshot[],
  groups: readonly AffinityGroup[] | undefined,
  returning: Returning,
  ask: (group: AffinityGroup | undefined) => Round,
): Selection {
  if (groups === undefined || groups.length === 0) return selectionOf(clusters, undefined, ask(undefined));
  const tried: Selection[] = [];
  for (const [at, group] of groups.entries()) {
    const selection = selectionOf(clusters, group, ask(group));
    if (selection.selected.length > 0)
      return staying(selection, groups.slice(at + 1), returning, (later) => selectionOf(clusters, later, ask(later)));
    tried.push(selection);
  }
  return closest(tried);
}

/** While it is too early to return to an earlier group. */
function staying(
  first: Selection,
  later: readonly AffinityGroup[],
  { subject, placement, now }: Returning,
  select: (group: AffinityGroup) => Selection,
): Selection {
  const { current, currentGroup, returnNotBefore = Number.NEGATIVE_INFINITY } = subject;
  const after = durationMs(placement.failover?.returnAfter ?? "0s");
  const group = first.group;
  if (later.length === 0 || current.size === 0 || group === undefined) return first;
  const at = Math.max(returnNotBefore, after === 0 ? Number.NEGATIVE_INFINITY : fitsSince(first.selected) + after);
  if (at <= now) return first;
  const isIn = (selection: Selection): boolean =>
    currentGroup === undefined
      ? selection.selected.some(({ name }) => current.has(name))
      : selection.group?.name === currentGroup;
  if (isIn(first)) return first;
  for (const next of later) {
    const selection = select(next);
    if (selection.selected.length === 0 || !isIn(selection)) continue;
    return { ...selection, until: Math.min(selection.until, at), returning: { group: group.name, at } };
  }
  return first;
}

/** Time since when one of the clusters is ready, so that a return was possible. */
function fitsSince(clusters: readonly ClusterSnapshot[]): number {
  return Math.min(...clusters.map(({ ready }) => (ready?.status === "True" ? ready.since : Number.NEGATIVE_INFINITY)));
}

function selectionOf(
  clusters: readonly ClusterSnapshot[],
  group: AffinityGroup | undefined,
  { filtered, pick }: Round,
): Selection {
  const step = stepOf(group);
  const fitting: ClusterSnapshot[] = [];
  const places: number[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const [i, cluster] of clusters.entries()) {
    const one = filtered[i];
    if (one === undefined || one.refusal !== undefined) continue;
    fitting.push(cluster);
    places.push(i);
    if (one.until < until) until = one.until;
  }
  if (pick === undefined) return { group, selected: fitting, filtered, step, until, notes: [] };
  return { group, filtered, step, ...pickedOf(fitting, places, filtered, pick(fitting)) };
}

function pickedOf(
  fitting: readonly ClusterSnapshot[],
  places: readonly number[],
  filtered: readonly Filtered[],
  picked: Picked,
): Pick<Selection, "selected" | "scores" | "picks" | "until" | "notes"> {
  let until = Number.POSITIVE_INFINITY;
  const selected: ClusterSnapshot[] = [];
  const scores: (Step | undefined)[] = filtered.map(() => undefined);
  const picks: (Step | undefined)[] = filtered.map(() => undefined);
  for (const [at, cluster] of fitting.entries()) {
    const place = places[at] ?? 0;
    scores[place] = picked.scores[at];
    picks[place] = picked.steps[at];
    if (picked.taken[at] === false) continue;
    selected.push(cluster);
    until = Math.min(until, filtered[place]?.until ?? until);
  }
  return { selected, scores, picks, until, notes: picked.notes };
}

function closest(tried: readonly Selection[]): Selection {
  const [first] = tried;
  const answered = (first?.filtered ?? []).map(
    (_, i) => tried.find(({ filtered }) => filtered[i]?.refusal?.name !== "Affinity") ?? first,
  );
  return {
    group: undefined,
    selected: [],
    filtered: answered.flatMap((one, i) => one?.filtered[i] ?? []),
    scores: answered.map((one, i) => one?.scores?.[i]),
    picks: answered.map((one, i) => one?.picks?.[i]),
    step: stepOf(undefined),
    stepsByCluster: answered.map((one) => one?.step),
    until: Number.POSITIVE_INFINITY,
    notes: [],
  };
}

function stepOf(group: AffinityGroup | undefined): Step {
  const message = group === undefined ? "every cluster is allowed" : `in group ${group.name}`;
  return { stage: "select", name: "FirstFittingGroup", fits: true, reason: "Selected", message };
}
