import { definitions, omittedWhenEmpty } from "../kinds/builtin.ts";
import type { Schema } from "../types.ts";
import messages from "./messages.json" with { type: "json" };

/** A field of a message. */
export interface MessageField {
  /** The JSON name; "-" if JSON inlines the fields of the message into the owner. */
  name: string;
  form: "single" | "repeated" | "map";
  /** A scalar, or the name of a message. */
  type: string;
}

export interface Message {
  fields: ReadonlyMap<number, MessageField>;
  /** Names of fields that JSON omits when empty. */
  omitted: ReadonlySet<string>;
}

const written = messages as Readonly<Record<string, readonly string[]>>;
const read = new Map<string, Message>();

/** The message by its OpenAPI name; undefined for an unknown name. Parsed once, on first use. */
export function messageOf(name: string): Message | undefined {
  let message = read.get(name);
  const lines = written[name];
  if (message === undefined && lines !== undefined) {
    const prefix = name.slice(0, name.lastIndexOf("."));
    message = {
      fields: new Map(lines.map((line) => fieldOf(line, prefix))),
      omitted: new Set(omittedWhenEmpty[name]),
    };
    read.set(name, message);
  }
  return message;
}

/** Parses `3 containers [].Container`. A type with a leading dot is in the same package. */
function fieldOf(line: string, prefix: string): [number, MessageField] {
  const [number = "", name = "", ...rest] = line.split(" ");
  const text = rest.join(" ");
  const form = text.startsWith("[]") ? "repeated" : text.startsWith("map ") ? "map" : "single";
  const type = text.replace(/^(\[\]|map )/, "");
  return [Number(number), { name, form, type: type.startsWith(".") ? prefix + type : type }];
}

const OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1";
/** Kinds that every group has. */
const COMMON = new Set(["DeleteOptions", "Status"]);

let byKind: ReadonlyMap<string, string> | undefined;

/** The message name of a kind; undefined if the kind is not built-in. */
export function messageNameOf(apiVersion: string, kind: string): string | undefined {
  if (COMMON.has(kind)) return `${OPTIONS}.${kind}`;
  byKind ??= new Map(
    Object.entries(definitions).flatMap(([name, schema]) => kindsOf(schema).map((own) => [own, name] as const)),
  );
  return byKind.get(`${apiVersion} ${kind}`);
}

function kindsOf(schema: Schema): string[] {
  const kinds = (schema as { "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[] })[
    "x-kubernetes-group-version-kind"
  ];
  return (kinds ?? []).map(({ group, version, kind }) => `${group === "" ? version : `${group}/${version}`} ${kind}`);
}
