/**
 * Structural schemas: what an API server does with an object because of its schema. It fills in defaults, takes out fields that nobody knows, and
 * refuses what the schema or its rules in CEL do not take; and it judges the CRDs that bring such schemas.
 *
 * It promises the findings of kube-apiserver, each with its reason and field, and to copy what it changes and share what it does not: no argument is ever
 * changed. Rules, patterns and types are compiled once per schema object and process. Not said as the server says it: what rules would cost (rules
 * that it would refuse as too expensive are taken and run), and of mistakes inside one expression only the first on each side of `&&` and `||`.
 * It never checks names and labels of the object's own metadata, and knows nothing of versions, storage or HTTP.
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
