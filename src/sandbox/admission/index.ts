/**
 * Webhooks: mutating and validating admission (AdmissionReview v1), and conversion of custom resources
 * (ConversionReview v1).
 *
 * Promises to call the configured webhooks in the server's order and within their timeouts, and to answer like the API
 * server. Trusts a host only if the configuration's caBundle verifies its certificate. Follows no redirect, sends no
 * credentials, and never changes a given object.
 *
 * Differences from the API server: only Services of type ExternalName are reachable, because a sandbox has no pod
 * network. Texts for broken JSON and for patches that do not apply are the sandbox's own.
 */
export type { AdmissionEnvironment, AdmissionRequest, Operation } from "./types.ts";
export { Webhooks } from "./webhooks.ts";
