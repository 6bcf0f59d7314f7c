import type { KubeObject, Resource, Schema } from "../../types.ts";
import { checkValue } from "./check.ts";
import { type FieldType, objectType } from "../values/index.ts";

/** An object with the type of its version. */
export interface Typed {
  object: KubeObject;
  type: FieldType;
}

/** The versions of one resource: their types, and conversion of objects between them. */
export class Versions {
  readonly #resource: Resource;
  readonly #convert: ((object: KubeObject, apiVersion: string) => KubeObject | undefined) | undefined;

  constructor(
    resource: Resource,
    convert: ((object: KubeObject, apiVersion: string) => KubeObject | undefined) | undefined,
  ) {
    this.#resource = resource;
    this.#convert = convert;
  }

  schemaOf(apiVersion: string): Schema | undefined {
    const { group, versions } = this.#resource;
    const prefix = group === "" ? "" : `${group}/`;
    return versions.find(({ name }) => `${prefix}${name}` === apiVersion)?.schema;
  }

  /** Undefined for a version that the resource does not have. */
  typeOf(apiVersion: string): FieldType | undefined {
    const schema = this.schemaOf(apiVersion);
    return schema === undefined ? undefined : objectType(schema, this.#resource.definitions);
  }

  /** Returns `typed` itself if it is in that version already; undefined for a version that no longer exists. */
  to(typed: Typed, apiVersion: string): Typed | undefined {
    if (typed.object.apiVersion === apiVersion) return typed;
    const type = this.typeOf(apiVersion);
    if (type === undefined) return undefined;
    const convert = this.#convert ?? ((object, version) => ({ ...object, apiVersion: version }));
    const object = convert(typed.object, apiVersion);
    if (object === undefined) return undefined;
    checkValue(object, type, "refused");
    return { object, type };
  }
}
