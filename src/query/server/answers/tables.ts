import { defined } from "../../../apis/index.ts";
import type {
  CauseRow,
  FederatedObjectRow,
  FleetClusterRow,
  GroupRow,
  ListAnswer,
  ObjectIdentity,
  PlacedObjectRow,
  Resource,
  RowOf,
  TransitionRow,
} from "../../types.ts";
import { itemOf } from "./items.ts";

type Cell = string | number;
interface Column<R> {
  name: string;
  type?: "string" | "integer" | "date";
  description: string;
  /** 1: only in wide output. */
  priority?: 1;
  cell: (row: R, now: number) => Cell | undefined;
}

export type IncludeObject = "None" | "Metadata" | "Object";

const name: Column<ObjectIdentity> = {
  name: "Object",
  description: "Kind and name.",
  cell: ({ kind, name: own }) => `${kind}/${own}`,
};
const since = <R extends { since?: string }>(): Column<R> => ({
  name: "Since",
  description: "Time in the present state.",
  cell: (row, now) => age(row.since, now),
});
const seen: Column<{ observedAt: string; stale: boolean }> = {
  name: "Seen",
  description: "Time since the oldest observation. `!`: the observation may be out of date.",
  cell: ({ observedAt, stale }, now) => `${age(observedAt, now) ?? "never"}${stale ? "!" : ""}`,
};
const state: Column<{ state: string }> = {
  name: "State",
  description: "The worst state.",
  cell: (row) => row.state,
};
const reason: Column<{ reason?: string }> = {
  name: "Reason",
  description: "Reason of the state.",
  cell: (row) => row.reason,
};
const ready: Column<{ ready?: number; desired?: number }> = {
  name: "Ready",
  description: "Ready replicas of the desired ones.",
  cell: (row) => (row.ready === undefined ? undefined : `${row.ready}/${row.desired ?? "?"}`),
};
const message: Column<{ message?: string }> = {
  name: "Message",
  description: "Message of the state.",
  priority: 1,
  cell: (row) => row.message,
};

const COLUMNS: { readonly [R in Resource]: readonly Column<RowOf[R]>[] } = {
  federatedobjects: [
    name,
    ready,
    {
      name: "Clusters",
      description: "Ready clusters of all clusters.",
      cell: ({ clusters }) => clusters && `${clusters.ready}/${clusters.total}`,
    },
    state,
    {
      name: "Worst",
      description: "Cluster with the worst state, and its reason.",
      cell: ({ worst }) => worst && `${worst.cluster}:${worst.reason}`,
    },
    since<FederatedObjectRow>(),
    { name: "Change", description: "Generation and stage of the rollout.", cell: ({ change }) => changeOf(change) },
    seen,
    message,
  ],
  placedobjects: [
    name,
    { name: "Cluster", description: "Name of the cluster.", cell: ({ cluster }) => cluster },
    ready,
    state,
    reason,
    since<PlacedObjectRow>(),
    seen,
    { name: "Region", description: "Region of the cluster.", priority: 1, cell: ({ region }) => region },
    message,
  ],
  fleetclusters: [
    { name: "Name", description: "Name of the cluster.", cell: (row) => row.name },
    { name: "Region", description: "Region of the cluster.", cell: ({ region }) => region },
    state,
    reason,
    { name: "Objects", type: "integer", description: "Placed objects.", cell: ({ objects }) => objects },
    { name: "Unready", type: "integer", description: "Placed objects in trouble.", cell: ({ unready }) => unready },
    { name: "Contact", description: "Time since the last contact.", cell: (row, now) => age(row.lastContact, now) },
    { name: "Version", description: "Kubernetes version.", priority: 1, cell: (row) => row.kubernetesVersion },
    message as Column<FleetClusterRow>,
  ],
  causes: [
    reason as Column<CauseRow>,
    { name: "Objects", type: "integer", description: "Number of objects.", cell: ({ objects }) => objects },
    { name: "Clusters", description: "Names of the clusters.", cell: ({ clusters }) => clusters && few(clusters) },
    since<CauseRow>(),
    {
      name: "After",
      description: "The change before the trouble.",
      cell: ({ change }) => change && `${change.object.kind}/${change.object.name} gen ${change.generation}`,
    },
    { name: "Message", description: "Shape of the messages.", cell: ({ shape }) => shape },
  ],
  transitions: [
    { name: "When", description: "Time since the transition.", cell: ({ at }, now) => age(at, now) },
    {
      name: "Object",
      description: "Kind and name of the object.",
      cell: ({ object }) => object && `${object.kind}/${object.name}`,
    },
    { name: "Cluster", description: "Name of the cluster.", cell: ({ cluster }) => cluster },
    { name: "From", description: "State before.", cell: ({ from }) => from },
    { name: "To", description: "State after.", cell: ({ to }) => to },
    reason as Column<TransitionRow>,
    message as Column<TransitionRow>,
  ],
};

const GROUP_COLUMNS: readonly Column<GroupRow>[] = [
  { name: "Value", description: "Value of the group.", cell: ({ value }) => value },
  { name: "Count", type: "integer", description: "Number of rows.", cell: ({ count }) => count },
  ready,
  since<GroupRow>(),
];

/** The Table of a list, for `kubectl get`. */
export function tableOfList(resource: Resource, answer: ListAnswer, include: IncludeObject, now: number): object {
  const { groups, items = [], resourceVersion, continue: more } = answer;
  const metadata = { resourceVersion, ...defined({ continue: more }) };
  if (groups === undefined) return { ...tableOf(resource, items, include, now, resourceVersion), metadata };
  const rows = groups.map((group) => ({ cells: cellsOf(GROUP_COLUMNS, group, now) }));
  return { ...table(definitions(GROUP_COLUMNS), rows), metadata };
}

export function tableOf(
  resource: Resource,
  rows: readonly object[],
  include: IncludeObject,
  now: number,
  resourceVersion?: string,
): object {
  const columns = COLUMNS[resource] as readonly Column<object>[];
  const metadata = defined({ resourceVersion });
  return {
    ...table(
      definitions(columns),
      rows.map((row) => ({
        cells: cellsOf(columns, row, now),
        ...objectOf(resource, row, include, resourceVersion),
      })),
    ),
    metadata,
  };
}

function objectOf(resource: Resource, row: object, include: IncludeObject, resourceVersion?: string): object {
  if (include === "None") return {};
  const item = itemOf(resource, row, resourceVersion);
  if (include === "Object") return { object: item };
  const { metadata } = item;
  return { object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata } };
}

function table(columnDefinitions: object[], rows: object[]): object {
  return { kind: "Table", apiVersion: "meta.k8s.io/v1", columnDefinitions, rows };
}

function definitions<R>(columns: readonly Column<R>[]): object[] {
  return columns.map(({ name: title, type = "string", description, priority = 0 }) => {
    return { name: title, type, format: "", description, priority };
  });
}

/** Rows may lack fields: `fields` of the query picks some. */
function cellsOf<R>(columns: readonly Column<R>[], row: R, now: number): (Cell | null)[] {
  return columns.map(({ cell }) => cell(row, now) ?? null);
}

function changeOf(change: FederatedObjectRow["change"]): string | undefined {
  if (change === undefined) return undefined;
  const { generation, stage, stages } = change;
  return stage === undefined ? `gen ${generation}` : `gen ${generation}, stage ${stage}/${stages ?? "?"}`;
}

function few(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(",")} + ${names.length - 3} more` : names.join(",");
}

/** As kubectl writes ages. */
function age(time: string | undefined, now: number): string | undefined {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return undefined;
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
