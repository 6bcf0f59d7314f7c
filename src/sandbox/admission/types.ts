import type { LabelSelector } from "../labelSelectors.ts";
import type { RoleSource } from "../authorization/index.ts";
import type { KubeObject, RequestContext, Resource } from "../types.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A write to admit. Objects are in the version of the request. */
export interface AdmissionRequest {
  operation: Operation;
  resource: Resource;
  /** The version of the request. */
  version: string;
  subresource?: string;
  /** Undefined for a cluster-scoped object. */
  namespace?: string;
  name: string;
  /** Undefined for DELETE. */
  object?: KubeObject;
  old?: KubeObject;
  /** CreateOptions, UpdateOptions, PatchOptions, DeleteOptions with kind and apiVersion. */
  options?: Readonly<Record<string, unknown>>;
  /** Kind of an object that is not of the resource's kind: Scale, Binding, Eviction. Default: the object's own kind. */
  objectKind?: GroupVersionKind;
  context: RequestContext;
}

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** Access to the cluster that the webhooks need. */
export interface AdmissionEnvironment {
  /** MutatingWebhookConfigurations, admissionregistration.k8s.io/v1. */
  mutating(): readonly KubeObject[];
  validating(): readonly KubeObject[];
  namespace(name: string): KubeObject | undefined;
  service(namespace: string, name: string): KubeObject | undefined;
  /** Converts between versions of one resource (for matchPolicy Equivalent). */
  convert(resource: Resource, object: KubeObject, version: string): Promise<KubeObject>;
  newUid(): string;
  /** For the variable `authorizer` of match conditions, which allows nothing without roles. */
  roles?: RoleSource;
}

export interface ClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** Base64-encoded PEM. */
  caBundle?: string;
}

export interface RuleWithOperations {
  operations?: readonly string[];
  apiGroups?: readonly string[];
  apiVersions?: readonly string[];
  resources?: readonly string[];
  scope?: string;
}

/** One webhook of a configuration, with the API server's defaults. */
export interface Webhook {
  name: string;
  clientConfig: ClientConfig;
  rules?: readonly RuleWithOperations[];
  failurePolicy?: "Fail" | "Ignore";
  matchPolicy?: "Exact" | "Equivalent";
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: readonly string[];
  reinvocationPolicy?: "Never" | "IfNeeded";
  matchConditions?: readonly { name: string; expression: string }[];
}

/** The webhooks of all configurations, sorted by the names of the configurations. */
export function webhooksOf(configurations: readonly KubeObject[]): Webhook[] {
  return [...configurations]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((configuration) => (configuration["webhooks"] as readonly Webhook[] | null | undefined) ?? []);
}
