/**
 * The kinds that this server serves, built-in and custom.
 *
 * Promises: CustomResourceDefinitions are established by the rules of kube-apiserver.
 */
export { apiVersionOf, Catalog, type Endpoint } from "./catalog.ts";
export { Conversion } from "./conversion.ts";
export { CLEANUP_FINALIZER, crdMarkedForDeletion, CRDS, isCrd, isTrue, specOf, statusFor } from "./crdStatus.ts";
