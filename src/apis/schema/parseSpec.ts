import type { z } from "zod";
import { excess } from "./bounds.ts";
import { issueText } from "./issueText.ts";
import { openApiSchema, type OpenApiSchema } from "./openapi.ts";
import { counted } from "../values/index.ts";

/** `field` as the API server names it: `spec.ports[1].nodePort`. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** In one report. */
export const MOST_PROBLEMS = 20;

function fieldName(path: readonly PropertyKey[]): string {
  let name = "";
  for (const part of path) name += typeof part === "number" ? `[${part}]` : `${name === "" ? "" : "."}${String(part)}`;
  return name;
}

export function first(problems: Iterable<FieldProblem>): FieldProblem[] {
  const some: FieldProblem[] = [];
  for (const problem of problems) if (some.push(problem) === MOST_PROBLEMS) break;
  return some;
}

const schemas = new WeakMap<z.ZodType, OpenApiSchema>();

function schemaOf(spec: z.ZodType): OpenApiSchema {
  let schema = schemas.get(spec);
  if (schema === undefined) schemas.set(spec, (schema = openApiSchema(spec)));
  return schema;
}

/**
 * Checks only lengths, and the size of values without a schema, so that later checks, patterns and rules have little to
 * read. Does not descend into a value that is too long.
 */
function* oversized(value: unknown, schema: OpenApiSchema, field: string): Generator<FieldProblem> {
  const { maxLength, maxItems, maxProperties, items, properties, additionalProperties } = schema as Bounded;
  if (typeof value === "string") {
    if (maxLength !== undefined && value.length > maxLength)
      yield { field, message: `may have at most ${counted(maxLength, "character")}; shorten it` };
  } else if (Array.isArray(value)) {
    if (maxItems !== undefined && value.length > maxItems) yield { field, message: atMost(maxItems) };
    else if (items !== undefined)
      for (const [index, item] of value.entries()) yield* oversized(item, items, `${field}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    const fields = value as Record<string, unknown>;
    for (const [key, part] of Object.entries(properties ?? {}))
      if (Object.hasOwn(fields, key)) yield* oversized(fields[key], part, `${field}.${key}`);
    if (additionalProperties !== undefined) {
      const keys = Object.keys(fields);
      if (maxProperties !== undefined && keys.length > maxProperties) yield { field, message: atMost(maxProperties) };
      else for (const key of keys) yield* oversized(fields[key], additionalProperties, `${field}.${key}`);
    }
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) {
    const message = excess(value);
    if (message !== undefined) yield { field, message };
  }
}

function atMost(entries: number): string {
  return `may have at most ${entries} ${entries === 1 ? "entry" : "entries"}; remove some`;
}

interface Bounded {
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  items?: OpenApiSchema;
  properties?: Readonly<Record<string, OpenApiSchema>>;
  additionalProperties?: OpenApiSchema;
}

/** `path` names the spec in the problems. */
export function parseSpec<T>(
  schema: z.ZodType<T>,
  given: unknown,
  path = "spec",
): { ok: true; spec: T } | { ok: false; problems: FieldProblem[] } {
  const large = first(oversized(given, schemaOf(schema), path));
  if (large.length > 0) return { ok: false, problems: large };
  const parsed = schema.safeParse(given);
  if (parsed.success) return { ok: true, spec: parsed.data };
  const issues = parsed.error.issues.slice(0, MOST_PROBLEMS);
  return {
    ok: false,
    problems: issues.map((issue) => ({ field: fieldName([path, ...issue.path]), message: issueText(issue) })),
  };
}
