import {
  type Alias,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseAllDocuments,
  type Scalar as ScalarNode,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { setMember } from "../values/index.ts";
import { keyText, plainScalar, type Scalar } from "./scalar.ts";

/**
 * YAML as kubectl and Helm read it: version 1.1 as `sigs.k8s.io/yaml` implements it. `0400` is 256, `yes` is true, `<<`
 * merges, and of duplicate keys the last counts. The parser gives the structure; scalars get their meaning here.
 */

export interface YamlDocument {
  value: unknown;
  /** Line of the first content, from 1. */
  line: number;
}

/** The text is no YAML, or holds a value that JSON cannot express. The message may quote the text. */
export class YamlError extends Error {
  override readonly name = "YamlError";
  /** Index of the document in the text, from 0, and number of documents. */
  readonly document: number;
  readonly documents: number;
  readonly line: number;
  readonly column: number;
  /** Set for a syntax error. */
  readonly code: ErrorCode | undefined;

  constructor(message: string, place: Pick<YamlError, "document" | "documents" | "line" | "column" | "code">) {
    super(`${message} at line ${place.line}, column ${place.column}`);
    this.document = place.document;
    this.documents = place.documents;
    this.line = place.line;
    this.column = place.column;
    this.code = place.code;
  }
}

interface Options {
  /** Values that come from aliases: a few aliases can turn a small text into a large value. */
  aliased?: number;
  /** As API servers do; by default the last of duplicate keys counts. */
  uniqueKeys?: boolean;
}

const MOST_ALIASED = 100_000;

/** Throws {@link YamlError} for the first mistake. */
export function parseYamlDocuments(text: string, options?: Options): YamlDocument[] {
  return [...read(text, options)];
}

/** Null where the text holds no document. Throws {@link YamlError}. */
export function parseYaml(text: string, options?: Options): unknown {
  const [first] = read(text, options);
  return first?.value ?? null;
}

function* read(text: string, { aliased = MOST_ALIASED, uniqueKeys = false }: Options = {}): Generator<YamlDocument> {
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, {
    schema: "failsafe",
    resolveKnownTags: false,
    uniqueKeys,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter,
  });
  const documents = parsed.length;
  for (const [at, document] of parsed.entries()) {
    const refused = (message: string, offset: number, code?: ErrorCode): YamlError => {
      const { line, col } = lineCounter.linePos(offset);
      return new YamlError(message, { document: at, documents, line, column: col, code });
    };
    const [error] = document.errors;
    if (error !== undefined) throw refused(error.message, error.pos[0], error.code);
    const { line } = lineCounter.linePos(document.contents?.range?.[0] ?? document.range[0]);
    yield { value: new Reading(refused, aliased).value(document.contents), line };
  }
}

type Refused = (message: string, offset: number) => YamlError;

const TAG = "tag:yaml.org,2002:";

class Reading {
  readonly #refused: Refused;
  readonly #anchors = new Map<string, unknown>();
  /** Nodes that are being read: an alias to one would make the value contain itself. */
  readonly #open = new Set<unknown>();
  #aliasedLeft: number;
  #aliases = 0;

  constructor(refused: Refused, aliased: number) {
    this.#refused = refused;
    this.#aliasedLeft = aliased;
  }

  value(node: unknown): unknown {
    if (isAlias(node)) return this.#aliased(node);
    if (this.#aliases > 0 && this.#aliasedLeft-- === 0) throw this.#refuse("too much stands in aliases", node);
    if (node === null || node === undefined) return null;
    this.#remember(node);
    if (isScalar(node)) return this.#json(this.#scalar(node), node);
    this.#open.add(node);
    const value = isMap(node) ? this.#map(node) : (node as YAMLSeq).items.map((item) => this.value(item));
    this.#open.delete(node);
    return value;
  }

  #remember(node: unknown): void {
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
  }

  #target(alias: Alias): unknown {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) throw this.#refuse(`nothing has the anchor ${alias.source}`, alias);
    if (this.#open.has(target)) throw this.#refuse(`the value of ${alias.source} holds itself`, alias);
    return target;
  }

  #aliased(alias: Alias): unknown {
    const target = this.#target(alias);
    this.#aliases++;
    const value = this.value(target);
    this.#aliases--;
    return value;
  }

  #map(map: YAMLMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const { key, value } of map.items as Pair[]) {
      if (isMergeKey(key)) this.#merge(value, result);
      else setMember(result, this.#key(key), this.value(value));
    }
    return result;
  }

  #key(key: unknown): string {
    const node = isAlias(key) ? this.#target(key) : key;
    if (node !== null) this.#remember(node);
    const text = isScalar(node) ? keyText(this.#scalar(node)) : undefined;
    if (text === undefined) throw this.#refuse("a key must be a text, a number or a boolean", key);
    return text;
  }

  /** As Go does: keys after the merge key win, and an earlier item of a merge list wins over later ones. */
  #merge(value: unknown, into: Record<string, unknown>): void {
    const node = isAlias(value) ? this.#target(value) : value;
    const sources = isSeq(node) ? node.items.toReversed() : [value];
    for (const source of sources) {
      if (!isMap(isAlias(source) ? this.#target(source) : source))
        throw this.#refuse("<< takes a map or a list of maps", source);
      for (const [key, member] of Object.entries(this.value(source) as object)) setMember(into, key, member);
    }
  }

  #scalar(node: ScalarNode): Scalar {
    const text = String(node.value);
    const tag = node.tag;
    if (tag === undefined) return node.type === "PLAIN" ? plainScalar(text) : { type: "string", value: text };
    const wanted = tag.startsWith(TAG) ? tag.slice(TAG.length) : "";
    if (wanted === "binary") return { type: "string", value: this.#decoded(text, node) };
    const types = TYPES.get(wanted);
    if (types === undefined) return { type: "string", value: text };
    const scalar = plainScalar(text);
    if (!types.includes(scalar.type)) throw this.#refuse(`${JSON.stringify(text)} is no ${wanted}`, node);
    return scalar;
  }

  #decoded(text: string, node: ScalarNode): string {
    try {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)),
      );
    } catch {
      throw this.#refuse("what is tagged !!binary is no base64", node);
    }
  }

  #json({ value }: Scalar, node: ScalarNode): unknown {
    if (typeof value === "number" && !Number.isFinite(value)) throw this.#refuse(`JSON has no ${String(value)}`, node);
    return value;
  }

  #refuse(message: string, node: unknown): YamlError {
    const { range } = (node ?? {}) as { range?: [number, number, number] | null };
    return this.#refused(message, range?.[0] ?? 0);
  }
}

/** Types of a plain scalar by its tag; under any other tag every scalar is a string. */
const TYPES: ReadonlyMap<string, readonly Scalar["type"][]> = new Map([
  ["int", ["integer"]],
  ["float", ["integer", "float"]],
  ["bool", ["boolean"]],
  ["null", ["null"]],
]);

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key) || key.value !== "<<") return false;
  return key.tag === undefined ? key.type === "PLAIN" : key.tag === `${TAG}merge`;
}
