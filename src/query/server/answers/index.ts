/**
 * How answers are written: rows as Kubernetes objects, tables or events, their names, the discovery documents, and
 * refusals.
 *
 * Promises: an answer is never stored by a cache, and never taken for another type; a refusal is a Kubernetes Status.
 */
export { EVERY_CLUSTER, refuse, send, sendList } from "./answers.ts";
export { documentAt } from "./documents.ts";
export { internalError, RequestError, statusOf } from "./failures.ts";
export { itemOf } from "./items.ts";
export {
  API_VERSION,
  GROUP_PATH,
  isGettable,
  isNamespaced,
  type MemberPart,
  type Part,
  PART_KINDS,
  partsOf,
  WATCHES_PATH,
} from "./names.ts";
export { errorText, eventText, formatOf, heartbeatText, type Representation, rowBody } from "./representation.ts";
export { rowKeyOf } from "./rowNames.ts";
export type { IncludeObject } from "./tables.ts";
