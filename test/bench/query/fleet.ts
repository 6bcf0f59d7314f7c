import type { ObjectFacts, PlacedFacts } from "../../../src/query/table/index.ts";

/** Objects of a large fleet, the same in every run. */

const CLUSTERS = 200;
const REGIONS = 12;
const NAMESPACES = 400;
const CLUSTERS_OF_OBJECT = 5;
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

/** `placed` placed objects, as facts of their objects. */
export function* fleetOf(placed: number): Iterable<ObjectFacts> {
  for (let index = 0; index * CLUSTERS_OF_OBJECT < placed; index++) {
    const rows = Array.from({ length: CLUSTERS_OF_OBJECT }, (_, at) => placedOf(index, at)).toSorted((a, b) =>
      a.cluster < b.cluster ? -1 : 1,
    );
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
      stale: false,
      labels: { app: `app-${index}`, tier: index % 2 === 0 ? "gold" : "tin" },
      createdAt: "2026-01-01T00:00:00Z",
      placed: rows,
    };
  }
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
