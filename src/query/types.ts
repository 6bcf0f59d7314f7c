/** The contract between the engine of fleet queries and its server. Rows are plain JSON; times are RFC 3339 texts. */

export const RESOURCES = ["federatedobjects", "placedobjects", "fleetclusters", "causes", "transitions"] as const;
export type Resource = (typeof RESOURCES)[number];

export interface ObjectIdentity {
  kind: string;
  /** Empty for the core group. */
  group: string;
  namespace?: string;
  name: string;
}

export interface WaitRow {
  for: string;
  of?: string;
  since: string;
  until?: string;
  /** The whole wait in words, to follow "waits". */
  message: string;
}

/** A trouble that begins so soon after a change is put down to the change. */
export const FOLLOWS_WITHIN_MS = 600_000;

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The order of every list that asks for no other. */
export function compareIdentity(a: ObjectIdentity, b: ObjectIdentity): number {
  return (
    compareText(a.namespace ?? "", b.namespace ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.kind, b.kind) ||
    compareText(a.group, b.group)
  );
}

/** One hub object. */
export interface FederatedObjectRow extends ObjectIdentity {
  uid?: string;
  generation?: number;
  /** `Kind/name` or `Kind/namespace/name` of the placement. */
  policy?: string;
  /** Available, Progressing or Degraded, by the conditions of the status. */
  state: string;
  reason?: string;
  message?: string;
  ready: number;
  desired: number;
  clusters: { ready: number; total: number };
  worst?: { cluster: string; region?: string; reason: string };
  /** Start of the present state and reason. */
  since?: string;
  change?: { generation: number; stage?: number; stages?: number };
  waits: WaitRow[];
  /** The oldest observation of its clusters. */
  observedAt: string;
  stale: boolean;
  labels: Readonly<Record<string, string>>;
  createdAt?: string;
}

/** One hub object on one cluster. */
export interface PlacedObjectRow extends ObjectIdentity {
  cluster: string;
  region?: string;
  state: string;
  reason?: string;
  message?: string;
  ready: number;
  desired: number;
  since?: string;
  observedAt: string;
  stale: boolean;
  labels: Readonly<Record<string, string>>;
  policy?: string;
}

export interface FleetClusterRow {
  name: string;
  region?: string;
  /** Ready, Unreachable or Pending. */
  state: string;
  reason?: string;
  message?: string;
  /** Only while the cluster does not answer. */
  lastContact?: string;
  kubernetesVersion?: string;
  /** Readable objects placed there, and those that are not Available. */
  objects: number;
  unready: number;
  since?: string;
  stale: boolean;
  labels: Readonly<Record<string, string>>;
}

/** Placed objects in trouble with the same reason and message shape. */
export interface CauseRow {
  reason: string;
  /** The message with names and numbers replaced. */
  shape: string;
  /** Number of different objects. */
  objects: number;
  /** Empty: the objects as a whole are in trouble, such as objects that no policy places. */
  clusters: string[];
  since?: string;
  /** The placed object that has had the trouble for the longest time. */
  sample: { object: ObjectIdentity; cluster: string; message: string };
  change?: { object: ObjectIdentity; generation: number; at: string };
}

export interface TransitionRow {
  at: string;
  /** Absent: the transition of a cluster. */
  object?: ObjectIdentity;
  cluster?: string;
  /** Empty at the beginning. */
  from: string;
  /** Empty at the end. */
  to: string;
  reason: string;
  message?: string;
  because?: { generation?: number; policy?: string; cluster?: string };
  /** `event_id` of the operations event; absent while nobody reads these events. */
  eventId?: string;
}

export interface RowOf {
  federatedobjects: FederatedObjectRow;
  placedobjects: PlacedObjectRow;
  fleetclusters: FleetClusterRow;
  causes: CauseRow;
  transitions: TransitionRow;
}

/** A time, or a time before the moment of the query, in milliseconds. */
export type Moment = { at: number } | { ago: number };

export interface LabelRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values: readonly string[];
}

/** Conditions that all hold. A list holds if one of its values does. */
export interface Filter {
  namespace?: readonly string[];
  /** `Kind` or `group/Kind`. */
  kind?: readonly string[];
  /** A prefix. */
  name?: string;
  labelSelector?: readonly LabelRequirement[];
  cluster?: readonly string[];
  region?: readonly string[];
  state?: readonly string[];
  reason?: readonly string[];
  /** `Kind/name`, `Kind/namespace/name` or the name alone. */
  policy?: readonly string[];
  waitingFor?: readonly string[];
  /** `since` is at or after this moment. */
  changedSince?: Moment;
  /** `since` is at or before this moment. */
  olderThan?: Moment;
  /** The row is `object`. */
  cel?: string;
}

