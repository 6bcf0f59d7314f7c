import type { FieldError, Schema } from "../types.ts";
import { equalJson } from "../equalJson.ts";
import type { Correlation } from "./correlation.ts";
import * as fieldError from "../fieldErrors.ts";
import { formatCheck } from "./formats.ts";
import { isRecord } from "../jsonType.ts";
import { type Definitions, isList, ownProperty, resolved, valueSchema } from "./references.ts";
import { compilePattern, matchesPattern, PatternError } from "./regularExpression.ts";

/**
 * Validates a value against the OpenAPI part of its schema: types, bounds, patterns, formats, enums, required fields
 * and the junctors (allOf, anyOf, oneOf, not). Errors have the API server's order. Parts unchanged since the old object
 * have no errors.
 */
export function validateOpenApi(
  schema: Schema,
  definitions: Definitions,
  value: unknown,
  correlation?: Correlation,
): FieldError[] {
  const result = new Checker(definitions).node(schema, value, "", correlation);
  return result.findings.map(({ error }) => error);
}

/** Like {@link validateOpenApi}, for a value at `field`: errors have the path in their field but not in their text. */
export function validateOpenApiAt(
  field: string,
  schema: Schema,
  definitions: Definitions,
  value: unknown,
): FieldError[] {
  return validateOpenApi(schema, definitions, value).map((error) => ({
    ...error,
    field: error.field === fieldError.NO_PATH ? field : `${field}.${error.field}`,
  }));
}

interface Finding {
  error: FieldError;
  /** An error with the same text is reported once. */
  text: string;
}

class Result {
  readonly findings: Finding[] = [];
  /** Number of checks that applied. It decides which branch of anyOf and oneOf explains best why none fits. */
  matches = 0;

  add(error: FieldError, text = `${error.field} ${error.message}`): this {
    if (!this.findings.some((finding) => finding.text === text)) this.findings.push({ error, text });
    return this;
  }

  merge(other: Result): this {
    for (const { error, text } of other.findings) this.add(error, text);
    this.matches += other.matches;
    return this;
  }

  get isValid(): boolean {
    return this.findings.length === 0;
  }
}

class Checker {
  readonly #definitions: Definitions;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  node(reference: Schema, value: unknown, path: string, correlation: Correlation | undefined): Result {
    const schema = resolved(reference, this.#definitions);
    const result = this.#checked(schema, value, path, correlation);
    if (!result.isValid && correlation?.unchanged === true) {
      const settled = new Result();
      settled.matches = result.matches;
      return settled;
    }
    return result;
  }

