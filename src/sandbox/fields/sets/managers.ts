import { defined, type ManagedFieldsEntry } from "../../../apis/index.ts";
import { compareText, escapeHtml } from "../values/index.ts";
import { equalSets, type FieldSet, union } from "./fieldSet.ts";
import { setFrom, stored } from "./sharedSets.ts";

/**
 * The owners of one object's fields: entries of managedFields by the identity of their manager. An updater's identity
 * holds its version and an applier's does not: an applier has one entry, an updater one per version.
 */
export class Managers {
  readonly #owned: Map<string, Owned>;

  constructor(owned: Map<string, Owned> = new Map()) {
    this.#owned = owned;
  }

  /** Throws the server's message for broken entries. */
  static from(entries: readonly ManagedFieldsEntry[]): Managers {
    const owned = new Map<string, Owned>();
    for (const [index, entry] of entries.entries()) {
      const { manager = "", operation, apiVersion = "", time, subresource = "" } = entry;
      if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`");
      if (apiVersion === "") throw new Error("apiVersion must not be empty");
      if (entry.fieldsType !== "FieldsV1") throw new Error(badFieldsType(entry.fieldsType, index));
      const id = identify({ manager, operation, apiVersion, subresource });
      owned.set(id, {
        manager,
        subresource,
        operation,
        apiVersion,
        ...(time === undefined || time === null ? {} : { time }),
        set: setFrom(entry.fieldsV1 ?? {}),
      });
    }
    return new Managers(owned);
  }

  get size(): number {
    return this.#owned.size;
  }

  get(id: string): Owned | undefined {
    return this.#owned.get(id);
  }

  set(id: string, owned: Owned): void {
    this.#owned.set(id, owned);
  }

  /** Adds fields to the manager's entry; version and time become the new ones. */
  add(id: string, owned: Owned): void {
    const known = this.#owned.get(id);
    this.#owned.set(id, known === undefined ? owned : { ...owned, set: union(owned.set, known.set) });
  }

  delete(id: string): void {
    this.#owned.delete(id);
  }

  entries(): [string, Owned][] {
    return [...this.#owned];
  }

  copy(): Managers {
    return new Managers(new Map(this.#owned));
  }

  /**
   * Returns managedFields, undefined when nobody owns a field. Unchanged entries of `before` are reused, and so is the
   * whole list if all are unchanged.
   */
  encode(before: readonly ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] | undefined {
    if (this.#owned.size === 0) return undefined;
    const entries = [...this.#owned.values()].sort(compareOwned).map((owned) => encodeOwned(owned, before));
    const same = before?.length === entries.length && entries.every((entry, i) => entry === before[i]);
    return same ? (before as ManagedFieldsEntry[]) : entries;
  }

  /**
   * Merges the oldest updaters into one entry per version while their number exceeds `most`; else an object with many
   * updaters would grow without bound. Appliers stay unmerged.
   */
  capUpdaters(most: number): void {
    const updaters = this.entries().filter(([, { operation }]) => operation === "Update");
    if (updaters.length <= most) return;
    updaters.sort(([a, p], [b, q]) => seconds(p.time) - seconds(q.time) || compareText(a, b));
    const firsts = new Map<string, string>();
    let left = updaters.length;
    for (const [id, owned] of updaters) {
      if (left <= most) return;
      const { apiVersion } = owned;
      const first = firsts.get(apiVersion);
      if (first === undefined) {
        firsts.set(apiVersion, id);
        continue;
      }
      const bucket = { manager: ANCIENT, operation: "Update", apiVersion, subresource: "" } as const;
      const bucketId = identify(bucket);
      const known = this.#owned.get(bucketId) ?? this.#owned.get(first);
      if (!this.#owned.has(bucketId)) this.#owned.delete(first);
      this.#owned.set(bucketId, {
        ...bucket,
        ...defined({ time: owned.time }),
        set: known === undefined ? owned.set : union(owned.set, known.set),
      });
      this.#owned.delete(id);
      left--;
    }
  }
}

/** The fields that one manager owns by one operation. */
export interface Owned {
  readonly manager: string;
  readonly subresource: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly set: FieldSet;
}

const ANCIENT = "ancient-changes";

type Identity = Pick<Owned, "manager" | "subresource" | "operation" | "apiVersion">;

/** The text by which a server identifies a manager and sorts managers in messages. */
export function identify({ manager, operation, apiVersion, subresource }: Identity): string {
  const parts = [
    ...(manager === "" ? [] : [`"manager":${escapeHtml(JSON.stringify(manager))}`]),
    `"operation":"${operation}"`,
    ...(operation === "Apply" ? [] : [`"apiVersion":${JSON.stringify(apiVersion)}`]),
    ...(subresource === "" ? [] : [`"subresource":${JSON.stringify(subresource)}`]),
  ];
  return `{${parts.join(",")}}`;
}

/** A time as the server writes it: in seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Orders appliers first, then by time, then by name. */
function compareOwned(a: Owned, b: Owned): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function encodeOwned(owned: Owned, before: readonly ManagedFieldsEntry[] | undefined): ManagedFieldsEntry {
  const { manager, operation, apiVersion, time, subresource, set } = owned;
  const known = before?.find(
    (entry) =>
      (entry.manager ?? "") === manager &&
      entry.operation === operation &&
      entry.apiVersion === apiVersion &&
      (entry.subresource ?? "") === subresource &&
      (entry.time ?? undefined) === time,
  );
  if (known?.fieldsV1 !== undefined && equalSets(setFrom(known.fieldsV1), set)) return known;
  return Object.freeze({
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...defined({ time }),
    fieldsType: "FieldsV1",
    fieldsV1: stored(set),
    ...(subresource === "" ? {} : { subresource }),
  });
}

function badFieldsType(type: string | undefined, index: number): string {
  if (type === undefined || type === "") return `missing fieldsType in managed fields entry ${index}`;
  return `invalid fieldsType ${JSON.stringify(type)} in managed fields entry ${index}`;
}
