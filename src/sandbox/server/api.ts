import { defined } from "../../apis/index.ts";
import type { RoleSource } from "../authorization/index.ts";
import type { AdmissionRequest, Operation, Webhooks } from "../admission/index.ts";
import type { RulesEnvironment, ServiceAllocations } from "../kinds/index.ts";
import type { Store } from "../store/index.ts";
import type { KubeObject, RequestContext, SandboxClock } from "../types.ts";
import type { Subject } from "../statusError.ts";
import { type Catalog, type Conversion, type Endpoint } from "./catalog/index.ts";
import { type ServiceAccountTokens } from "./request/index.ts";

/** The field manager of objects that the server itself writes. */
export const SERVER_MANAGER = "kube-apiserver";

/** The parts of the server that verbs need. */
export interface Api {
  readonly store: Store;
  readonly catalog: Catalog;
  /** The cluster's clock, which a fault may skew. */
  readonly clock: SandboxClock;
  readonly services: ServiceAllocations;
  readonly roles: RoleSource;
  readonly webhooks: Webhooks;
  /** True if any admission webhook is configured. */
  hasWebhooks(): boolean;
  readonly conversion: Conversion;
  readonly tokens: ServiceAccountTokens;
  newUid(): string;
  /** Takes errors of background work. */
  report(error: unknown): void;
}

/** A request for objects. */
export interface Target {
  endpoint: Endpoint;
  namespace?: string;
  name?: string;
  subresource?: string;
  context: RequestContext;
  /** The server itself changes the object, by its own rules; the rules for clients do not apply. */
  direct?: boolean;
  /** The object form of a subresource, which webhooks see: a Scale. */
  form?: SubresourceForm;
  /** The options in the form that admission webhooks see: CreateOptions, PatchOptions… */
  options?: Readonly<Record<string, unknown>>;
}

/**
 * Converts an object to a subresource's form (`of`), and applies a webhook's changes of that form to the object
 * (`taken`).
 */
export interface SubresourceForm {
  of(object: KubeObject): KubeObject;
  taken(changed: KubeObject, object: KubeObject): KubeObject;
}

/** The subject of messages that name a resource by its plural. */
export function subjectOf({ endpoint: { resource } }: Target, name: string): Subject {
  return { group: resource.group, kind: resource.plural, name };
}

/**
 * The subject of an Invalid, which names an object by its kind. A resource stored as another one has the group of the
 * storing resource.
 */
export function kindSubject({ endpoint: { resource, storedAs } }: Target, name: string): Subject {
  return { group: storedAs.group, kind: resource.kind, name };
}

export function storedObject(api: Api, { endpoint, namespace }: Target, name: string): KubeObject | undefined {
  return api.store.collection(endpoint.storedAs).get(endpoint.resource.namespaced ? namespace : undefined, name);
}

/** The admission request for webhooks. */
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

/** For a patch, a webhook sees the options of the resulting update or creation. */
function optionsFor(
  operation: Operation,
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (options["kind"] !== "PatchOptions") return options;
  const { force: _, ...rest } = options;
  return { ...rest, kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions" };
}

/** Allocations and deferred actions of the rules for one request. */
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

  /** Called when the object has been stored. */
  stored(): void {
    for (const action of this.#stored.splice(0)) action();
    this.#undo.length = 0;
  }

  /** Called after a refusal or a dry run, when nothing is stored. */
  refused(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    this.#stored.length = 0;
  }
}
