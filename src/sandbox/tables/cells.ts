import type { Column, KubeObject } from "../types.ts";
import { ageOf } from "./duration.ts";
import { type JsonPath, JsonPathError, parseJsonPath } from "./jsonPath.ts";

export type Cell = string | number | bigint | boolean | null;

/**
 * Parsed paths by column. Columns belong to a version of a resource, so each path is parsed once. An invalid path gives
 * empty cells.
 */
const paths = new WeakMap<Column, JsonPath | null>();

function pathOf(column: Column): JsonPath | null {
  let path = paths.get(column);
  if (path === undefined) {
    path = read(column.jsonPath ?? "");
    paths.set(column, path);
  }
  return path;
}

function read(text: string): JsonPath | null {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (error instanceof JsonPathError) return null;
    throw error;
  }
}

/** The cell of one column for one object. `now` is in milliseconds. */
export function cellOf(column: Column, object: KubeObject, now: number): Cell {
  if (column.value !== undefined) return column.value(object, now);
  const value = firstFound(column, object);
  if (value === undefined) return null;
  switch (column.type) {
    case "string":
      return textOf(value);
    case "integer":
      return typeof value === "bigint" ? value : typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "bigint" || typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
  }
}

function firstFound(column: Column, object: KubeObject): unknown {
  try {
    return pathOf(column)?.find(object)[0];
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function textOf(value: unknown): string {
  if (value === null) return "<no value>";
  return typeof value === "string" ? value : sortedJson(value);
}

/** JSON as Go writes it: sorted keys, escaped `<`, `>` and `&`. */
function sortedJson(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return text.replaceAll(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
