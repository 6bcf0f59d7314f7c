import {
  elementOf,
  elementText,
  type FieldType,
  isObject,
  kindOf,
  type ListType,
  type MapType,
  met,
  NoElement,
  type PathElement,
  type Scalar,
} from "../values/index.ts";
import { jsonType } from "../../jsonType.ts";

/** A value that does not fit its schema. The text is ours, except for the parts that clients look for. */
export class DoesNotFit extends Error {
  override readonly name = "DoesNotFit";
}

interface Problem {
  path: string;
  text: string;
}

/**
 * Throws {@link DoesNotFit} for a value whose fields cannot have owners: undeclared fields, wrong types, items without
 * keys, duplicates.
 */
export function checkValue(value: unknown, type: FieldType, duplicates: "allowed" | "refused"): void {
  const problems = problemsOf(value, type, duplicates === "allowed");
  if (problems.length === 0) return;
  const texts = problems.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
  throw new DoesNotFit(texts.length === 1 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n"));
}

const FINE: readonly Problem[] = [];

function problemsOf(value: unknown, type: FieldType, duplicates: boolean): readonly Problem[] {
  switch (kindOf(type, met(type, value))) {
    case "map":
      return problemsOfMap(value, type.map as MapType, duplicates);
    case "list":
      return problemsOfList(value, type.list as ListType, duplicates);
    case "scalar": {
      const text = problemOfScalar(value, type.scalar as Scalar);
      return text === undefined ? FINE : [{ path: "", text }];
    }
  }
}

function problemsOfMap(value: unknown, map: MapType, duplicates: boolean): readonly Problem[] {
  if (value === null) return FINE;
  if (!isObject(value)) return [{ path: "", text: `expected an object, got ${jsonType(value)}` }];
  let problems = FINE;
  for (const key in value) {
    const child = value[key];
    if (child === undefined) continue;
    const type = map.fields.get(key)?.type ?? map.element;
    // A server stops at the first undeclared field.
    if (type === undefined) return [...problems, { path: `.${key}`, text: "field not declared in schema" }];
    const found = problemsOf(child, type, duplicates);
    if (found.length > 0)
      problems = [...problems, ...found.map(({ path, text }) => ({ path: `.${key}${path}`, text }))];
  }
  return problems;
}

function problemsOfList(value: unknown, list: ListType, duplicates: boolean): readonly Problem[] {
  if (value === null) return FINE;
  if (!Array.isArray(value)) return [{ path: "", text: `expected a list, got ${jsonType(value)}` }];
  let problems = FINE;
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    let element: PathElement;
    try {
      element = list.atomic ? `i:${index}` : elementOf(list, item);
    } catch (error) {
      if (!(error instanceof NoElement)) throw error;
      return [...problems, { path: "", text: `element ${index}: ${error.message}` }];
    }
    if (!duplicates && seen.has(element)) {
      problems = [...problems, { path: "", text: `duplicate entries for key ${elementText(element)}` }];
    }
    seen.add(element);
    const found = problemsOf(item, list.element, duplicates);
    if (found.length === 0) continue;
    const prefix = elementText(element);
    problems = [...problems, ...found.map(({ path, text }) => ({ path: prefix + path, text }))];
  }
  return problems;
}

function problemOfScalar(value: unknown, scalar: Scalar): string | undefined {
  if (value === null) return undefined;
  const fits =
    scalar === "untyped"
      ? typeof value !== "object"
      : scalar === "numeric"
        ? typeof value === "number" || typeof value === "bigint"
        : typeof value === scalar;
  return fits ? undefined : `expected a ${scalar} value, got ${jsonType(value)}`;
}
