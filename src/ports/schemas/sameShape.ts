import type { z } from "zod";

/**
 * The form of a JSON value with every field named, so that a missing optional field makes a difference. `readonly` and
 * `| undefined` of an optional field make none.
 */
type Shape<T> = unknown extends T
  ? "any value"
  : T extends readonly (infer Item)[]
    ? { list: Shape<Item> }
    : T extends object
      ? {
          [K in keyof T]-?: object extends Pick<T, K>
            ? { optional: Shape<Exclude<T[K], undefined>> }
            : { required: Shape<T[K]> };
        }
      : T;

type SameShape<A, B> = [Shape<A>] extends [Shape<B>] ? ([Shape<B>] extends [Shape<A>] ? true : false) : false;

type Fits<T, S extends z.ZodType> =
  SameShape<T, z.output<S>> extends true
    ? unknown
    : { "the type and the schema differ": { type: Shape<T>; schema: Shape<z.output<S>> } };

/**
 * Returns the schema unchanged. Does not compile unless schema and type have the same fields of the same types, so a
 * field that somebody adds to the type has to be added to the schema, too.
 */
export function schemaOf<T>(): <S extends z.ZodType>(schema: S & Fits<T, S>) => S {
  return (schema) => schema;
}
