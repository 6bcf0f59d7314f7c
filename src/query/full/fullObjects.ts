import {
  type ClusterStatusEntry,
  defined,
  type FederatedStatus,
  isOutOfContact,
  type RolloutStatus,
  timestamp,
} from "../../apis/index.ts";
import type { PlannerView } from "../../controllers/index.ts";
import type { ClusterDifference, Explanation } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type Clock, TimeSlice } from "../../runtime/index.ts";
import { entriesOf } from "../feed/index.ts";
import { objectKey, type Table } from "../table/index.ts";
import { compareText, type FederatedObjectRow, type TransitionRow } from "../types.ts";
import { narrowed } from "./narrowed.ts";

/** The entry of one cluster in the status of the object. */
export interface PlacedInFull extends Omit<ClusterStatusEntry, "name" | "observedAt"> {
  cluster: string;
  /** When the cluster was last heard of. */
  observedAt: string;
  /** The cluster is out of contact: its numbers may be out of date. */
  stale: boolean;
}

/** The row, with everything that the hub knows of the object. */
export interface FullObject extends FederatedObjectRow {
  conditions: NonNullable<FederatedStatus["conditions"]>;
  /** Of every cluster, or of those that the request names. */
  placed: PlacedInFull[];
  rollout?: RolloutStatus;
  /** The last ones, newest first. */
  transitions: TransitionRow[];
  /** Why the object runs where it does. */
  explanation?: Explanation;
  differences: ClusterDifference[];
  /** What is left out of this answer, and why. */
  notes: string[];
}

export interface FullOptions {
  /** Undefined: all. */
  clusters?: ReadonlySet<string>;
  mayReadClusters: boolean;
}

export interface FullSource {
  of(row: FederatedObjectRow, transitions: TransitionRow[], options: FullOptions): Promise<FullObject>;
}

export interface FullSources {
  table: Pick<Table, "object">;
  hub: Pick<HubCache, "object" | "statuses">;
  view: Pick<PlannerView, "states" | "statuses" | "decisions">;
  clock: Clock;
}

/**
 * Answers from the planner's tables and caches, and never from a member. An object on a thousand clusters takes some tens
 * of milliseconds for each step. So there is one answer at a time, and it pauses between its steps.
 */
export class FullObjects implements FullSource {
  readonly #sources: FullSources;
  readonly #slice: TimeSlice;
  /** Ends with the last answer that was begun. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(sources: FullSources) {
    this.#sources = sources;
    this.#slice = TimeSlice.of(sources.clock);
  }

  of(row: FederatedObjectRow, transitions: TransitionRow[], options: FullOptions): Promise<FullObject> {
    const answer = this.#last.then(() => this.#answer(row, transitions, options));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #answer(row: FederatedObjectRow, transitions: TransitionRow[], options: FullOptions): Promise<FullObject> {
    const { table, hub, view, clock } = this.#sources;
    const owner = objectKey(row);
    const now = clock.now();
    const found = hub.object(owner);
    const known = found === undefined ? undefined : hub.statuses.of(found.object, found.kind);
    const plan = view.states.planOf(owner);
    const rows = table.object(row)?.placed ?? [];
    const present = view.statuses.present(owner, entriesOf(rows, known?.clusters));
    const isWanted = (cluster: string): boolean => options.clusters?.has(cluster) !== false;
    const entries = present?.entries ?? [...(known?.clusters ?? []), ...entriesOf(rows, known?.clusters)];
    const placed = entries
      .filter(({ name }) => isWanted(name))
      .map((entry) => placedInFull(entry, now))
      .toSorted((a, b) => compareText(a.cluster, b.cluster));
    await this.#slice.pause();
    const explanation = view.decisions.explain(owner);
    await this.#slice.pause();
    const differences = view.decisions.differences(owner);
    await this.#slice.pause();
    const places = new Set(entries.map(({ name }) => name));
    const shownDifferences = differences.filter(
      ({ cluster }) => isWanted(cluster) && (options.mayReadClusters || places.has(cluster)),
    );
    const notes: string[] = shownDifferences.length > 0 ? [AS_OBSERVED] : [];
    if (explanation === undefined) notes.push(plan?.ours === true ? NOT_YET_EXPLAINED : NOT_PLANNED_HERE);
    else if (!options.mayReadClusters) notes.push(ONLY_WHERE_PLACED);
    const shown = explanation === undefined || options.mayReadClusters ? explanation : narrowed(explanation, places);
    return {
      ...row,
      conditions: (present?.status ?? known)?.conditions ?? [],
      placed,
      ...defined({ rollout: plan?.rollout ?? known?.rollout }),
      transitions,
      ...(shown === undefined
        ? {}
        : { explanation: { ...shown, clusters: shown.clusters.filter(({ name }) => isWanted(name)) } }),
      differences: shownDifferences,
      notes,
    };
  }
}

const AS_OBSERVED = "differences are those to the last observations of the manager: no member was read for this answer";
const NOT_PLANNED_HERE = "no explanation: this manager does not plan the object, or has not planned it yet";
const NOT_YET_EXPLAINED = "no explanation: what the object depends on is still being read; ask again";
const ONLY_WHERE_PLACED =
  "you may not list memberclusters: the explanation tells only of clusters where the object is, and without its steps";

function placedInFull({ name, observedAt, ...entry }: ClusterStatusEntry, now: number): PlacedInFull {
  const stale = isOutOfContact(entry);
  return {
    ...entry,
    cluster: name,
    observedAt: stale && observedAt !== undefined ? observedAt : timestamp(now),
    stale,
  };
}
