import type { Schema } from "../types.ts";

/**
 * The schema declared by a CRD, by the served schema. They differ in apiVersion, kind and metadata: the served schema
 * has the common fields of every object, and the declared schema may restrict a name.
 */
const declaredSchemas = new WeakMap<Schema, Schema>();

export function declaredSchema(served: Schema): Schema {
  return declaredSchemas.get(served) ?? served;
}

export function rememberDeclared(served: Schema, declared: Schema): void {
  declaredSchemas.set(served, declared);
}
