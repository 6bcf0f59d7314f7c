/**
 * The kinds of Meridian. Each kind has one zod schema, which gives the TypeScript type, the parser at the boundary and
 * the generated CRD. This module also has the conversion between versions, the matching of selectors, canonical text
 * and hash of a value, and the words that every module shares: the reasons of statuses, the ownership of objects, short
 * messages and times.
 *
 * Promises: the parser accepts exactly the objects that the API server accepts, except for rules over an object's
 * former value, which only a server can check. This module never reads a clock, a file or a cluster, and never changes
 * its arguments.
 */
export {
  asCount,
  type ClusterSelector,
  DNS_SUBDOMAIN,
  excess,
  excessOf,
  type Extent,
  extentOf,
  type FieldProblem,
  type FieldSelector,
  IMAGE,
  isCount,
  issueText,
  type LabelSelector,
  matchesClusterSelector,
  matchesExpressions,
  matchesLabelSelector,
  MOST_COUNTED,
  OBJECT_BOUNDS,
  type ObjectSetting,
  type ResourceSelector,
  selectorSpecificity,
  selectsAmongKind,
  type Specificity,
} from "./schema/index.ts";
export * from "./values/index.ts";
export { isAmbiguous as isAmbiguousYaml, parseYaml, parseYamlDocuments, printYaml, YamlError } from "./yaml/index.ts";
export * from "./reasons/index.ts";
export * from "./records/index.ts";
export { ConversionError } from "./conversion/index.ts";
export * from "./served/index.ts";
export * from "./kinds/index.ts";
export * from "./metadata/index.ts";
