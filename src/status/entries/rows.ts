import {
  asCount,
  type ClusterStatusEntry,
  defined,
  hashOf,
  MOST_REPORTED,
  type Reason,
  type ReplicaCounts,
} from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/types.ts";
import type { Health } from "../../interpreter/types.ts";
import type { RowView } from "../types.ts";

/** Sums over the rows of one cluster. */

export const HOLDS_DATA: Reason = "HoldsData";

export function keptData(rows: readonly RowView[]): RowView["stays"] {
  return rows.find(({ stays }) => stays?.reason === HOLDS_DATA)?.stays;
}

export const isWanted = (row: RowView): boolean => row.desiredHash !== undefined;
/** False for a copy that stays with its data, since it is not being removed. */
export const isLeftOver = (row: RowView): boolean =>
  row.desiredHash === undefined && row.observedHash !== undefined && row.stays?.reason !== HOLDS_DATA;
export const isRendered = (row: RowView): boolean => row.role === "rendered" && isWanted(row);

export function isSettled(rows: readonly RowView[]): boolean {
  return rows.some(isWanted) && rows.every((row) => (isWanted(row) ? row.inSync : !isLeftOver(row)));
}

/** The row whose failure is reported, a final failure first. A row in sync has no failure, whatever failed before. */
export function failingRow(rows: readonly RowView[]): (RowView & { failure: Failure }) | undefined {
  const failing = rows.filter(isFailing);
  return failing.find(({ failure }) => failure.final) ?? failing[0];
}

function isFailing(row: RowView): row is RowView & { failure: Failure } {
  return row.failure !== undefined && !(isWanted(row) && row.inSync);
}

const hasHealth = (row: RowView): row is RowView & { health: Health } => row.health !== undefined;

const SEVERITY: Record<Health["state"], number> = { Available: 0, Progressing: 1, Unknown: 2, Degraded: 3, Failed: 4 };

/** The rendered object with the worst health; undefined if the health of any rendered object is unknown. */
export function worstRow(rows: readonly RowView[]): (RowView & { health: Health }) | undefined {
  const rendered = rows.filter(isRendered);
  if (!rendered.every(hasHealth)) return undefined;
  return rendered.reduce<(RowView & { health: Health }) | undefined>(
    (worst, row) => (worst !== undefined && SEVERITY[worst.health.state] >= SEVERITY[row.health.state] ? worst : row),
    undefined,
  );
}

/** `Now` if all rendered objects serve, `Before` if some do by a report before the last change; undefined if one does not. */
export function servingOf(rows: readonly RowView[]): "Now" | "Before" | undefined {
  const serves = rows.filter(isRendered).map(({ health }) => (health?.state === "Available" ? "Now" : health?.serves));
  return serves.includes(undefined) ? undefined : (serves.find((one) => one === "Before") ?? serves[0]);
}

export const NONE: Readonly<ReplicaCounts> = Object.freeze({ desired: 0, updated: 0, ready: 0, available: 0 });

/** Invalid counts become the nearest valid count, since the hub would reject the whole status for one invalid count. */
export function addCounts(a: ReplicaCounts, b: ReplicaCounts): ReplicaCounts {
  const sum = (field: keyof ReplicaCounts): number => asCount(asCount(a[field]) + asCount(b[field]));
  return { desired: sum("desired"), updated: sum("updated"), ready: sum("ready"), available: sum("available") };
}

export function sumOfHealth(rows: readonly RowView[]): ReplicaCounts {
  return rows.reduce((sum, row) => (row.role === "rendered" ? addCounts(sum, row.health?.replicas ?? NONE) : sum), {
    ...NONE,
  });
}

/** The conditions of the object with the worst health, and all addresses up to the limit of an entry. */
export function reportedOn(rows: readonly RowView[]): Pick<ClusterStatusEntry, "conditions" | "addresses"> {
  const conditions = worstRow(rows)?.conditions ?? [];
  const addresses = rows.filter(isRendered).flatMap((row) => row.addresses ?? []);
  return {
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    ...(addresses.length === 0 ? {} : { addresses: addresses.slice(0, MOST_REPORTED) }),
  };
}

export function hashesOf(rows: readonly RowView[]): Pick<ClusterStatusEntry, "desiredHash" | "observedHash"> {
  const rendered = rows.filter(isRendered);
  const desired = combined(rendered, "desiredHash");
  const isAsDesired = rendered.every(({ desiredHash, observedHash }) => desiredHash === observedHash);
  return {
    ...defined({ desiredHash: desired, observedHash: isAsDesired ? desired : combined(rendered, "observedHash") }),
  };
}

/** Combined short hash of several objects, in any order; undefined if no object has a hash. */
export function combined(rows: readonly RowView[], field: "desiredHash" | "observedHash"): string | undefined {
  const hashes = rows.filter((row) => row.role === "rendered").map((row) => row[field] ?? "");
  return hashes.some((hash) => hash !== "") ? hashOf(hashes.toSorted()) : undefined;
}
