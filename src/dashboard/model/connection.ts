/** What the page knows of one stream. */
export type Connection =
  /** `since`: of the first try, in epoch milliseconds. */
  | { is: "Connecting"; since: number }
  /** `heardAt`: when the last byte came. */
  | { is: "Live"; heardAt: number }
  | { is: "Lost"; since: number; retryAt: number; message: string }
  /** The server knows the reader and refuses. */
  | { is: "Refused"; message: string }
  /** The server does not know the reader. */
  | { is: "SignedOut"; message: string };

/** The server sends a heartbeat every 15 seconds. */
export const SILENT_MS = 40_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** How long to wait before the next try. `chance` between 0 and 1 keeps many pages from coming back at once. */
export function retryDelay(failures: number, chance: number, retryAfterSeconds = 0): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(Math.max(failures - 1, 0), 16));
  return Math.max(retryAfterSeconds * 1_000, longest * (0.5 + chance / 2));
}

export type Freshness = "Loading" | "Live" | "Stale" | "Refused" | "SignedOut";

/** How far rows on the screen can be trusted. */
export function freshnessOf(connection: Connection, now: number): Freshness {
  switch (connection.is) {
    case "Connecting":
      return "Loading";
    case "Live":
      return now - connection.heardAt > SILENT_MS ? "Stale" : "Live";
    case "Lost":
      return "Stale";
    default:
      return connection.is;
  }
}

/** The state of the page as a whole: the worst of its streams, and a refusal only if all are refused. */
export function overallOf(connections: readonly Connection[], now: number): Freshness {
  const all = connections.map((one) => freshnessOf(one, now));
  for (const worst of ["SignedOut", "Stale"] as const) if (all.includes(worst)) return worst;
  if (all.length > 0 && all.every((one) => one === "Refused")) return "Refused";
  return all.includes("Loading") ? "Loading" : "Live";
}
