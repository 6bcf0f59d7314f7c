import type { KubeObject, Schema } from "../../types.ts";
import { formatCheck } from "../formats.ts";
import { valueSchema } from "../references.ts";
import { specOf } from "./crdTypes.ts";

/** Warnings of the API server about a written CRD: string formats that the server does not check, each once. */
export function crdWarnings(crd: KubeObject): string[] {
  const formats = new Set<string>();
  for (const { schema } of specOf(crd).versions ?? []) collect(schema?.openAPIV3Schema, formats);
  return [...formats].sort().map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function collect(schema: Schema | undefined, formats: Set<string>): void {
  if (schema === undefined) return;
  const { type, format = "" } = schema;
  if (type === "string" && format !== "" && formatCheck(format) === undefined) formats.add(format);
  collect(schema.items, formats);
  collect(valueSchema(schema), formats);
  for (const child of Object.values(schema.properties ?? {})) collect(child, formats);
}
