/**
 * Reads a request: path, verb, query and user.
 *
 * Promises: a request that kube-apiserver refuses is refused with the same status.
 */
export { Authentication } from "./authentication.ts";
export { impersonated } from "./impersonation.ts";
export { type CountedRequest, RequestMetrics } from "./metrics.ts";
export { type Wanted, wantedForm } from "./negotiation.ts";
export { type ListOptions, listOptionsOf, managerOf, revisionOf, type WriteOptions, writeOptionsOf } from "./query.ts";
export { type RequestInfo, requestInfoOf, type ResourceRequest } from "./requestInfo.ts";
export { ISSUER, ServiceAccountTokens } from "./tokens.ts";
