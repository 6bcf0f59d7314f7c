import type { Schema } from "../types.ts";
import { equalJson } from "../equalJson.ts";
import { isRecord } from "../jsonType.ts";
import { type Definitions, fieldSchema, isList, resolved } from "./references.ts";

/**
 * A part of the new object with the corresponding part of the old one: by name in objects and maps, by key in lists of
 * type map. Items of other lists have no counterpart. Unchanged parts are not validated again (ratcheting).
 */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: Schema;
  readonly #definitions: Definitions;
  #unchanged: boolean | undefined;
  #oldByKey: ReadonlyMap<string, unknown> | undefined;

  constructor(value: unknown, old: unknown, schema: Schema, definitions: Definitions) {
    this.value = value;
    this.old = old;
    this.schema = resolved(schema, definitions);
    this.#definitions = definitions;
  }

  field(name: string): Correlation | undefined {
    if (!isRecord(this.value) || !isRecord(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    const schema = fieldSchema(this.schema, name);
    if (schema === undefined) return undefined;
    return new Correlation(this.value[name], this.old[name], schema, this.#definitions);
  }

  item(index: number): Correlation | undefined {
    if (!isList(this.value) || !isList(this.old) || this.schema["x-kubernetes-list-type"] !== "map") return undefined;
    if (this.schema.items === undefined) return undefined;
    const value = this.value[index];
    const key = itemKey(this.schema, value);
    const old = key === undefined ? undefined : this.#oldItems().get(key);
    return old === undefined ? undefined : new Correlation(value, old, this.schema.items, this.#definitions);
  }

  /** True also if a list of type map only changed its order. */
  get unchanged(): boolean {
    return (this.#unchanged ??= this.#compare());
  }

  #compare(): boolean {
    const { value, old } = this;
    if (value === old) return true;
    if (isList(value)) {
      if (!isList(old) || value.length !== old.length) return false;
      if (this.schema["x-kubernetes-list-type"] !== "map") return equalJson(value, old);
      return value.every((_, index) => this.item(index)?.unchanged === true);
    }
    if (!isRecord(value) || !isRecord(old)) return false;
    const keys = Object.keys(value);
    if (keys.length !== Object.keys(old).length) return false;
    return keys.every((key) => {
      const field = this.field(key);
      return field === undefined ? Object.hasOwn(old, key) && equalJson(value[key], old[key]) : field.unchanged;
    });
  }

  #oldItems(): ReadonlyMap<string, unknown> {
    this.#oldByKey ??= itemsByKey(this.schema, isList(this.old) ? this.old : []);
    return this.#oldByKey;
  }
}

/** Items of a list of type map by key; the last of several items with the same key wins. */
export function itemsByKey(schema: Schema, items: readonly unknown[]): ReadonlyMap<string, unknown> {
  const byKey = new Map<string, unknown>();
  for (const item of items) {
    const key = itemKey(schema, item);
    if (key !== undefined) byKey.set(key, item);
  }
  return byKey;
}

/** An item's key values as one text; undefined if the item is no object. */
export function itemKey(schema: Schema, item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  return JSON.stringify((schema["x-kubernetes-list-map-keys"] ?? []).map((key) => item[key] ?? null));
}
