/**
 * Building blocks for the schemas of kinds, and the parser at the boundary.
 *
 * Promises: the zod schema of a kind is its only source. An invalid value is refused with the path of the field and
 * what to change.
 */
export { excess, excessOf, type Extent, extentOf, OBJECT_BOUNDS } from "./bounds.ts";
export { asCount, conditions, count, isCount, MOST_COUNTED, observedGeneration, timestamp } from "./conditions.ts";
export {
  matchesClusterSelector,
  matchesExpressions,
  matchesLabelSelector,
  type ObjectSetting,
  selectorSpecificity,
  selectsAmongKind,
  type Specificity,
} from "./match.ts";
export { issueText } from "./issueText.ts";
export * from "./openapi.ts";
export * from "./parseSpec.ts";
export {
  DATA_KEY,
  DNS_LABEL,
  DNS_SUBDOMAIN,
  DURATION,
  ENV_NAME,
  FIELD_PATH,
  IMAGE,
  IMAGE_DIGEST,
  IMAGE_REGISTRY,
  IMAGE_REPOSITORY,
  IMAGE_TAG,
  INGRESS_HOST,
  ITEM_PATH,
  JSON_POINTER,
  KIND,
  LABEL_KEY,
  LIST_PATH,
  NOT_WRITTEN_PATH,
  PERCENT,
  PORT_NAME,
  POSITIVE_PERCENT,
  PROTECTED_POINTER,
  QUANTITY,
  RELATIVE_PATH,
  SERVICE_NAME,
  UNREACHABLE_PATH,
} from "./patterns.ts";
export * from "./rules.ts";
export {
  type ClusterSelector,
  clusterSelector,
  type FieldSelector,
  LABEL_KEYS_RULE,
  labelKey,
  labelMap,
  type LabelSelector,
  labelValue,
  type ResourceSelector,
  resourceSelectors,
  subdomainName,
} from "./selectors.ts";
