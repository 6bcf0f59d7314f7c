import { type ObjectValue, type PlacedValue } from "../table/index.ts";
import { compareIdentity, compareText, type ObjectIdentity, type Query, type Resource } from "../types.ts";

/** A row of the table: an object, or one of its placed objects. */
export interface Found {
  object: ObjectValue;
  placed: PlacedValue | undefined;
}

/** Undefined goes last in either direction. */
export type SortValue = string | number | undefined;

/** Place of a row in a list: the page after it begins behind it. */
export interface Place {
  value: SortValue;
  identity: ObjectIdentity;
  cluster: string;
}

type Getter = (object: ObjectValue, placed: PlacedValue | undefined) => SortValue;

const OF_ROWS: Readonly<Record<string, Getter>> = {
  name: ({ identity }) => identity.name,
  kind: ({ identity }) => identity.kind,
  state: (object, placed) => (placed ?? object).state,
  reason: (object, placed) => (placed ?? object).reason,
  ready: (object, placed) => (placed ?? object).ready,
  desired: (object, placed) => (placed ?? object).desired,
  since: (object, placed) => (placed ?? object).since,
  policy: ({ policy }) => policy,
};

const GETTERS: Readonly<Record<"federatedobjects" | "placedobjects", Readonly<Record<string, Getter>>>> = {
  federatedobjects: { ...OF_ROWS, createdAt: ({ createdAt }) => createdAt },
  placedobjects: {
    ...OF_ROWS,
    cluster: (_, placed) => placed?.cluster,
    region: (_, placed) => placed?.region,
  },
};

const OF_OTHERS: Readonly<Record<"fleetclusters" | "causes" | "transitions", readonly string[]>> = {
  fleetclusters: ["name", "region", "state", "reason", "objects", "unready", "since", "lastContact"],
  causes: ["reason", "shape", "objects", "since"],
  transitions: ["at", "cluster", "reason", "to"],
};

export function sortFields(resource: Resource): readonly string[] {
  return resource === "federatedobjects" || resource === "placedobjects"
    ? Object.keys(GETTERS[resource])
    : OF_OTHERS[resource];
}

export function compareValues(a: SortValue, b: SortValue, descending: boolean): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const order = typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b));
  return descending ? -order : order;
}

export class RowOrder {
  /** Undefined: the order of the table. */
  readonly #get: Getter | undefined;
  readonly #descending: boolean;

  constructor(resource: "federatedobjects" | "placedobjects", sort: Query["sort"]) {
    this.#get = sort === undefined ? undefined : GETTERS[resource][sort.field];
    this.#descending = sort?.descending === true;
  }

  get isOfTable(): boolean {
    return this.#get === undefined;
  }

  placeOf({ object, placed }: Found): Place {
    return { value: this.#get?.(object, placed), identity: object.identity, cluster: placed?.cluster ?? "" };
  }

  compare(a: Place, b: Place): number {
    return (
      compareValues(a.value, b.value, this.#descending) ||
      compareIdentity(a.identity, b.identity) ||
      compareText(a.cluster, b.cluster)
    );
  }
}

/** Sorts JSON rows by a field; rows with equal values keep their order. */
export function sortedRows<T extends object>(rows: readonly T[], sort: Query["sort"]): readonly T[] {
  if (sort === undefined) return rows;
  const { field, descending } = sort;
  const valueOf = (row: T): SortValue => (row as Record<string, SortValue>)[field];
  return rows.toSorted((a, b) => compareValues(valueOf(a), valueOf(b), descending));
}
