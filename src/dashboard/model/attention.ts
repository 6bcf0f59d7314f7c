import type { CauseRow, FederatedObjectRow, FleetClusterRow, PlacedObjectRow } from "../../query/types.ts";
import { keyOfObject } from "./names.ts";
import { compareIdentity, compareText } from "../../query/types.ts";

/** Reasons of copies that are held, or about to be deleted. */
export const HELD_REASONS = [
  ...["AlreadyExists", "AwaitingReplacement", "AwaitingReturn", "ClusterLeaving", "CustomObjectsExist"],
  ...["DeletionPolicyMissing", "DeletionWaits", "DeletionsHeld", "Deleting", "FailoverHeld", "HandoverWaits"],
  ...["HoldsData", "KindBeingDeleted", "NamespaceOccupied", "NamespaceTerminating", "ObjectDeleted", "Removing"],
  ...["Suspended", "Terminating"],
] as const;

/** Most objects first; among equals, those that last the longest. */
export function sortedCauses(causes: readonly CauseRow[]): CauseRow[] {
  return causes.toSorted(
    (a, b) =>
      b.objects - a.objects ||
      compareText(a.since ?? "", b.since ?? "") ||
      compareText(a.reason, b.reason) ||
      compareText(a.shape, b.shape),
  );
}

/** Rollouts that go on when a person says so; the longest wait first. */
export function waitingForPerson(rows: readonly FederatedObjectRow[]): FederatedObjectRow[] {
  return rows
    .filter(({ waits }) => waits.some(isForPerson))
    .toSorted((a, b) => compareText(waitSince(a), waitSince(b)) || compareIdentity(a, b));
}

export function waitSince({ waits }: FederatedObjectRow): string {
  return (
    waits
      .filter(isForPerson)
      .map(({ since }) => since)
      .toSorted()[0] ?? ""
  );
}

function isForPerson({ for: what }: { for: string }): boolean {
  return what === "approval";
}

/** The longest first. A row that was found by its state and by its reason is there once. */
export function sortedHeld(rows: readonly PlacedObjectRow[]): PlacedObjectRow[] {
  const each = new Map(rows.map((row) => [`${keyOfObject(row)} ${row.cluster}`, row]));
  return [...each.values()].toSorted(
    (a, b) => compareText(a.since ?? "", b.since ?? "") || compareIdentity(a, b) || compareText(a.cluster, b.cluster),
  );
}

export interface Observation {
  at: string;
  cluster: string;
}

/** The oldest observation among what is on the screen. Undefined: everything is current. */
export function oldestObservation(
  clusters: readonly FleetClusterRow[],
  placed: readonly PlacedObjectRow[],
): Observation | undefined {
  const stale = [
    ...clusters.flatMap(({ name, lastContact }) =>
      lastContact === undefined ? [] : [{ at: lastContact, cluster: name }],
    ),
    ...placed.flatMap(({ stale: isStale, observedAt, cluster }) => (isStale ? [{ at: observedAt, cluster }] : [])),
  ];
  return stale.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || compareText(a.cluster, b.cluster))[0];
}
