import type { ClusterValue, ObjectFacts, PlacedFacts } from "../../../src/query/table/index.ts";

/** Objects of a large fleet, the same in every run. */

const CLUSTERS = 200;
const REGIONS = 12;
const NAMESPACES = 400;
const CLUSTERS_OF_OBJECT = 5;
/** Not on a cluster of the first object, whose changes the readers wait for. */
const FIRST_OFFLINE = 7;
/** Of a thousand placed objects. */
const TROUBLED = 20;
const TROUBLES = [
  ["ImagePullBackOff", "Degraded", "Back-off pulling image …: not found"],
  ["CrashLoopBackOff", "Degraded", "container … restarts again and again"],
  ["QuotaExceeded", "Failed", "exceeded quota: …, requested: …"],
  ["Unschedulable", "Degraded", "0/… nodes are available: insufficient cpu"],
  ["AlreadyExists", "Failed", "Deployment … exists and is not Meridian's"],
] as const;

export const START = Date.parse("2026-01-01T00:00:00Z");

export function clusterName(index: number): string {
  return `${regionOf(index)}-${index}`;
}

export function namespaceName(index: number): string {
  return `team-${index % NAMESPACES}`;
}

function regionOf(index: number): string {
  return `region-${index % REGIONS}`;
}

/** The tenth of the members that is offline in the second half of the questions. */
export const OFFLINE: ReadonlySet<string> = new Set(
  Array.from({ length: CLUSTERS / 10 }, (_, index) => clusterName(index * 10 + FIRST_OFFLINE)),
);

export const OUT_OF_CONTACT = { state: "Unknown", reason: "ClusterUnreachable", stale: true } as const;

export function clustersOf(offline: ReadonlySet<string>): ClusterValue[] {
  return Array.from({ length: CLUSTERS }, (_, index) => {
    const name = clusterName(index);
    const common = { name, region: regionOf(index), lastContact: START, since: START, labels: {} };
    if (!offline.has(name)) return { ...common, state: "Ready", stale: false };
    return { ...common, state: "Unreachable", reason: "ClusterUnreachable", stale: true };
  });
}

/** `placed` placed objects, as facts of their objects. */
export function* fleetOf(placed: number, offline: ReadonlySet<string> = new Set()): Iterable<ObjectFacts> {
  for (let index = 0; index * CLUSTERS_OF_OBJECT < placed; index++) {
    const rows = Array.from({ length: CLUSTERS_OF_OBJECT }, (_, at) => placedOf(index, at))
      .map((row) => (offline.has(row.cluster) ? outOfContact(row) : row))
      .toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
    const troubled = rows.find(({ state }) => state !== "Available");
    yield {
      identity: {
        kind: "DemoApplication",
        group: "paas.cmft.com",
        namespace: namespaceName(index),
        name: `app-${index}`,
      },
      uid: `uid-${index}`,
      generation: 1 + (index % 9),
      policy: `Placement/${namespaceName(index)}/policy-${index % 3}`,
      state: troubled === undefined ? "Available" : "Degraded",
      ...(troubled?.reason === undefined ? {} : { reason: troubled.reason }),
      ready: rows.reduce((sum, { ready }) => sum + ready, 0),
      desired: rows.reduce((sum, { desired }) => sum + desired, 0),
      clusters: { ready: rows.filter(({ state }) => state === "Available").length, total: rows.length },
      change: { generation: 1 + (index % 9) },
      waits: [],
      stale: rows.some(({ stale }) => stale),
      labels: { app: `app-${index}`, tier: index % 2 === 0 ? "gold" : "tin" },
      createdAt: "2026-01-01T00:00:00Z",
      placed: rows,
    };
  }
}

/** As the feed has the row of a member that does not answer: the last numbers, and when they were seen. */
function outOfContact(row: PlacedFacts): PlacedFacts {
  const { message: _, ...rest } = row;
  return { ...rest, ...OUT_OF_CONTACT, shape: "", observedAt: START };
}

function placedOf(index: number, at: number): PlacedFacts {
  // Each namespace has objects on every cluster, so that the index has as many cells as a real fleet of this size.
  const where = (index * 3 + Math.floor(index / NAMESPACES) * 7 + at * 41) % CLUSTERS;
  const number = index * CLUSTERS_OF_OBJECT + at;
  const trouble = (number * 2_654_435_761) % 1_000 < TROUBLED ? TROUBLES[number % TROUBLES.length] : undefined;
  const since = START + (number % 86_400) * 1_000;
  const common = { cluster: clusterName(where), region: regionOf(where), desired: 3, stale: false, since };
  if (trouble === undefined) return { ...common, state: "Available", ready: 3 };
  const [reason, state, shape] = trouble;
  return { ...common, state, reason, shape, message: shape.replaceAll("…", `app-${index}`), ready: 1 };
}
