import type { KubeObject } from "../../src/apis/index.ts";
import { holdsWithout } from "./newFields.ts";

/** A schema of a CRD, as far as compatibility depends on it. */
interface Schema {
  type?: string;
  format?: string;
  default?: unknown;
  enum?: unknown[];
  required?: string[];
  nullable?: boolean;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  pattern?: string;
  [keyword: string]: unknown;
}

interface Version {
  name: string;
  served: boolean;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: Record<string, unknown>;
}

interface CrdSpec {
  group: string;
  scope: string;
  names: { kind: string; plural: string };
  versions: Version[];
}

/** Keywords whose growth allows more, and those whose growth allows less. */
const UPPER = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;
const LOWER = ["minimum", "minLength", "minItems", "minProperties"] as const;
const SAME = [
  "type",
  "format",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-int-or-string",
] as const;

/**
 * What of a CRD's change could break somebody who has objects, or writes them as before: versions that go, fields that go, values that are
 * no longer taken, defaults that are others. A line for each, that begins with its place. Empty: whoever lived with the old one lives
 * with the new one.
 */
export function breakingChanges(before: KubeObject, after: KubeObject): string[] {
  const [old, next] = [before["spec"] as CrdSpec, after["spec"] as CrdSpec];
  const name = before.metadata.name;
  const found: string[] = [];
  if (old.scope !== next.scope) found.push(`${name}: scope ${old.scope} became ${next.scope}`);
  if (old.names.kind !== next.names.kind) found.push(`${name}: kind ${old.names.kind} became ${next.names.kind}`);
  for (const version of old.versions.filter(({ served }) => served)) {
    const same = next.versions.find((candidate) => candidate.name === version.name && candidate.served);
    const at = `${name} ${version.name}`;
    if (same === undefined) {
      found.push(`${at}: is no longer served`);
      continue;
    }
    for (const subresource of Object.keys(version.subresources ?? {})) {
      if (same.subresources?.[subresource] === undefined) found.push(`${at}: has no /${subresource} any more`);
    }
    const [from, to] = [version.schema?.openAPIV3Schema ?? {}, same.schema?.openAPIV3Schema ?? {}];
    for (const change of schemaChanges(from, to, "")) found.push(`${at}: ${change}`);
  }
  return found;
}

function* schemaChanges(before: Schema, after: Schema, path: string): Generator<string, void, void> {
  const at = path === "" ? "the object" : path.slice(1);
  for (const keyword of SAME) {
    if (before[keyword] !== undefined && before[keyword] !== after[keyword]) {
      yield `${at}: ${keyword} ${text(before[keyword])} became ${text(after[keyword])}`;
    }
  }
  for (const keyword of UPPER)
    if (tightened(before[keyword], after[keyword], -1)) yield `${at}: ${keyword} became ${String(after[keyword])}`;
  for (const keyword of LOWER)
    if (tightened(before[keyword], after[keyword], 1)) yield `${at}: ${keyword} became ${String(after[keyword])}`;
  if (after.pattern !== undefined && before.pattern !== after.pattern) yield `${at}: pattern became ${after.pattern}`;
  if (before.nullable === true && after.nullable !== true) yield `${at}: is no longer nullable`;
  if (JSON.stringify(before.default) !== JSON.stringify(after.default)) {
    // A default for what was absent is a new field's business, unless absence meant something.
    yield `${at}: default ${JSON.stringify(before.default) ?? "none"} became ${JSON.stringify(after.default) ?? "none"}`;
  }
  if (after.enum !== undefined) {
    const gone = (before.enum ?? ["any other"]).filter((value) => !after.enum?.includes(value));
    if (gone.length > 0) yield `${at}: no longer takes ${gone.map(String).join(", ")}`;
  }
  const rules = (schema: Schema): string[] =>
    ((schema["x-kubernetes-validations"] ?? []) as { rule: string }[]).map(({ rule }) => rule);
  const added = addedFields(before, after);
  for (const rule of rules(after)) {
    // A rule about a new field refuses nothing that could be written before.
    if (!rules(before).includes(rule) && !holdsWithout(rule, added)) yield `${at}: new rule ${rule}`;
  }
  yield* propertyChanges(before, after, path);
  if (before.items !== undefined && after.items !== undefined)
    yield* schemaChanges(before.items, after.items, `${path}[]`);
  if (typeof before.additionalProperties === "object") {
    if (typeof after.additionalProperties === "object") {
      yield* schemaChanges(before.additionalProperties, after.additionalProperties, `${path}.*`);
    } else if (after.additionalProperties !== true) yield `${at}: takes no keys of one's own any more`;
  }
}

function* propertyChanges(before: Schema, after: Schema, path: string): Generator<string, void, void> {
  const keepsUnknown = after["x-kubernetes-preserve-unknown-fields"] === true;
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const same = after.properties?.[name];
    if (same !== undefined) yield* schemaChanges(schema, same, `${path}.${name}`);
    else if (!keepsUnknown) yield `${`${path}.${name}`.slice(1)}: is gone`;
  }
  for (const name of after.required ?? []) {
    const { default: filled } = after.properties?.[name] ?? {};
    if (before.required?.includes(name) === true || filled !== undefined) continue;
    // A new object inside an old one may demand what it likes.
    if (before.properties !== undefined || path === "") yield `${`${path}.${name}`.slice(1)}: is required now`;
  }
}

/** Names of fields that are in the new schema alone, at any depth. */
function addedFields(before: Schema, after: Schema): Set<string> {
  const old = namesIn(before);
  return new Set([...namesIn(after)].filter((name) => !old.has(name)));
}

function namesIn(schema: Schema, names = new Set<string>()): Set<string> {
  for (const [name, one] of Object.entries(schema.properties ?? {})) namesIn(one, names.add(name));
  if (schema.items !== undefined) namesIn(schema.items, names);
  if (typeof schema.additionalProperties === "object") namesIn(schema.additionalProperties, names);
  return names;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}

/** `direction` 1: more is stricter; -1: less is. */
function tightened(before: unknown, after: unknown, direction: 1 | -1): boolean {
  if (typeof after !== "number") return false;
  return typeof before !== "number" || (after - before) * direction > 0;
}
