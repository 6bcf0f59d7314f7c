import type { z } from "zod";
import { excess } from "./bounds.ts";
import { issueText } from "./issueText.ts";
import { KINDS, type KindDefinition, type KindVersion } from "./kinds.ts";
import { parseApiVersion, type KubeObject } from "./meta.ts";
import { openApiSchema, type OpenApiSchema } from "./openapi.ts";
import { counted } from "./words.ts";

/** Something that is wrong with one field, as the API server would say it: `spec.ports[1].nodePort`. */
export interface FieldProblem {
  field: string;
  message: string;
}

export type ParseResult =
  /** The object with the schema's defaults filled in, as the API server would store it. */
  { ok: true; object: KubeObject } | { ok: false; problems: FieldProblem[] };

/** So many are told at once; a hundred thousand would help nobody. */
const MOST_PROBLEMS = 20;
const NOT_A_FIELD = "is not a field of this kind; check the spelling, or remove it";
const TOP_LEVEL: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

/** The kind and version that an object says it is of; undefined for kinds that are not Meridian's. */
export function kindOf(object: KubeObject): { kind: KindDefinition; version: KindVersion } | undefined {
  const { group, version: name } = parseApiVersion(object.apiVersion);
  const kind = KINDS.find((candidate) => candidate.group === group && candidate.kind === object.kind);
  const version = kind?.versions.find((candidate) => candidate.name === name);
  return kind === undefined || version === undefined ? undefined : { kind, version };
}

function fieldName(path: readonly PropertyKey[]): string {
  let name = "";
  for (const part of path) name += typeof part === "number" ? `[${part}]` : `${name === "" ? "" : "."}${String(part)}`;
  return name;
}

function first(problems: Iterable<FieldProblem>): FieldProblem[] {
  const some: FieldProblem[] = [];
  for (const problem of problems) if (some.push(problem) === MOST_PROBLEMS) break;
  return some;
}

/** The schemas as the API server has them, by the schema of the spec. */
const schemas = new WeakMap<z.ZodType, OpenApiSchema>();

function schemaOf(spec: z.ZodType): OpenApiSchema {
  let schema = schemas.get(spec);
  if (schema === undefined) schemas.set(spec, (schema = openApiSchema(spec)));
  return schema;
}

/**
 * Texts, lists and maps that are longer than the schema lets them be, and values of any form that are too large or too deep. Looks at
 * lengths only and descends into nothing that is too long, so that what comes after, patterns and rules over whole lists, has little to read.
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

/** Reads the spec of one of Meridian's kinds, lengths before everything else; `path` names it in the problems. */
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

/** Fields that are given and not in the schema: parsing drops them, and so does the server, but a person meant something by them. */
function* unknownFields(given: unknown, known: unknown, path: string): Generator<FieldProblem> {
  if (Array.isArray(given) && Array.isArray(known)) {
    for (const [index, item] of given.entries()) yield* unknownFields(item, known[index], `${path}[${index}]`);
  } else if (typeof given === "object" && given !== null && typeof known === "object" && known !== null) {
    for (const [key, value] of Object.entries(given)) {
      const field = `${path}.${key}`;
      if (!Object.hasOwn(known, key)) yield { field, message: NOT_A_FIELD };
      else yield* unknownFields(value, (known as Record<string, unknown>)[key], field);
    }
  }
}

/**
 * Reads an object of one of Meridian's kinds as the API server would on creating it: the same demands, the same defaults,
 * and unknown fields refused as kubectl does. An object of another kind comes back as it is.
 */
export function parseObject(object: KubeObject): ParseResult {
  const found = kindOf(object);
  if (found === undefined) return { ok: true, object };
  const { version } = found;

  const problems: FieldProblem[] = (version.rules ?? [])
    .filter(({ holds }) => holds?.(object) === false)
    .map(({ message }) => ({ field: "metadata.name", message }));
  const unknown = Object.keys(object).filter((field) => !TOP_LEVEL.has(field));
  problems.push(...unknown.slice(0, MOST_PROBLEMS).map((field) => ({ field, message: NOT_A_FIELD })));
  const parsed = parseSpec(version.spec, object["spec"]);
  if (parsed.ok) problems.push(...first(unknownFields(object["spec"], parsed.spec, "spec")));
  else problems.push(...parsed.problems);
  if (!parsed.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, object: { ...object, spec: parsed.spec } };
}
