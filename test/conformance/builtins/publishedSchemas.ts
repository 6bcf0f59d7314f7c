import type { Schema } from "../../../src/sandbox/types.ts";
import type { Api } from "../../envtest/index.ts";

export type Schemas = Record<string, Schema>;

const REFERENCE = "#/components/schemas/";

/** Every definition of every document of the server's OpenAPI v3, in the form of {@link Schema}. */
export async function publishedSchemas(api: Api): Promise<Schemas> {
  // The index says that it is plain text.
  const index = JSON.parse(await api.get<string>("/openapi/v3")) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  const schemas: Schemas = {};
  for (const [path, { serverRelativeURL }] of Object.entries(index.paths)) {
    if (!/^api(s\/[^/]+)?\/v[^/]+$/.test(path)) continue;
    const document = await api.get<{ components: { schemas: Record<string, unknown> } }>(serverRelativeURL);
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas[name] = plain(schema);
  }
  return schemas;
}

/** The definitions that those names lead to, themselves included, by name in order. */
export function reachableFrom(names: readonly string[], schemas: Schemas): Schemas {
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`the server publishes no schema ${name}`);
    for (const reference of references(schema)) visit(reference);
  };
  for (const name of names) visit(name);
  return Object.fromEntries([...seen].sort().map((name) => [name, schemas[name] ?? {}]));
}

function references(schema: Schema): string[] {
  if (schema.$ref !== undefined) return [schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : []),
    ...(schema.allOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.anyOf ?? []),
  ];
  return inner.flatMap(references);
}

/** OpenAPI v3 wraps a reference that has siblings in `allOf`; here it stands beside them. */
function plain(published: unknown): Schema {
  if (!isRecord(published)) return {};
  const schema: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(published)) {
    if (key === "description") schema[key] = firstSentence(String(value));
    else if (key === "properties") schema[key] = mapValues(value, plain);
    else if (key === "items" || key === "not") schema[key] = plain(value);
    else if (key === "additionalProperties") schema[key] = isRecord(value) ? plain(value) : value;
    else if (key === "$ref") schema[key] = localReference(String(value));
    else if (key === "allOf" && Array.isArray(value) && value.length === 1) Object.assign(schema, plain(value[0]));
    else if (key === "oneOf" || key === "anyOf" || key === "allOf") schema[key] = (value as unknown[]).map(plain);
    // Options and watch events carry dozens of them, one for each group that they are used in.
    else if (key === "x-kubernetes-group-version-kind" && (value as unknown[]).length > 2) continue;
    else schema[key] = value;
  }
  if (schema["format"] === "int-or-string") schema["x-kubernetes-int-or-string"] = true;
  return schema as Schema;
}

function localReference(reference: string): string {
  if (!reference.startsWith(REFERENCE)) throw new Error(`${reference} is not a reference within the document`);
  return `#/definitions/${reference.slice(REFERENCE.length)}`;
}

/** What `kubectl explain` needs to tell one field from another; whole texts would be most of the file. */
export function firstSentence(text: string): string {
  const line = text.split("\n\n")[0] ?? "";
  return (/^.*?[a-z)"'`]{2}\.(?=\s|$)/s.exec(line)?.[0] ?? line).trim();
}

function mapValues(record: unknown, change: (value: unknown) => Schema): Schemas {
  if (!isRecord(record)) throw new Error("properties are not an object");
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
