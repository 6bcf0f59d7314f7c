import { EvaluationError, Optional, type Environment } from "@marcbachmann/cel-js";
import type { FieldError, Schema, ValidationRule } from "../../types.ts";
import { type Correlation, itemKey, itemsByKey } from "../correlation.ts";
import { duplicate, forbidden, invalid, required } from "../../fieldErrors.ts";
import { isRecord } from "../../jsonType.ts";
import { isList, ownProperty, valueSchema } from "../references.ts";
import { compile, type Compiled, environmentFor, type Program } from "./compile.ts";
import { kubernetesEnvironment, OPTIONS } from "./environment.ts";
import { followPath } from "./fieldPath.ts";
import { SchemaTypes } from "./schemaTypes.ts";
import { celValue } from "./values.ts";

/**
 * The rules (`x-kubernetes-validations`) of a schema, compiled once per schema object and process.
 *
 * Each rule sees its value as `self`, and the corresponding old value, if any, as `oldSelf`.
 */
export class SchemaRules {
  readonly #types = new SchemaTypes();
  readonly #root: Validator | undefined;
  #environment: Environment | undefined;
  readonly #environments = new Map<string, Environment>();

  private constructor(schema: Schema) {
    this.#root = this.#validator(schema, true);
  }

  static readonly #compiled = new WeakMap<Schema, SchemaRules>();

  static of(schema: Schema): SchemaRules {
    let rules = SchemaRules.#compiled.get(schema);
    if (rules === undefined) {
      rules = new SchemaRules(schema);
      SchemaRules.#compiled.set(schema, rules);
    }
    return rules;
  }

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  validate(value: unknown, old: unknown, correlation: Correlation | undefined): FieldError[] {
    if (this.#root === undefined) return [];
    const errors: FieldError[] = [];
    this.#validate(this.#root, { value, old, field: "", correlation, above: undefined }, errors);
    return errors;
  }

  /** The compiled rules of one schema part itself, for the validation of schemas. */
  compiledAt(schema: Schema): readonly CompiledRule[] {
    return this.#validators.get(schema)?.rules ?? [];
  }

  readonly #validators = new Map<Schema, Validator>();

  #validator(schema: Schema, isRoot: boolean): Validator | undefined {
    const visible = this.#types.asResource(schema, isRoot || schema["x-kubernetes-embedded-resource"] === true);
    if (!hasRules(schema) || this.#types.typeName(visible) === undefined) return undefined;
    const fields = new Map<string, Validator>();
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      const validator = this.#validator(child, false);
      if (validator !== undefined) fields.set(name, validator);
    }
    const values = valueSchema(schema);
    const validator: Validator = {
      schema,
      visible,
      rules: this.#rules(schema, visible),
      items: schema.items === undefined ? undefined : this.#validator(schema.items, false),
      values: values === undefined ? undefined : this.#validator(values, false),
      fields,
    };
    this.#validators.set(schema, validator);
    return validator;
  }

  /** Rules are compiled when a value first needs them, because an object rarely has every field of its schema. */
  #rules(schema: Schema, visible: Schema): readonly CompiledRule[] {
    return (schema["x-kubernetes-validations"] ?? []).map((rule) => {
      let compiled: { rule: Compiled; message: Compiled | undefined } | undefined;
      const results = () => (compiled ??= this.#compile(rule, visible));
      const path =
        rule.fieldPath === undefined || rule.fieldPath === "" ? undefined : followPath(rule.fieldPath, schema);
      return {
        source: rule,
        fieldPath: path === undefined || "error" in path ? "" : path.text,
        get result() {
          return results().rule;
        },
        get message() {
          return results().message;
        },
      };
    });
  }

