/**
 * The built-in kinds of the sandbox: what a real API server publishes about them (schemas, names, columns), in one file that is generated
 * from such a server, and beside it what that server does by hand for each kind: defaults, what a client may not set, validation, the cells of
 * Tables, addresses and ports of Services.
 *
 * It promises to answer as kube-apiserver of the version in {@link kubernetesVersion} does, in its very words, for the fields that users touch.
 * It never changes an object that it is given, keeps no state but {@link ServiceAllocations}, and knows nothing of HTTP, storage or watches.
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
