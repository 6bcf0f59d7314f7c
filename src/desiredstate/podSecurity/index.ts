/**
 * What a tenant's pods may be on a member: what the hub would have allowed in the tenant's namespace. The Pod Security Standards (baseline and
 * restricted, in every version), and what only an administrator of the hub grants: service accounts, nodes and ports of nodes by name.
 *
 * It promises to refuse what the PodSecurity admission of an API server refuses, in custom resources as far as the shape of a pod shows, and to
 * name the policy, the rule, the field, and the annotation that allows it. It never changes what it is given, and never throws, whatever a
 * policy has made of an object.
 */
export { type Allowance, allowancesFor } from "./allowances.ts";
export { judgeRendering, type Rendering } from "./judge.ts";
export { stricterOf } from "./level.ts";
export { defaultTerms, type NamespaceTerms, namespaceTerms, termsText } from "./terms.ts";
