import { type z } from "zod";

/**
 * A rule twice side by side: as CEL for the API server, and as a function for before a server has seen the object. The
 * table of bad objects in the tests checks that both agree.
 */
export interface Rule<T> {
  /** CEL over `self`. */
  rule: string;
  /** Says what to change. */
  message: string;
  /** Path below `self`. */
  field?: string;
  /** Absent for rules over the object's former value, which only the server has. */
  holds?: (value: T) => boolean;
}

interface ValidationRule {
  rule: string;
  message: string;
  fieldPath?: string;
}

function existingRules(schema: z.ZodType): ValidationRule[] {
  return (schema.meta()?.["x-kubernetes-validations"] as ValidationRule[] | undefined) ?? [];
}

/** For the parser and for the CRD. Such an object schema can no longer be extended. */
export function withRules<S extends z.ZodType>(schema: S, ...rules: Rule<z.output<S>>[]): S {
  const refined = schema.superRefine((value, context) => {
    for (const { holds, message, field } of rules) {
      if (holds === undefined || holds(value)) continue;
      context.addIssue({ code: "custom", message, path: field === undefined ? [] : [field] });
    }
  });
  const validations = rules.map(({ rule, message, field }): ValidationRule => ({
    rule,
    message,
    ...(field === undefined ? {} : { fieldPath: `.${field}` }),
  }));
  return refined.meta({ "x-kubernetes-validations": [...existingRules(schema), ...validations] });
}

/** Entries have keys, so that several field managers can each own entries. */
export function listMap<S extends z.ZodArray<z.ZodObject>>(schema: S, ...keys: string[]): S {
  const unique = schema.superRefine((entries, context) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const key = JSON.stringify(keys.map((name) => entry[name]));
      if (seen.has(key)) {
        context.addIssue({
          code: "custom",
          path: [index],
          message: `${keys.join(" and ")} ${key} is there twice; each entry must have its own`,
        });
      }
      seen.add(key);
    }
  });
  return unique.meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
}

/** A list without order and without duplicates. */
export function listSet<S extends z.ZodArray<z.ZodString>>(schema: S): S {
  const unique = schema.superRefine((entries, context) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      if (seen.has(entry)) {
        context.addIssue({
          code: "custom",
          path: [index],
          message: `${JSON.stringify(entry)} is there twice; remove one`,
        });
      }
      seen.add(entry);
    }
  });
  return unique.meta({ "x-kubernetes-list-type": "set" });
}

type Fields = Readonly<Record<string, unknown>>;

export function exactlyOneOf(...fields: string[]): Rule<Fields> {
  const given = fields.map((field) => `has(self.${field})`);
  const list = `${fields.slice(0, -1).join(", ")} and ${fields.at(-1)}`;
  return {
    rule: `[${given.join(", ")}].exists_one(given, given)`,
    message: `give exactly one of ${list}`,
    holds: (value) => fields.filter((field) => value[field] !== undefined).length === 1,
  };
}

export function atLeastOneOf(...fields: string[]): Rule<Fields> {
  return {
    rule: fields.map((field) => `has(self.${field})`).join(" || "),
    message: `give at least one of ${fields.slice(0, -1).join(", ")} and ${fields.at(-1)}`,
    holds: (value) => fields.some((field) => value[field] !== undefined),
  };
}
