import type { FleetClusterRow } from "../../query/types.ts";
import { compareText } from "../../query/types.ts";
import { isTrouble } from "./states.ts";

export interface RegionGroup {
  /** Empty for clusters without a region. */
  region: string;
  clusters: FleetClusterRow[];
  troubled: number;
  /** Clusters that are Ready with a reservation, such as slow answers. */
  reserved: number;
  /** Copies that the reader may read: an object on two clusters has two. */
  copies: number;
  unready: number;
}

/** Clusters by region; a region with trouble comes first, and in it the clusters in trouble. */
export function byRegion(clusters: readonly FleetClusterRow[]): RegionGroup[] {
  const groups = Map.groupBy(clusters, ({ region }) => region ?? "");
  return [...groups]
    .map(([region, rows]) => ({
      region,
      clusters: rows.toSorted((a, b) => rank(a) - rank(b) || compareText(a.name, b.name)),
      troubled: rows.filter(({ state }) => isTrouble(state)).length,
      reserved: rows.filter(hasReservation).length,
      copies: sum(rows, ({ objects }) => objects),
      unready: sum(rows, ({ unready }) => unready),
    }))
    .toSorted((a, b) => b.troubled - a.troubled || b.reserved - a.reserved || compareText(a.region, b.region));
}

export function hasReservation({ state, reason }: Pick<FleetClusterRow, "state" | "reason">): boolean {
  return state === "Ready" && reason !== undefined;
}

/** Least first. */
function rank(row: FleetClusterRow): number {
  if (isTrouble(row.state)) return 0;
  return hasReservation(row) ? 1 : row.unready > 0 ? 2 : 3;
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((all, row) => all + of(row), 0);
}
