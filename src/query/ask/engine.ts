import {
  type Filter,
  type FleetClusterRow,
  type ListAnswer,
  type ObjectIdentity,
  type ObjectPair,
  type Query,
  type QueryEngine,
  badRequest,
  QueryError,
  type QueryWatch,
  type RowKey,
  type RowOf,
  type Scope,
  type TransitionRow,
} from "../types.ts";
import { type CelOptions, CelTurns } from "./celWork.ts";
import { clusterRowOf } from "./derived.ts";
import { compileFilter } from "./filter.ts";
import { Lists, type ListsOptions } from "./lists.ts";
import { objectRow, placedRow, SharedRows, transitionRow } from "./rows.ts";
import { checkClusters, Readable } from "./scope.ts";
import { Versions } from "./versions.ts";
import { Watch } from "./watch.ts";

export interface EngineOptions extends Omit<ListsOptions, "versions" | "celTurns">, Partial<CelOptions> {
  /** Between 0 and 1. */
  random: () => number;
}

type Gettable = "federatedobjects" | "placedobjects" | "fleetclusters";

/** Answers queries from the table. */
export class Engine implements QueryEngine {
  readonly #options: EngineOptions;
  readonly #versions: Versions;
  readonly #celTurns: CelTurns;
  readonly #lists: Lists;
  readonly #shared = new SharedRows();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#versions = new Versions(Math.floor(options.random() * 1_000_000));
    const { monotonic = options.now, rest = async () => undefined } = options;
    this.#celTurns = new CelTurns({ monotonic, rest });
    this.#lists = new Lists({ ...options, versions: this.#versions, celTurns: this.#celTurns });
  }

  async list(query: Query, scope: Scope): Promise<ListAnswer> {
    return this.#lists.list(query, scope);
  }

  get<R extends Gettable>(resource: R, key: RowKey, scope: Scope): RowOf[R] {
    return this.#row(resource, key, scope) as RowOf[R];
  }

  history(object: ObjectIdentity, scope: Scope): TransitionRow[] {
    checkObject(object, scope);
    return this.#options.table.transitions.of(object).map(transitionRow);
  }

  watch(query: Query, scope: Scope, { since, signal }: { since?: string; signal?: AbortSignal } = {}): QueryWatch {
    const { table, now, pause } = this.#options;
    for (const name of ["groupBy", "sort", "continue"] as const)
      if (query[name] !== undefined) throw badRequest(`a watch takes no ${name}; leave it out, or list`);
    if (query.resource === "fleetclusters") checkClusters(scope);
    const time = now();
    const compiled = compileFilter(query.resource, query.filter, time);
    const reading = { compiled, readable: new Readable(scope), pause, celTurns: this.#celTurns, now: time };
    const version = since === undefined ? undefined : this.#versions.parse(since);
    return new Watch({
      table,
      versions: this.#versions,
      now,
      shared: this.#shared,
      query,
      reading,
      since: version,
      signal,
    });
  }

  *pairs({ namespace, kind }: Filter): Iterable<ObjectPair> {
    const wanted: Filter = {};
    if (namespace !== undefined) wanted.namespace = namespace;
    if (kind !== undefined) wanted.kind = kind;
    const compiled = compileFilter("federatedobjects", wanted, 0);
    for (const pair of this.#options.table.pairs())
      if (compiled.hasPair(pair)) yield { namespace: pair.namespace, kindKey: pair.kindKey };
  }

  #row(resource: Gettable, key: RowKey, scope: Scope): object {
    const { table, now } = this.#options;
    if (resource === "fleetclusters" || !("object" in key)) return this.#cluster(key.cluster ?? "", scope);
    checkObject(key.object, scope);
    const object = table.object(key.object);
    const named = `${key.object.kind} ${key.object.name}`;
    if (object === undefined) throw new QueryError(404, "NotFound", `there is no ${named}; list to see what there is`);
    if (resource === "federatedobjects") return objectRow(object, now());
    const placed = object.placed.find(({ cluster }) => cluster === key.cluster);
    if (placed === undefined)
      throw new QueryError(404, "NotFound", `${named} is not on cluster ${key.cluster ?? ""}; see its placedobjects`);
    return placedRow(object, placed, now());
  }

  #cluster(name: string, scope: Scope): FleetClusterRow {
    checkClusters(scope);
    const compiled = compileFilter("fleetclusters", {}, 0);
    const row = clusterRowOf(this.#options.table, name, compiled, new Readable(scope));
    if (row === undefined)
      throw new QueryError(404, "NotFound", `there is no cluster ${name}; list fleetclusters to see what there is`);
    return row;
  }
}

/** Before anything is looked up, so that the answer does not depend on what there is. */
function checkObject({ namespace, group, kind }: ObjectIdentity, scope: Scope): void {
  if (scope.mayRead(namespace, `${group}/${kind}`)) return;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const message = `you may not read ${kind}${group === "" ? "" : `.${group}`}${where}; ask an administrator for it`;
  throw new QueryError(403, "Forbidden", message);
}
