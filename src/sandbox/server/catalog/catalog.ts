import type { KindRules } from "../../kinds/index.ts";
import { builtinResources, kindRules } from "../../kinds/index.ts";
import type { Resource, ResourceName, ResourceVersion } from "../../types.ts";
import { crdRules } from "./crdRules.ts";
import { CRDS } from "./crdStatus.ts";
import { customRules } from "./customRules.ts";

/** One version of one resource, as requests name it, with everything that the request pipeline needs. */
export interface Endpoint {
  resource: Resource;
  version: ResourceVersion;
  /** Such as `apps/v1`. */
  apiVersion: string;
  /** The apiVersion of stored objects. */
  storedVersion: string;
  /** The resource whose collection stores the objects. */
  storedAs: ResourceName;
  rules: KindRules;
}

/** The served resources: built-in kinds and CRDs. */
export class Catalog {
  #builtin: readonly Resource[];
  #resources: readonly Resource[];
  #endpoints = new Map<string, Endpoint>();
  #handlers: ((resources: readonly Resource[]) => void)[] = [];

  constructor() {
    this.#builtin = builtinResources();
    this.#resources = this.#builtin;
    this.#index();
  }

  /** The same array until the resources change. */
  get resources(): readonly Resource[] {
    return this.#resources;
  }

  get custom(): readonly Resource[] {
    return this.#resources.slice(this.#builtin.length);
  }

  isBuiltin(group: string): boolean {
    return this.#builtin.some((resource) => resource.group === group);
  }

  /** Replaces the resources of CRDs. */
  setCustom(custom: readonly Resource[]): void {
    this.#resources = [...this.#builtin, ...custom];
    this.#index();
    for (const handler of this.#handlers) handler(this.#resources);
  }

  /** Undefined if that version is not served. */
  endpoint(group: string, version: string, plural: string): Endpoint | undefined {
    return this.#endpoints.get(`${group}/${version}/${plural}`);
  }

  /** The endpoint of the stored version, served or not. Throws for an unknown resource. */
  stored({ group, plural }: ResourceName): Endpoint {
    const endpoint = this.#endpoints.get(`${group}//${plural}`);
    if (endpoint === undefined) throw new Error(`there is no resource ${plural} in group "${group}"`);
    return endpoint;
  }

  has({ group, plural }: ResourceName): boolean {
    return this.#endpoints.has(`${group}//${plural}`);
  }

  /** The endpoint of an object's apiVersion and kind. */
  byKind(apiVersion: string, kind: string): Endpoint | undefined {
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    const resource = this.#resources.find((one) => one.kind === kind && one.group === group);
    if (resource === undefined) return undefined;
    return this.endpoint(group, apiVersion.slice(apiVersion.indexOf("/") + 1), resource.plural);
  }

  onResources(handler: (resources: readonly Resource[]) => void): Disposable {
    this.#handlers = [...this.#handlers, handler];
    handler(this.#resources);
    return {
      [Symbol.dispose]: () => {
        this.#handlers = this.#handlers.filter((other) => other !== handler);
      },
    };
  }

  #index(): void {
    this.#endpoints = new Map();
    for (const resource of this.#resources) {
      for (const endpoint of endpointsOf(resource)) {
        const { group, plural } = resource;
        if (endpoint.version.served) this.#endpoints.set(`${group}/${endpoint.version.name}/${plural}`, endpoint);
        if (endpoint.version.storage) this.#endpoints.set(`${group}//${plural}`, endpoint);
      }
    }
  }
}

const known = new WeakMap<Resource, readonly Endpoint[]>();

/** All clusters that serve the same resource object share its endpoints. */
function endpointsOf(resource: Resource): readonly Endpoint[] {
  let endpoints = known.get(resource);
  if (endpoints !== undefined) return endpoints;
  const { group, plural, versions } = resource;
  const rules = resource.crd === undefined ? builtinRules(group, plural) : customRules(resource);
  const storage = versions.find((version) => version.storage) ?? versions[0];
  const storedAs = rules.storedAs ?? { group, plural };
  // A resource stored as another one uses the stored version of the storing resource.
  const storedVersion = rules.storedAs === undefined ? apiVersionOf(group, storage?.name ?? "") : undefined;
  endpoints = versions.map((version) => ({
    resource,
    version,
    apiVersion: apiVersionOf(group, version.name),
    storedVersion: storedVersion ?? storedVersionOf(storedAs),
    storedAs,
    rules,
  }));
  known.set(resource, endpoints);
  return endpoints;
}

function builtinRules(group: string, plural: string): KindRules {
  const rules = kindRules(group, plural);
  return group === CRDS.group && plural === CRDS.plural ? crdRules(rules) : rules;
}

function storedVersionOf({ group, plural }: ResourceName): string {
  const resource = builtinResources().find((one) => one.group === group && one.plural === plural);
  const version = resource?.versions.find(({ storage }) => storage);
  if (version === undefined) throw new Error(`${plural} of group "${group}" is not built in`);
  return apiVersionOf(group, version.name);
}

/** `v1` for the core group, else `apps/v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}
