/**
 * The built-in kinds of the sandbox. One file generated from a real API server holds what the server publishes
 * (schemas, names, columns). The code beside it does what the server's code does per kind: defaults, fields that a
 * client may not set, validation, the cells of Tables, addresses and ports of Services.
 *
 * It promises to answer like kube-apiserver of version {@link kubernetesVersion}, with the same texts, for the fields
 * that users touch. It never changes a given object, keeps no state but {@link ServiceAllocations}, and knows nothing
 * of HTTP, storage or watches.
 */
export { builtinResources, definitions, kubernetesVersion } from "./builtin.ts";
export { DecodeError, decodedMetadata } from "./decode.ts";
export * from "./names.ts";
export {
  validateAnnotations,
  validateFieldManager,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./objectMeta.ts";
export { quantityNanos, sumOfQuantities } from "./quantity.ts";
export { kindRules } from "./registry.ts";
export type { KindRules, RulesEnvironment } from "./rules.ts";
export { ServiceAllocations } from "./serviceAllocations.ts";
