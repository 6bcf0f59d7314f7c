/**
 * Webhooks: mutating and validating admission (AdmissionReview v1) and conversion of custom resources (ConversionReview v1). It promises to ask those that
 * the configurations name, in the server's order and within their timeouts, and to answer for them as the API server does. It never trusts a
 * host whose certificate the configuration's caBundle does not vouch for, follows no redirect, sends no credentials, and never changes an object that it
 * is given. What it does otherwise than the API server: a Service leads somewhere only when its type is ExternalName, since a
 * sandbox has no network of pods; texts of broken JSON and of patches that do not apply are its own.
 */
export type { AdmissionEnvironment, AdmissionRequest, Operation } from "./types.ts";
export { Webhooks } from "./webhooks.ts";
