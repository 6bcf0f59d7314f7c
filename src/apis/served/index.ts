/**
 * The kinds as an API server serves them: names, versions, parsers, conversion, CustomResourceDefinitions.
 *
 * Promises: each kind is listed once, and everything else is derived from this list.
 */
export { convertObject } from "./convert.ts";
export {
  crdNameOf,
  customResourceDefinitions,
  isConverted,
  servingAllVersions,
  servingPatch,
  versionsOf,
} from "./crds.ts";
export { type KindDefinition, KINDS } from "./kinds.ts";
export { kindOf, parseObject } from "./parse.ts";
