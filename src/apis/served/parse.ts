import { KINDS, type KindDefinition, type KindVersion } from "./kinds.ts";
import { type KubeObject, parseApiVersion } from "../metadata/index.ts";
import { type FieldProblem, first, MOST_PROBLEMS, parseSpec } from "../schema/index.ts";

export type ParseResult =
  /** The object with the schema's defaults filled in, as the API server would store it. */
  { ok: true; object: KubeObject } | { ok: false; problems: FieldProblem[] };

const NOT_A_FIELD = "is not a field of this kind; check the spelling, or remove it";
const TOP_LEVEL: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

/** Undefined for kinds and versions that are not Meridian's. */
export function kindOf(object: KubeObject): { kind: KindDefinition; version: KindVersion } | undefined {
  const { group, version: name } = parseApiVersion(object.apiVersion);
  const kind = KINDS.find((candidate) => candidate.group === group && candidate.kind === object.kind);
  const version = kind?.versions.find((candidate) => candidate.name === name);
  return kind === undefined || version === undefined ? undefined : { kind, version };
}

/** The parser and the server drop such fields silently, but a person meant something by them. */
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
 * As the API server does on creation, with the same rules and defaults. Unknown fields are refused, as kubectl does. An
 * object of another kind is returned unchanged.
 */
export function parseObject(object: KubeObject): ParseResult {
  const found = kindOf(object);
  if (found === undefined) return { ok: true, object };
  const { version } = found;

  const problems: FieldProblem[] = (version.rules ?? [])
    .filter(({ holds }) => holds?.(object) === false)
    .map(({ message, field = "metadata.name" }) => ({ field, message }));
  const unknown = Object.keys(object).filter((field) => !TOP_LEVEL.has(field));
  problems.push(...unknown.slice(0, MOST_PROBLEMS).map((field) => ({ field, message: NOT_A_FIELD })));
  const parsed = parseSpec(version.spec, object["spec"]);
  if (parsed.ok) problems.push(...first(unknownFields(object["spec"], parsed.spec, "spec")));
  else problems.push(...parsed.problems);
  if (!parsed.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, object: { ...object, spec: parsed.spec } };
}
