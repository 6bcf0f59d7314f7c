import { defined } from "../../apis/index.ts";
import type { RoleSource } from "../authorization/index.ts";
import type { AdmissionRequest, Operation, Webhooks } from "../admission/index.ts";
import type { RulesEnvironment, ServiceAllocations } from "../kinds/index.ts";
import type { Store } from "../store/index.ts";
import type { KubeObject, RequestContext, SandboxClock } from "../types.ts";
import type { Subject } from "../statusError.ts";
import { type Catalog, type Conversion, type Endpoint } from "./catalog/index.ts";
import { type ServiceAccountTokens } from "./request/index.ts";

/** The field manager of what the server makes for itself. */
export const SERVER_MANAGER = "kube-apiserver";

/** What every verb needs of its server. */
export interface Api {
  readonly store: Store;
  readonly catalog: Catalog;
  /** Of the cluster: it may be skewed. */
  readonly clock: SandboxClock;
  readonly services: ServiceAllocations;
  readonly roles: RoleSource;
  readonly webhooks: Webhooks;
  /** Whether anybody wants to be asked about writes. */
  hasWebhooks(): boolean;
  readonly conversion: Conversion;
  readonly tokens: ServiceAccountTokens;
  newUid(): string;
  /** Takes what goes wrong where nobody waits for an answer. */
  report(error: unknown): void;
}

/** One request that concerns objects: what is asked for, by whom. */
export interface Target {
  endpoint: Endpoint;
  namespace?: string;
  name?: string;
  subresource?: string;
  context: RequestContext;
  /** The server itself changes the object, by rules of its own: those for clients do not hold. */
  direct?: boolean;
  /** The form that a subresource gives to objects, and that webhooks see: a Scale. */
  form?: SubresourceForm;
  /** The options as admission webhooks see them: CreateOptions, PatchOptions… */
  options?: Readonly<Record<string, unknown>>;
}

/** How a subresource shows an object, and how what a webhook changes there comes back into the object. */
export interface SubresourceForm {
  of(object: KubeObject): KubeObject;
  taken(changed: KubeObject, object: KubeObject): KubeObject;
}

/** As messages name a resource: by its plural. */
export function subjectOf({ endpoint: { resource } }: Target, name: string): Subject {
  return { group: resource.group, kind: resource.plural, name };
}

/** As an Invalid names an object: by its kind. What lies in another resource's store bears that one's group. */
export function kindSubject({ endpoint: { resource, storedAs } }: Target, name: string): Subject {
  return { group: storedAs.group, kind: resource.kind, name };
}

export function storedObject(api: Api, { endpoint, namespace }: Target, name: string): KubeObject | undefined {
  return api.store.collection(endpoint.storedAs).get(endpoint.resource.namespaced ? namespace : undefined, name);
}

/** The question that admission webhooks get. */
export function admissionOf(
  target: Target,
  operation: Operation,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): AdmissionRequest {
  const { endpoint, subresource, namespace, context, options, form } = target;
  const { resource, version } = endpoint;
  const seen = (one: KubeObject) => form?.of(one) ?? one;
  const name = object?.metadata.name ?? old?.metadata.name ?? target.name ?? "";
  return {
    operation,
    resource,
    version: version.name,
    ...defined({ subresource, namespace }),
    name,
    ...(object === undefined ? {} : { object: seen(object) }),
    ...(old === undefined ? {} : { old: seen(old) }),
    ...(options === undefined ? {} : { options: optionsFor(operation, options) }),
    context,
  };
}

/** A webhook that is called for a patch sees the update, or the creation, that it comes to. */
function optionsFor(
  operation: Operation,
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (options["kind"] !== "PatchOptions") return options;
  const { force: _, ...rest } = options;
  return { ...rest, kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions" };
}

/** What rules took and noted for one request. */
export class RulesScope {
  readonly environment: RulesEnvironment;
  readonly #undo: (() => void)[] = [];
  readonly #stored: (() => void)[] = [];

  constructor(api: Api, context: RequestContext) {
    this.environment = {
      now: () => api.clock.now(),
      services: api.services,
      dryRun: context.dryRun,
      user: context.user,
      onRefused: (undo) => void this.#undo.push(undo),
      onStored: (action) => void this.#stored.push(action),
    };
  }

  /** The object has been written. */
  stored(): void {
    for (const action of this.#stored.splice(0)) action();
    this.#undo.length = 0;
  }

  /** Nothing is written: a refusal, or a dry run. */
  refused(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    this.#stored.length = 0;
  }
}
