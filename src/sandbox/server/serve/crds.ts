import { resourceOfCrd } from "../../schema/index.ts";
import { StatusError } from "../../statusError.ts";
import type { KubeObject, RequestContext, Resource } from "../../types.ts";
import type { Api, Target } from "../api.ts";
import { equalJson } from "../../equalJson.ts";
import { type Catalog, CLEANUP_FINALIZER, CRDS, isTrue, specOf, statusFor } from "../catalog/index.ts";
import { changeObject, deleteObject, tracked } from "../write/index.ts";

/**
 * Follows CRDs: accepts their names, serves their resources, and deletes their objects before a CRD is deleted. As in a
 * real server all this happens shortly after the write, so a client waits for the condition Established.
 */
export class CustomResources implements Disposable {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #context: RequestContext;
  readonly #served = new Map<string, { crd: KubeObject; resource: Resource }>();
  readonly #cleaning = new Map<string, Disposable>();
  readonly #subscription: Disposable;

  constructor(api: Api, manager: string) {
    this.#api = api;
    this.#catalog = api.catalog;
    this.#context = {
      user: { name: "system:apiserver", groups: ["system:masters"] },
      fieldManager: manager,
      dryRun: false,
      fieldValidation: "Ignore",
      warn: () => undefined,
      signal: new AbortController().signal,
    };
    const collection = api.store.collection(CRDS);
    for (const crd of collection.list()) this.#take(crd);
    this.#publish();
    this.#subscription = collection.onEvent(({ type, object }) => {
      if (type === "DELETED") this.#forget(object);
      else this.#take(object);
      this.#publish();
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const cleaning of this.#cleaning.values()) cleaning[Symbol.dispose]();
    this.#cleaning.clear();
  }

  #take(crd: KubeObject): void {
    const { name, deletionTimestamp, finalizers = [] } = crd.metadata;
    this.#serve(name, crd);
    if (deletionTimestamp === undefined) {
      if (statusFor(crd, this.#conflictOf(crd), this.#api.clock.now()) !== undefined)
        this.#later(() => this.#accept(name));
    } else if (finalizers.includes(CLEANUP_FINALIZER) && !this.#cleaning.has(name)) {
      this.#cleanUp(name, crd);
    }
  }

  #forget(crd: KubeObject): void {
    this.#served.delete(crd.metadata.name);
    this.#cleaning.get(crd.metadata.name)?.[Symbol.dispose]();
    this.#cleaning.delete(crd.metadata.name);
  }

  /** Keeps the resource of an unchanged spec, because schemas are compiled per object identity. */
  #serve(name: string, crd: KubeObject): void {
    if (!isTrue(crd, "Established")) return;
    const before = this.#served.get(name);
    const same = before !== undefined && equalJson(before.crd["spec"], crd["spec"]);
    if (same && before.crd.metadata.deletionTimestamp === crd.metadata.deletionTimestamp) return;
    const resource = same ? { ...before.resource, crd } : resourceOfCrd(crd);
    this.#served.set(name, { crd, resource });
  }

  #publish(): void {
    const resources = [...this.#served.values()].map(({ resource }) => resource);
    const current = this.#catalog.custom;
    if (resources.length === current.length && resources.every((resource, index) => resource === current[index]))
      return;
    this.#catalog.setCustom(resources);
  }

  async #accept(name: string): Promise<void> {
    const target = this.#target(name, "status");
    await changeObject(this.#api, target, async (live) => {
      const status = statusFor(live, this.#conflictOf(live), this.#api.clock.now());
      return status === undefined ? live : tracked(this.#api, target, live, { ...live, status });
    });
  }

  /** The conflict of the CRD's names with another resource; undefined if they are free. */
  #conflictOf(crd: KubeObject): { reason: string; message: string } | undefined {
    const { group, names } = specOf(crd);
    for (const other of this.#catalog.resources) {
      if (other.group !== group || other.crd?.metadata.name === crd.metadata.name) continue;
      const taken = (what: string, name: string) => ({
        reason: `${what}Conflict`,
        message: `${JSON.stringify(name)} is already in use`,
      });
      const resources = new Set([other.plural, other.singular, ...other.shortNames]);
      const kinds = [other.kind, other.listKind];
      // The server checks one name after the other and reports the last conflict.
      if (names.listKind !== undefined && kinds.includes(names.listKind)) return taken("ListKind", names.listKind);
      if (kinds.includes(names.kind)) return taken("Kind", names.kind);
      const short = names.shortNames?.findLast((one) => resources.has(one));
      if (short !== undefined) return taken("ShortNames", short);
      if (names.singular !== undefined && resources.has(names.singular)) return taken("Singular", names.singular);
      if (resources.has(names.plural)) return taken("Plural", names.plural);
    }
    return undefined;
  }

  /** Deletes all objects of the CRD. Once they are gone, the CRD's finalizer is removed. */
  #cleanUp(name: string, crd: KubeObject): void {
    const { group, names } = specOf(crd);
    const collection = this.#api.store.collection({ group, plural: names.plural });
    const finishWhenEmpty = () => {
      if (collection.size > 0 || !this.#cleaning.has(name)) return;
      this.#cleaning.get(name)?.[Symbol.dispose]();
      this.#later(() => this.#release(name));
    };
    this.#cleaning.set(
      name,
      collection.onEvent(({ type }) => {
        if (type === "DELETED") finishWhenEmpty();
      }),
    );
    const endpoint = this.#catalog.has({ group, plural: names.plural })
      ? this.#catalog.stored({ group, plural: names.plural })
      : undefined;
    for (const { metadata } of endpoint === undefined ? [] : collection.list()) {
      const target: Target = {
        endpoint: endpoint ?? this.#target(name).endpoint,
        name: metadata.name,
        context: this.#context,
      };
      if (metadata.namespace !== undefined) target.namespace = metadata.namespace;
      this.#later(() => deleteObject(this.#api, target, {}));
    }
    finishWhenEmpty();
  }

  async #release(name: string): Promise<void> {
    await changeObject(this.#api, { ...this.#target(name), direct: true }, (live) => {
      const { finalizers = [], ...metadata } = live.metadata;
      const left = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
      return Promise.resolve({ ...live, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } });
    });
  }

  #target(name: string, subresource?: string): Target {
    const target: Target = { endpoint: this.#catalog.stored(CRDS), name, context: this.#context };
    if (subresource !== undefined) target.subresource = subresource;
    return target;
  }

  /** An object deleted meanwhile needs no more work. */
  #later(work: () => Promise<unknown>): void {
    queueMicrotask(() => {
      work().catch((error: unknown) => {
        if (!(error instanceof StatusError && error.code === 404)) this.#api.report(error);
      });
    });
  }
}
