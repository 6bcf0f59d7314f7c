import { unexplained } from "../statusError.ts";
import type { Schema } from "../types.ts";

/** How a strategic merge patch treats a field. */
export interface PatchMeta {
  /** `merge`, `replace` or "". */
  strategy: string;
  /** "" for lists of scalars and for replaced lists. */
  mergeKey: string;
  /** Schema of the object, or of the list's items. */
  schema: Schema;
}

/** Patch strategies from the schemas of a built-in kind, read as the patch needs them. */
export class PatchMetas {
  readonly #definitions: Readonly<Record<string, Schema>>;

  constructor(definitions: Readonly<Record<string, Schema>>) {
    this.#definitions = definitions;
  }

  /** Throws a Status 500 for an unknown field. */
  ofObject(schema: Schema, key: string): PatchMeta {
    const field = this.#fieldOf(schema, key);
    return { ...metaOf(field), schema: field };
  }

  /** Like {@link PatchMetas.ofObject}, for a list. */
  ofList(schema: Schema, key: string): PatchMeta {
    const field = this.#fieldOf(schema, key);
    const { items } = this.#resolve(field);
    if (items === undefined) throw unexplained(`expected slice or array type, but got: ${this.goKind(schema)}`);
    return { ...metaOf(field), schema: items };
  }

  goKind(schema: Schema): string {
    const { type, properties, items } = this.#resolve(schema);
    if (properties !== undefined) return "struct";
    if (items !== undefined) return "slice";
    return type === "object" ? "map" : (type ?? "struct");
  }

  #fieldOf(schema: Schema, key: string): Schema {
    const { properties, additionalProperties } = this.#resolve(schema);
    if (properties === undefined && additionalProperties !== undefined) {
      throw unexplained("merging an object in json but data type is not struct, instead is: map");
    }
    const field = properties?.[key];
    if (field === undefined) {
      throw unexplained(
        `unable to find api field in struct ${goName(schema)} for the json field ${JSON.stringify(key)}`,
      );
    }
    return field;
  }

  #resolve(schema: Schema): Schema {
    const reference = referenceOf(schema);
    return reference === undefined
      ? schema
      : (this.#definitions[reference.slice(reference.lastIndexOf("/") + 1)] ?? schema);
  }
}

function referenceOf({ $ref, allOf }: Schema): string | undefined {
  return $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
}

function goName(schema: Schema): string {
  const reference = referenceOf(schema) ?? "";
  return reference.slice(reference.lastIndexOf(".") + 1);
}

function metaOf(field: Schema): Pick<PatchMeta, "strategy" | "mergeKey"> {
  const strategies = (field["x-kubernetes-patch-strategy"] ?? "").split(",");
  // The strategy retainKeys only asks clients to send $retainKeys.
  const strategy = strategies.find((one) => one !== "retainKeys") ?? "";
  return { strategy, mergeKey: field["x-kubernetes-patch-merge-key"] ?? "" };
}