  #checked(schema: Schema, value: unknown, path: string, correlation: Correlation | undefined): Result {
    const result = new Result();
    if (schema.type !== undefined || schema["x-kubernetes-int-or-string"] === true || formatOf(schema) !== undefined) {
      result.merge(checkType(schema, value, path));
      result.matches++;
    }
    if (value === null || value === undefined) return result.merge(checkEnum(schema, value, path));
    result.merge(this.#junctors(schema, value, path, correlation)).matches++;
    if (typeof value === "string") result.merge(checkString(schema, value, path)).matches++;
    if (typeof value === "string" && formatOf(schema) !== undefined) {
      result.merge(checkFormat(schema, value, path)).matches++;
    }
    if (typeof value === "number" || typeof value === "bigint")
      result.merge(checkNumber(schema, value, path)).matches++;
    if (isList(value)) result.merge(this.#list(schema, value, path, correlation)).matches++;
    result.merge(checkEnum(schema, value, path)).matches++;
    if (isRecord(value)) result.merge(this.#object(schema, value, path, correlation)).matches++;
    result.matches++;
    return result;
  }

  #junctors(schema: Schema, value: unknown, path: string, correlation: Correlation | undefined): Result {
    const result = new Result();
    // A branch reads the same value. Unchanged parts inside are skipped in the branch too, but the value as a whole is
    // not.
    const branch = (nested: Schema) => this.#checked(resolved(nested, this.#definitions), value, path, correlation);
    const composite = (why: string) =>
      result.add(fieldError.invalid(fieldError.NO_PATH, "", `${JSON.stringify(path)} must ${why}`));
    if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
      const branches: Result[] = [];
      for (const nested of schema.anyOf) {
        const tried = branch(nested);
        branches.push(tried);
        if (tried.isValid) break;
      }
      const fitting = branches.find((tried) => tried.isValid);
      if (fitting === undefined) composite("validate at least one schema (anyOf)");
      result.merge(fitting ?? closest(branches));
    }
    if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
      const branches = schema.oneOf.map(branch);
      const fitting = branches.filter((tried) => tried.isValid);
      const [only] = fitting;
      if (only !== undefined && fitting.length === 1) result.merge(only);
      else {
        const found = only === undefined ? "Found none valid" : `Found ${fitting.length} valid alternatives`;
        composite(`validate one and only one schema (oneOf). ${found}`);
        if (only === undefined) result.merge(closest(branches));
      }
    }
    if (schema.allOf !== undefined && schema.allOf.length > 0) {
      const branches = schema.allOf.map(branch);
      for (const tried of branches) result.merge(tried);
      const fitting = branches.filter((tried) => tried.isValid).length;
      if (fitting !== branches.length) {
        composite(`validate all the schemas (allOf)${fitting === 0 ? ". None validated" : ""}`);
      }
    }
    if (schema.not !== undefined && branch(schema.not).isValid) composite("not validate the schema (not)");
    result.matches++;
    return result;
  }

  #list(schema: Schema, list: readonly unknown[], path: string, correlation: Correlation | undefined): Result {
    const result = new Result();
    if (schema.items !== undefined) {
      for (const [index, item] of list.entries()) {
        result.merge(this.node(schema.items, item, `${path}[${index}]`, correlation?.item(index)));
      }
    }
    const size = list.length;
    if (schema.minItems !== undefined && size < schema.minItems) {
      const text = `${path} in body should have at least ${schema.minItems} items`;
      result.add(fieldError.invalid(fieldOf(path), size, text), text);
    }
    if (schema.maxItems !== undefined && size > schema.maxItems) {
      result.add(fieldError.tooMany(fieldOf(path), size, schema.maxItems));
    }
    if (schema.uniqueItems === true && list.some((item, at) => list.slice(0, at).some((one) => equalJson(one, item)))) {
      const text = `${path} in body shouldn't contain duplicates`;
      result.add(fieldError.invalid(fieldOf(path), "", text), text);
    }
    result.matches++;
    return result;
  }

  #object(
    schema: Schema,
    object: Readonly<Record<string, unknown>>,
    path: string,
    correlation: Correlation | undefined,
  ): Result {
    const result = new Result();
    const size = Object.keys(object).length;
    if (schema.minProperties !== undefined && size < schema.minProperties) {
      const text = `${path} in body should have at least ${schema.minProperties} properties`;
      result.add(fieldError.invalid(fieldOf(path), size, text), text);
    }
    if (schema.maxProperties !== undefined && size > schema.maxProperties) {
      result.add(fieldError.tooMany(fieldOf(path), size, schema.maxProperties));
    }
    const values = valueSchema(schema);
    for (const [key, value] of Object.entries(object)) {
      const named = ownProperty(schema.properties, key);
      const next = named ?? values;
      if (next === undefined) {
        if (schema.additionalProperties === false) {
          const text = `${path}.${key} in body is a forbidden property`;
          result.add(fieldError.invalid(fieldOf(path), key, text), text);
        }
        continue;
      }
      // The old object is in the same version, so an unchanged apiVersion or kind excuses no error.
      const settled = path === "" && (key === "apiVersion" || key === "kind") ? undefined : correlation?.field(key);
      const below = path === "" && named !== undefined ? key : `${path}.${key}`;
      result.merge(this.node(next, value, below, settled));
    }
    for (const key of schema.required ?? []) {
      if (!Object.hasOwn(object, key)) result.add(fieldError.required(fieldOf(`${path}.${key}`)));
    }
    return result;
  }
}

/** The first branch with the most applicable checks. */
function closest(branches: readonly Result[]): Result {
  return branches.reduce((best, one) => (one.matches > best.matches ? one : best));
}

function fieldOf(path: string): string {
  const field = path.startsWith(".") ? path.slice(1) : path;
  return field === "" ? fieldError.NO_PATH : field;
}

