/**
 * Webhooks: mutating and validating admission (AdmissionReview v1), and conversion of custom resources
 * (ConversionReview v1). Promises to call the configured webhooks in the server's order and within their timeouts, and
 * to answer like the API server. Requires that the host's certificate matches the configuration's caBundle, follows no
 * redirect, sends no credentials, and never changes a given object. Differences from the API server: only Services of
 * type ExternalName are reachable, because a sandbox has no pod network; texts for broken JSON and for patches that do
 * not apply are the sandbox's own.
 */
export type { AdmissionEnvironment, AdmissionRequest, Operation } from "./types.ts";
export { Webhooks } from "./webhooks.ts";
