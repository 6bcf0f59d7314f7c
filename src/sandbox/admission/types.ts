import type { RoleSource } from "../authorization/index.ts";
import type { KubeObject, RequestContext, Resource } from "../types.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** One write on its way into the store. Objects are in the version of the request. */
export interface AdmissionRequest {
  operation: Operation;
  resource: Resource;
  /** The version of the request. */
  version: string;
  subresource?: string;
  /** Undefined when cluster-scoped. */
  namespace?: string;
  name: string;
  /** Undefined for DELETE. */
  object?: KubeObject;
  old?: KubeObject;
  /** CreateOptions, UpdateOptions, PatchOptions, DeleteOptions with kind and apiVersion. */
  options?: Readonly<Record<string, unknown>>;
  /** Of the object when it is not of the resource's own kind: Scale, Binding, Eviction. Without it the object itself says so. */
  objectKind?: GroupVersionKind;
  context: RequestContext;
}

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** What the webhooks need to know of their cluster. */
export interface AdmissionEnvironment {
  /** MutatingWebhookConfigurations, admissionregistration.k8s.io/v1. */
  mutating(): readonly KubeObject[];
  validating(): readonly KubeObject[];
  namespace(name: string): KubeObject | undefined;
  service(namespace: string, name: string): KubeObject | undefined;
  /** Converts between versions of one resource (for matchPolicy Equivalent). */
  convert(resource: Resource, object: KubeObject, version: string): Promise<KubeObject>;
  newUid(): string;
  /** For the variable `authorizer` of match conditions; without it that variable allows nothing. */
  roles?: RoleSource;
}

export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

export interface ClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** Base64 of PEM. */
  caBundle?: string;
}

export interface RuleWithOperations {
  operations?: readonly string[];
  apiGroups?: readonly string[];
  apiVersions?: readonly string[];
  resources?: readonly string[];
  scope?: string;
}

/** One webhook of a configuration, with its defaults as the API server stores them. */
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

/** The webhooks of all configurations, by the names of those. */
export function webhooksOf(configurations: readonly KubeObject[]): Webhook[] {
  return [...configurations]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((configuration) => (configuration["webhooks"] as readonly Webhook[] | null | undefined) ?? []);
}
