import type { Schema } from "../types.ts";

/**
 * The schema as a CRD declares it, of the one that is served. They differ in apiVersion, kind and metadata: those of the served schema are of every
 * object and are checked where it is read; the declared one may narrow a name.
 */
const declaredSchemas = new WeakMap<Schema, Schema>();

export function declaredSchema(served: Schema): Schema {
  return declaredSchemas.get(served) ?? served;
}

export function rememberDeclared(served: Schema, declared: Schema): void {
  declaredSchemas.set(served, declared);
}
