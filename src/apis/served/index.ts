/**
 * The kinds as an API server serves them: names, versions, parsers, conversion, CustomResourceDefinitions.
 *
 * Promises: each kind is listed once, and everything else is derived from this list.
 */
export * from "./convert.ts";
export * from "./crds.ts";
export { type KindDefinition, KINDS } from "./kinds.ts";
export { kindOf, parseObject } from "./parse.ts";