/** The format, if the server knows it. */
function formatOf(schema: Schema): string | undefined {
  return formatCheck(schema.format) === undefined ? undefined : schema.format;
}

function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

/** The name of a value's type, and its format in Go. */
function typeName(value: unknown): readonly [type: string, format: string] {
  if (typeof value === "number" || typeof value === "bigint")
    return isGoInteger(value) ? ["integer", "int64"] : ["number", "float64"];
  if (isList(value)) return ["array", ""];
  return [typeof value, ""];
}

/** True for a number that the server decodes into an int64. */
function isGoInteger(value: number | bigint): boolean {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  return BigInt.asIntN(64, value) === value;
}

function checkType(schema: Schema, value: unknown, path: string): Result {
  const types = typesOf(schema);
  if (value === null || value === undefined) {
    return types.length > 0 && schema.nullable !== true ? wrongType(path, types.join(","), "null") : counted();
  }
  const [type, format] = typeName(value);
  const fits = types.includes(type) || (type === "integer" && types.includes("number"));
  const expected = formatOf(schema);
  if (expected !== undefined) {
    if (typeof value !== "string" && !isList(value)) {
      if (!fits) return wrongType(path, expected, format);
    } else if (!types.includes("number") && !types.includes("integer")) return counted();
  }
  return fits ? counted() : wrongType(path, types.join(","), type);
}

function counted(): Result {
  const result = new Result();
  result.matches = 1;
  return result;
}

function wrongType(path: string, expected: string, found: string): Result {
  const text = `${path} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  return new Result().add(fieldError.typeInvalid(fieldOf(path), found, text), text);
}

function checkString(schema: Schema, value: string, path: string): Result {
  const result = new Result();
  const length = Array.from(value).length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return result.add(fieldError.tooLong(fieldOf(path), schema.maxLength));
  }
  const refused = (text: string) => result.add(fieldError.invalid(fieldOf(path), value, text), text);
  if (schema.minLength !== undefined && length < schema.minLength) {
    return refused(`${path} in body should be at least ${schema.minLength} chars long`);
  }
  const { pattern } = schema;
  if (pattern === undefined || pattern === "") return result;
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return refused(`${path} in body should match '${pattern}, but pattern is invalid: ${error.message}'`);
  }
  return matchesPattern(pattern, value) ? result : refused(`${path} in body should match '${pattern}'`);
}

function checkFormat(schema: Schema, value: string, path: string): Result {
  const result = new Result();
  if (formatCheck(schema.format)?.(value) !== false) return result;
  const text = `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`;
  return result.add(fieldError.typeInvalid(fieldOf(path), value, text), text);
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint" && Number.isInteger(factor)) return value % BigInt(factor) === 0n;
  return Number.isInteger(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
}

function checkNumber(schema: Schema, value: number | bigint, path: string): Result {
  const result = new Result();
  const refused = (shown: number | bigint, text: string) =>
    result.add(fieldError.invalid(fieldOf(path), shown, text), text);
  // Go truncates a bound before comparing it with an integer.
  const bound = (limit: number) => (isGoInteger(value) ? Math.trunc(limit) : limit);
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf);
    if (factor <= 0) {
      refused(factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`);
    } else if (!isMultiple(value, factor)) {
      refused(value, `${path} in body should be a multiple of ${factor}`);
    }
  }
  if (minimum !== undefined) {
    const limit = bound(minimum);
    const exclusive = schema.exclusiveMinimum === true;
    if (value < limit || (exclusive && Number(value) === limit)) {
      refused(value, `${path} in body should be greater than ${exclusive ? "" : "or equal to "}${limit}`);
    }
  }
  if (maximum !== undefined) {
    const limit = bound(maximum);
    const exclusive = schema.exclusiveMaximum === true;
    if (value > limit || (exclusive && value === limit)) {
      refused(value, `${path} in body should be less than ${exclusive ? "" : "or equal to "}${limit}`);
    }
  }
  result.matches++;
  return result;
}

function checkEnum(schema: Schema, value: unknown, path: string): Result {
  const result = new Result();
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return result;
  if (value !== null && value !== undefined && allowed.some((one) => equalJson(one, value))) return result;
  return result.add(fieldError.notSupported(fieldOf(path), value ?? null, allowed));
}
