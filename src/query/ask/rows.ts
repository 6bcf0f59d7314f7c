import { defined, timestamp } from "../../apis/index.ts";
import type { ClusterValue, ObjectValue, PlacedValue, Transition } from "../table/index.ts";
import type { FederatedObjectRow, FleetClusterRow, PlacedObjectRow, TransitionRow } from "../types.ts";

/** `now`: moment of the answer, in epoch milliseconds. A row that is not stale was observed at that moment. */
export function objectRow(object: ObjectValue, now: number): FederatedObjectRow {
  const { identity, uid, generation, policy, state, reason, message, ready, desired, clusters, worst, change } = object;
  const { waits, stale, labels, createdAt } = object;
  return {
    ...identity,
    ...defined({ uid, generation, policy }),
    state,
    ...defined({ reason, message }),
    ready,
    desired,
    clusters: { ...clusters },
    ...defined({ worst, since: timeOf(object.since), change }),
    waits: [...waits],
    observedAt: timestamp(object.observedAt ?? now),
    stale,
    labels,
    ...defined({ createdAt }),
  };
}

export function placedRow(object: ObjectValue, placed: PlacedValue, now: number): PlacedObjectRow {
  const { cluster, region, state, reason, message, ready, desired, stale } = placed;
  return {
    ...object.identity,
    cluster,
    ...defined({ region }),
    state,
    ...defined({ reason, message }),
    ready,
    desired,
    ...defined({ since: timeOf(placed.since) }),
    observedAt: timestamp(placed.observedAt ?? now),
    stale,
    labels: object.labels,
    ...defined({ policy: object.policy }),
  };
}

export function rowOf(object: ObjectValue, placed: PlacedValue | undefined, now: number): object {
  return placed === undefined ? objectRow(object, now) : placedRow(object, placed, now);
}

const MOST_SHARED = 512;

/** The rows of the last events. A hundred watches show the same row of a change, so the row is made once. */
export class SharedRows {
  readonly #rows = new Map<object, { object: ObjectValue; second: number; row: object }>();

  /** Nobody may change the row. */
  of(object: ObjectValue, placed: PlacedValue | undefined, now: number): object {
    const key = placed ?? object;
    // Times in rows are whole seconds.
    const second = Math.floor(now / 1_000);
    const known = this.#rows.get(key);
    if (known?.object === object && known.second === second) return known.row;
    const row = rowOf(object, placed, now);
    if (this.#rows.size >= MOST_SHARED) this.#rows.clear();
    this.#rows.set(key, { object, second, row });
    return row;
  }
}

export function clusterRow(
  { name, region, state, reason, message, lastContact, kubernetesVersion, since, stale, labels }: ClusterValue,
  { objects, unready }: { objects: number; unready: number },
): FleetClusterRow {
  return {
    name,
    ...defined({ region }),
    state,
    ...defined({ reason, message, lastContact: timeOf(lastContact), kubernetesVersion }),
    objects,
    unready,
    ...defined({ since: timeOf(since) }),
    stale,
    labels,
  };
}

export function transitionRow(transition: Transition): TransitionRow {
  const { at, object, cluster, from, to, reason, message, because, eventId } = transition;
  return {
    at: new Date(at).toISOString(),
    ...defined({ object, cluster }),
    from,
    to,
    reason,
    ...defined({ message, because, eventId }),
  };
}

export function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : timestamp(ms);
}
