import type { Schema } from "../../types.ts";
import { ownProperty, valueSchema } from "../references.ts";

/**
 * Result of following a JSON path: the schema, and the path as the API server prints it (`.spec.a['b.c']` as
 * `spec.a[b.c]`).
 */
export interface FieldPath {
  text: string;
  schema: Schema | undefined;
}

/** Follows a path of fields and, if `keys` allows, of quoted map keys. */
export function followPath(
  path: string,
  start: Schema,
  keys: "allowed" | "refused" = "allowed",
): FieldPath | { error: string } {
  let schema: Schema | undefined = start;
  let text = "";
  let rest = path;
  while (rest !== "") {
    let name: string;
    if (rest.startsWith(".")) {
      [, name = ""] = /^\.([^.[\]]*)/.exec(rest) ?? [];
      if (name === "") return { error: "unexpected end of JSON path" };
      rest = rest.slice(name.length + 1);
    } else if (rest.startsWith("[")) {
      if (keys === "refused") return { error: "array notation is not allowed" };
      const [whole, quoted] = /^\['((?:[^'\\]|\\.)*)'\]/.exec(rest) ?? [];
      if (whole === undefined || quoted === undefined) {
        return { error: `expected single quoted string but got ${/^\[([^\]]*)/.exec(rest)?.[1] ?? ""}` };
      }
      name = quoted.replace(/\\(.)/g, "$1");
      rest = rest.slice(whole.length);
    } else return { error: `expected [ or . but got: ${/^[^.[\]]*/.exec(rest)?.[0] ?? ""}` };
    if (schema === undefined) return { error: "does not refer to a valid field" };
    if (schema.properties !== undefined) {
      const next: Schema | undefined = ownProperty(schema.properties, name);
      if (next === undefined) return { error: "does not refer to a valid field" };
      text = text === "" ? name : `${text}.${name}`;
      schema = next;
    } else if (schema.additionalProperties !== undefined) {
      text = `${text}[${name}]`;
      schema = valueSchema(schema);
    } else return { error: "does not refer to a valid field" };
  }
  return { text, schema };
}
