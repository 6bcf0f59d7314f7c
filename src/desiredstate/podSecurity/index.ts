/**
 * Limits a tenant's objects on members to what the hub allows in the tenant's namespace. The limits of pods are the Pod
 * Security Standards (baseline and restricted, in every version), and the names that only a hub administrator grants:
 * service accounts, nodes and host ports. The terms of a namespace also name the kinds and namespaces that a bundle may
 * contain.
 *
 * Promises: refuses what the PodSecurity admission of an API server refuses, also in custom resources as far as the
 * shape shows a pod. Names the policy, the rule, the field, and the annotation that allows the value. Never changes its
 * input and never throws, whatever a policy has made of an object.
 */
export { type Allowance, allowancesFor } from "./granted.ts";
export { judgeRendering, type Rendering } from "./judge.ts";
export { stricterOf } from "./level.ts";
export { defaultTerms, type NamespaceTerms, namespaceTerms, termsText } from "./terms.ts";