  #compile(rule: ValidationRule, visible: Schema): { rule: Compiled; message: Compiled | undefined } {
    const environment = this.#environmentOf(visible, rule.optionalOldSelf === true);
    const compiled = compile(rule.rule, {
      environment,
      type: "bool",
      otherType: "cel expression must evaluate to a bool",
    });
    if (rule.messageExpression === undefined || rule.messageExpression === "" || "error" in compiled) {
      return { rule: compiled, message: undefined };
    }
    const message = compile(rule.messageExpression, {
      environment,
      type: "string",
      otherType: "messageExpression must evaluate to a string",
    });
    return { rule: compiled, message };
  }

  #environmentOf(visible: Schema, optionalOldSelf: boolean): Environment {
    const type = this.#types.typeName(visible);
    if (type === undefined) throw new Error("a rule stands at a value that expressions cannot see");
    const key = `${type} ${optionalOldSelf}`;
    let environment = this.#environments.get(key);
    if (environment === undefined) {
      environment = environmentFor(this.#declared(), type, optionalOldSelf);
      this.#environments.set(key, environment);
    }
    return environment;
  }

  #declared(): Environment {
    if (this.#environment === undefined) {
      this.#environment = kubernetesEnvironment().clone(OPTIONS);
      this.#types.declare(this.#environment);
    }
    return this.#environment;
  }

  #validate(validator: Validator, at: Place, errors: FieldError[]): void {
    const { value, old, field, correlation } = at;
    if (value === null || value === undefined) return;
    if (validator.rules.length > 0) this.#run(validator, at, errors);
    const above = correlation ?? at.above;
    if (isList(value)) {
      if (validator.items === undefined) return;
      const isMap = validator.schema["x-kubernetes-list-type"] === "map";
      const before = isMap ? itemsByKey(validator.schema, isList(old) ? old : []) : undefined;
      for (const [index, item] of value.entries()) {
        const key = before === undefined ? undefined : itemKey(validator.schema, item);
        const place = {
          value: item,
          old: key === undefined ? undefined : before?.get(key),
          field: `${field}[${index}]`,
          correlation: correlation?.item(index),
          above,
        };
        this.#validate(validator.items, place, errors);
      }
    } else if (isRecord(value)) {
      const before = isRecord(old) ? old : {};
      for (const [key, child] of Object.entries(value)) {
        const named = validator.fields.get(key);
        const next = named ?? validator.values;
        if (next === undefined) continue;
        const path = named === undefined ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;
        const place = {
          value: child,
          old: ownProperty(before, key),
          field: path,
          correlation: correlation?.field(key),
          above,
        };
        this.#validate(next, place, errors);
      }
    }
  }

  #run({ schema, visible, rules }: Validator, at: Place, errors: FieldError[]): void {
    const field = at.field === "" ? "<nil>" : at.field;
    const type = schema.type ?? "";
    const hasOld = at.old !== undefined && at.old !== null;
    let self: unknown;
    let oldSelf: unknown;
    for (const { source, result, message, fieldPath } of rules) {
      if ("error" in result) {
        errors.push(invalid(field, type, `rule compile error: ${result.error}`));
        continue;
      }
      const { program } = result;
      const optional = source.optionalOldSelf === true;
      if (program.usesOldSelf && !hasOld && !optional) continue;
      self ??= celValue(at.value, visible, this.#types);
      if (program.usesOldSelf && hasOld) oldSelf ??= celValue(at.old, visible, this.#types);
      const before = optional ? (oldSelf === undefined ? Optional.none() : Optional.of(oldSelf)) : oldSelf;
      const variables = before === undefined ? { self } : { self, oldSelf: before };
      const verdict = evaluated(program, variables);
      if ("error" in verdict) {
        errors.push(invalid(field, type, `${verdict.error} evaluating rule: ${shown(source)}`));
        continue;
      }
      if (verdict.value === true) continue;
      if (!program.usesOldSelf && (at.correlation ?? at.above)?.unchanged === true) continue;
      const detail = messageOf(source, message, variables);
      const value = type === "object" || type === "array" ? undefined : at.value;
      const path = fieldPath === "" ? field : at.field === "" ? fieldPath : `${field}.${fieldPath}`;
      errors.push(errorFor(source.reason, path, value, detail));
    }
  }
}

interface Validator {
  schema: Schema;
  /** The schema with the common fields of a resource, where it is one. */
  visible: Schema;
  rules: readonly CompiledRule[];
  items: Validator | undefined;
  values: Validator | undefined;
  fields: ReadonlyMap<string, Validator>;
}

export interface CompiledRule {
  readonly source: ValidationRule;
  readonly fieldPath: string;
  readonly result: Compiled;
  /** Undefined if the rule has no messageExpression. */
  readonly message: Compiled | undefined;
}

interface Place {
  value: unknown;
  old: unknown;
  field: string;
  correlation: Correlation | undefined;
  /** The nearest enclosing part that has a counterpart in the old object. */
  above: Correlation | undefined;
}

function hasRules(schema: Schema): boolean {
  if ((schema["x-kubernetes-validations"]?.length ?? 0) > 0) return true;
  if (schema.items !== undefined && hasRules(schema.items)) return true;
  const values = valueSchema(schema);
  if (values !== undefined && hasRules(values)) return true;
  return Object.values(schema.properties ?? {}).some(hasRules);
}

function evaluated(
  program: Program,
  variables: { self: unknown; oldSelf?: unknown },
): { value: unknown } | { error: string } {
  try {
    return { value: program.run(variables) };
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.summary };
    throw error;
  }
}

function shown({ message = "", rule }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}

const LONGEST_MESSAGE = 5120;

function messageOf(
  rule: ValidationRule,
  expression: Compiled | undefined,
  variables: { self: unknown; oldSelf?: unknown },
): string {
  if (expression !== undefined && "program" in expression) {
    const result = evaluated(expression.program, variables);
    // The fixed message replaces a computed message that fails, is empty, or does not fit on a line.
    if ("value" in result && typeof result.value === "string") {
      const text = result.value.trim();
      if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= LONGEST_MESSAGE) return text;
    }
  }
  const { message = "" } = rule;
  return message === "" ? `failed rule: ${shown(rule)}` : message.trim();
}

function errorFor(reason: string | undefined, field: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return duplicate(field, value);
    default:
      return invalid(field, value, detail);
  }
}
