import { type ClusterValue, type Commit, objectKey, type ObjectFacts } from "../table/index.ts";
import {
  compareIdentity,
  type FederatedObjectRow,
  type Filter,
  type ListAnswer,
  type PlacedObjectRow,
  type Query,
  type Scope,
  type Totals,
} from "../types.ts";
import { T0 } from "./fleet.ts";

/** The state of the fleet after commits, without any index. */
export class Model {
  readonly #objects = new Map<string, ObjectFacts>();

  readonly #clusters = new Map<string, ClusterValue>();

  commit({ objects = [], deleted = [], clusters = [], deletedClusters = [] }: Commit): void {
    for (const facts of objects) this.#objects.set(objectKey(facts.identity), facts);
    for (const identity of deleted) this.#objects.delete(objectKey(identity));
    for (const cluster of clusters) this.#clusters.set(cluster.name, cluster);
    for (const name of deletedClusters) this.#clusters.delete(name);
  }

  clusters(): ClusterValue[] {
    return [...this.#clusters.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  objects(): ObjectFacts[] {
    return [...this.#objects.values()].toSorted((a, b) => compareIdentity(a.identity, b.identity));
  }
}

type Row = FederatedObjectRow | PlacedObjectRow;

/** The rows of a query by the plainest of means. */
export function naiveRows(objects: readonly ObjectFacts[], { resource, filter, sort }: Query, scope: Scope): Row[] {
  const rows: Row[] = [];
  for (const facts of objects) {
    const { namespace, group, kind } = facts.identity;
    if (!scope.mayRead(namespace, `${group}/${kind}`)) continue;
    if (resource === "federatedobjects") {
      const clusters = facts.placed.filter(({ cluster, region = "" }) => isPlace(filter, cluster, region));
      const asksPlace = filter.cluster !== undefined || filter.region !== undefined;
      const row = naiveObject(facts);
      if ((!asksPlace || clusters.length > 0) && isMatch(filter, facts, row)) rows.push(row);
      continue;
    }
    for (const row of naivePlaced(facts))
      if (isPlace(filter, row.cluster, row.region ?? "") && isMatch(filter, facts, row)) rows.push(row);
  }
  if (sort === undefined) return rows;
  const value = (row: Row): unknown => (row as unknown as Record<string, unknown>)[sort.field];
  return rows.toSorted(
    (a, b) => compared(value(a), value(b)) * (isBoth(value(a), value(b)) && sort.descending ? -1 : 1),
  );
}

function isBoth(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined;
}

function compared(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

export function naiveTotals(rows: readonly Row[]): Totals {
  return {
    count: rows.length,
    ready: rows.reduce((sum, { ready }) => sum + ready, 0),
    desired: rows.reduce((sum, { desired }) => sum + desired, 0),
  };
}

/** Clusters out of contact with a readable object of the namespaces and kinds that the query asks for. */
export function naivePartial(model: Model, { filter }: Query, scope: Scope): ListAnswer["partial"] {
  const objects = model.objects().filter(({ identity: { namespace, group, kind } }) => {
    const isAsked = filter.namespace?.includes(namespace ?? "") ?? true;
    const isKind = filter.kind?.some((one) => one === kind || one === `${group}/${kind}`) ?? true;
    return isAsked && isKind && scope.mayRead(namespace, `${group}/${kind}`);
  });
  const isThere = (name: string): boolean => objects.some((facts) => facts.placed.some((row) => row.cluster === name));
  return model.clusters().flatMap(({ name, region = "", stale, lastContact, reason = "" }) => {
    if (!stale || !isPlace(filter, name, region) || !isThere(name)) return [];
    return [{ cluster: name, ...(lastContact === undefined ? {} : { lastContact: text(lastContact) }), reason }];
  });
}

function isPlace(filter: Filter, cluster: string, region: string): boolean {
  return (filter.cluster?.includes(cluster) ?? true) && (filter.region?.includes(region) ?? true);
}

function isMatch(filter: Filter, facts: ObjectFacts, row: Row): boolean {
  const { namespace = "", kind, group, name } = row;
  const since = row.since === undefined ? undefined : Date.parse(row.since);
  const { policy = "" } = row;
  return [
    filter.namespace?.includes(namespace),
    filter.kind?.some((one) => one === kind || one === `${group}/${kind}`),
    filter.name === undefined || name.startsWith(filter.name),
    filter.labelSelector === undefined || row.labels["tier"] === "gold",
    filter.state?.includes(row.state),
    filter.reason?.includes(row.reason ?? ""),
    filter.policy?.some((one) => policy === one || policy.endsWith(`/${one}`)),
    filter.waitingFor?.some((one) => facts.waits.some((wait) => wait.for === one)),
    filter.changedSince === undefined || (since !== undefined && since >= msOf(filter.changedSince)),
    filter.olderThan === undefined || (since !== undefined && since <= msOf(filter.olderThan)),
    filter.cel === undefined || (filter.cel.includes("ready") ? row.ready < row.desired : name === "shop"),
  ].every((holds) => holds ?? true);
}

function msOf(moment: { at: number } | { ago: number }): number {
  return "at" in moment ? moment.at : T0 - moment.ago;
}

function text(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

function naiveObject(facts: ObjectFacts): FederatedObjectRow {
  const { identity, placed: _, since, observedAt = T0, changed: __, shape: ___, ...rest } = facts;
  const times = since === undefined ? {} : { since: text(since) };
  return { ...identity, ...rest, waits: [...rest.waits], ...times, observedAt: text(observedAt) };
}

function naivePlaced({ identity, labels, policy, placed }: ObjectFacts): PlacedObjectRow[] {
  return placed.map(({ shape: _, since, observedAt = T0, ...row }) => ({
    ...identity,
    ...row,
    ...(since === undefined ? {} : { since: text(since) }),
    observedAt: text(observedAt),
    labels,
    ...(policy === undefined ? {} : { policy }),
  }));
}
