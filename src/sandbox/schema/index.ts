/**
 * Structural schemas: sets defaults, prunes unknown fields, and validates objects against the schema and its CEL rules.
 * Also validates CRDs and their schemas.
 *
 * Promises kube-apiserver's errors with their reason and field. Never changes an argument: changed parts are copies,
 * unchanged parts are shared. Rules, patterns and types are compiled once per schema object and process. Differences
 * from the server: the cost of rules is not estimated, so rules too expensive for the server are accepted; and of
 * several mistakes in one expression only the first on each side of `&&` and `||` is reported. Never checks names and
 * labels of the object's own metadata, and knows nothing of versions, storage or HTTP.
 */
export { crdWarnings } from "./crd/crdWarnings.ts";
export { defaultCrd } from "./crd/defaultCrd.ts";
export { resourceOfCrd } from "./crd/resourceOfCrd.ts";
export { validateCrd } from "./crd/validateCrd.ts";
export { decodeError } from "./decodeError.ts";
export { withDefaults } from "./defaults.ts";
export { prune } from "./prune.ts";
export { validateScale } from "./scale.ts";
export { validate } from "./validate.ts";
