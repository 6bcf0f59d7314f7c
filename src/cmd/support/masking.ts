import { FEDERATION_GROUP, type KubeObject } from "../../apis/index.ts";
import { redactText } from "../../observability/index.ts";

/**
 * Keeps secrets out of a support bundle. Fields that carry values of people are left out of every object, and what stood
 * there is then taken out of every text, since a member may repeat a value in a message. Pure.
 */

export const MASKED = "[redacted]";

/** Shorter values are words and numbers, and would tear texts apart: they are left out of objects only. */
const SHORTEST = 6;

type Json = Record<string, unknown>;

/** Values that must be in no text. */
export class HiddenValues {
  readonly #values = new Set<string>();
  readonly #names = new Set<string>();
  #index: ReadonlyMap<string, string[]> | undefined;

  /** Names of objects, clusters and namespaces stay readable, even if a field has one of them as its value. */
  addName(name: string | undefined): void {
    if (name === undefined) return;
    this.#index = undefined;
    this.#names.add(name);
  }

  /** Every text in the value, its parts that a program may print alone, and its base64 form. */
  add(value: unknown): void {
    this.#index = undefined;
    if (typeof value === "number") return this.#addText(String(value));
    if (typeof value === "string") return this.#addText(value);
    if (typeof value !== "object" || value === null) return;
    for (const inner of Object.values(value)) this.add(inner);
  }

  /** For `data` of a Secret. */
  addEncoded(value: unknown): void {
    if (typeof value !== "string") return;
    this.add(value);
    this.add(Buffer.from(value, "base64").toString("utf8"));
  }

  /** The value with its texts scrubbed. Printers may fold or cut texts, so values are scrubbed before. */
  scrubbed<T>(value: T): T {
    if (typeof value === "string") return this.scrub(value) as T;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.scrubbed(item)) as T;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.scrubbed(inner)])) as T;
  }

  scrub(text: string): string {
    const clean = redactText(text);
    const values = this.#indexed();
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at + SHORTEST <= clean.length; at += 1) {
      const found = values.get(clean.slice(at, at + SHORTEST))?.find((value) => clean.startsWith(value, at));
      if (found === undefined) continue;
      parts.push(clean.slice(from, at), MASKED);
      from = at + found.length;
      at = from - 1;
    }
    return parts.length === 0 ? clean : parts.join("") + clean.slice(from);
  }

  #addText(text: string): void {
    const whole = text.trim();
    for (const part of [whole, ...whole.split("\n").map((line) => line.trim()), ...partsOf(whole)]) {
      if (part.length < SHORTEST) continue;
      this.#values.add(part);
      this.#values.add(JSON.stringify(part).slice(1, -1));
      this.#values.add(Buffer.from(part).toString("base64").replaceAll("=", ""));
    }
  }

  /** By their first characters, the longest first: there may be very many values and very long texts. */
  #indexed(): ReadonlyMap<string, string[]> {
    if (this.#index !== undefined) return this.#index;
    const wanted = [...this.#values].filter((value) => !this.#names.has(value)).toSorted((a, b) => b.length - a.length);
    this.#index = Map.groupBy(wanted, (value) => value.slice(0, SHORTEST));
    return this.#index;
  }
}

/** `hunter2` of `--password=hunter2` and of `postgres://user:hunter2@host`. */
function partsOf(text: string): string[] {
  const [, assigned = ""] = /^-{0,2}[\w.-]+=(.+)$/s.exec(text) ?? [];
  const passwords = [...text.matchAll(/:\/\/[^\s/@:]*:([^\s/@]+)@/g)].map(([, password = ""]) => password);
  return [assigned, ...passwords];
}

/** Fields whose every value is left out, wherever they are in an object. */
const OF_PEOPLE: ReadonlySet<string> = new Set([
  ...["args", "command", "data", "stringData", "binaryData", "httpHeaders", "compressed"],
]);
/** Lists of names with values, of which the names stay. */
const NAMED_VALUES: ReadonlySet<string> = new Set(["env", "patches"]);
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The object without values of people: env, arguments, patches, annotations of others, and everything in a bundle but
 * the names of its manifests. What is left out goes into `hidden`.
 */
export function maskedObject(object: KubeObject, hidden: HiddenValues, { keepArgs = false } = {}): KubeObject {
  const { metadata, ...rest } = object;
  const { managedFields: _, annotations, ...meta } = metadata as KubeObject["metadata"] & { managedFields?: unknown };
  hidden.addName(metadata.name);
  hidden.addName(metadata.namespace);
  return {
    ...(masked(rest, { hidden, keepArgs }) as KubeObject),
    metadata: {
      ...meta,
      ...(annotations === undefined ? {} : { annotations: maskedAnnotations(annotations, hidden) }),
    },
  };
}

function maskedAnnotations(annotations: Readonly<Record<string, string>>, hidden: HiddenValues) {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => {
      if (key.startsWith(`${FEDERATION_GROUP}/`)) return [key, value];
      // Its values are in the object as well, unless the object has changed since.
      if (key === LAST_APPLIED) hidden.add(valuesOfPeople(parsed(value)));
      else hidden.add(value);
      return [key, MASKED];
    }),
  );
}

interface Masking {
  hidden: HiddenValues;
  /** Of the manager's own container: its flags. */
  keepArgs: boolean;
}

function masked(value: unknown, how: Masking): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, how));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value as Json).map(([key, inner]) => [key, maskedField(key, inner, how)]));
}

function maskedField(key: string, value: unknown, how: Masking): unknown {
  const { hidden } = how;
  if (key === "manifests" && Array.isArray(value)) return value.map((manifest) => nameOnly(manifest as Json, hidden));
  if (key === "annotations") return maskedAnnotations(value as Record<string, string>, hidden);
  if (NAMED_VALUES.has(key) && Array.isArray(value)) return value.map((item) => withoutValue(item as Json, hidden));
  if (key === "args" && how.keepArgs) return value;
  if (!OF_PEOPLE.has(key) && !NAMED_VALUES.has(key)) return masked(value, how);
  hide(key, value, hidden);
  return MASKED;
}

function withoutValue(item: Json, hidden: HiddenValues): Json {
  if (!("value" in item)) return item;
  hidden.add(item["value"]);
  return { ...item, value: MASKED };
}

function nameOnly(manifest: Json, hidden: HiddenValues): Json {
  const { apiVersion, kind, metadata } = manifest as unknown as KubeObject;
  const { name, namespace } = metadata ?? {};
  hidden.addName(name);
  hidden.addName(namespace);
  if (kind === "Secret") {
    hide("data", manifest["data"], hidden);
    hidden.add(manifest["stringData"]);
  }
  hidden.add(valuesOfPeople(manifest));
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

function hide(key: string, value: unknown, hidden: HiddenValues): void {
  if (key === "data" && typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) hidden.addEncoded(inner);
  else hidden.add(value);
}

/** Values in the fields that {@link maskedObject} leaves out. */
function valuesOfPeople(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(valuesOfPeople);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Json).flatMap(([key, inner]): unknown[] => {
    if (OF_PEOPLE.has(key) || key === "annotations") return [inner];
    if (NAMED_VALUES.has(key) && Array.isArray(inner)) return inner.map((item) => (item as Json | null)?.["value"]);
    return valuesOfPeople(inner);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