export const GROUPINGS = ["region", "cluster", "reason", "kind", "namespace", "policy"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Query {
  resource: Resource;
  filter: Filter;
  /** Only for federatedobjects and placedobjects. */
  groupBy?: Grouping;
  sort?: { field: string; descending: boolean };
  /** Fields of the row, with dots: `clusters.ready`. The identity is always there. */
  fields?: readonly string[];
  limit: number;
  continue?: string;
}

export interface GroupRow {
  /** Empty for rows that have no value. */
  value: string;
  count: number;
  ready: number;
  desired: number;
  since?: string;
}

export interface Totals {
  count: number;
  ready: number;
  desired: number;
}

/** A cluster whose rows may be out of date. */
export interface Partial {
  cluster: string;
  lastContact?: string;
  reason: string;
}

export interface ListAnswer {
  /** As `fields` of the query picks them. Absent with `groupBy`. */
  items?: object[];
  groups?: GroupRow[];
  /** Of the whole readable set that the filter lets through, on every page. */
  totals: Totals;
  partial: Partial[];
  /** Where a watch goes on. Whole decimal number that grows with time, whether or not anything changes. */
  resourceVersion: string;
  /** Absent on the last page. */
  continue?: string;
}

/** What one user may read. The engine asks again for every page and every event. */
export interface Scope {
  /** The user. Tokens of one user are worth nothing to another. */
  readonly subject: string;
  /** `kindKey` is `group/Kind`, `/Kind` for the core group. Namespace undefined: a cluster-scoped object. */
  mayRead(namespace: string | undefined, kindKey: string): boolean;
  readonly mayReadClusters: boolean;
}

export interface ObjectPair {
  namespace: string | undefined;
  kindKey: string;
}

export type RowKey = { object: ObjectIdentity; cluster?: string } | { cluster: string };

export type WatchEvent =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: object; resourceVersion: string }
  | { type: "BOOKMARK"; resourceVersion: string };

/**
 * Without `since`, the watch begins with an ADDED event for each row and a bookmark. It ends with a QueryError of status
 * 410 if the reader is slower than the bounded log. The signal ends the watch, and so does its disposal. It is iterated
 * once. A resumed watch of causes or fleetclusters does not know the reader's rows: there, MODIFIED may bring a new row, and
 * DELETED a row that the reader does not have.
 */
export interface QueryWatch extends AsyncIterable<WatchEvent>, AsyncDisposable {
  /** Reads the scope again: rows that the user may no longer read leave with DELETED, new ones come with ADDED. */
  review(scope: Scope): void;
  /** A bookmark for the present moment comes after the events that are due. For heartbeats. */
  bookmark(): void;
}

export interface QueryEngine {
  /** Pauses while it reads many rows, so that nothing else waits for long. Never waits for a member. */
  list(query: Query, scope: Scope): Promise<ListAnswer>;
  /** Status 403 for a row that the scope hides, whether or not there is one. Else status 404 if there is none. */
  get<R extends "federatedobjects" | "placedobjects" | "fleetclusters">(
    resource: R,
    key: RowKey,
    scope: Scope,
  ): RowOf[R];
  /** The last 20 transitions of the object, newest first. */
  history(object: ObjectIdentity, scope: Scope): TransitionRow[];
  /** `limit` and `continue` of the query mean nothing here; `groupBy` and `sort` are refused. */
  watch(query: Query, scope: Scope, options?: { since?: string; signal?: AbortSignal }): QueryWatch;
  /** The different pairs among the objects that `namespace` and `kind` of the filter let through: for the reviews. */
  pairs(filter: Filter): Iterable<ObjectPair>;
}

export type QueryStatus = 400 | 403 | 404 | 410 | 429;

export class QueryError extends Error {
  override readonly name = "QueryError";

  readonly status: QueryStatus;
  /** As in a Kubernetes Status. */
  readonly reason: "BadRequest" | "Forbidden" | "NotFound" | "Expired" | "TooManyRequests";

  constructor(status: QueryStatus, reason: QueryError["reason"], message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** A request that has to be written otherwise. */
export function badRequest(message: string): QueryError {
  return new QueryError(400, "BadRequest", message);
}
