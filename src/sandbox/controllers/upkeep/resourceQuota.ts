import type { KubeObject } from "../../../apis/index.ts";
import { sumOfQuantities } from "../../kinds/index.ts";
import { fitsScopes, isConsumer, isSame, type Usage, usageOf } from "../../quota/index.ts";
import type { Resource, ResourceName, WatchEvent } from "../../types.ts";
import { type Context, type Controller, isTerminating, QUOTAS, type Result, sameValue } from "../shared/index.ts";

interface Quota extends KubeObject {
  spec?: { hard?: Usage };
  status?: { hard?: Usage; used?: Usage };
}

/** Computes the usage of each ResourceQuota. The API server enforces a quota only once its usage is known. */
export class ResourceQuotaController implements Controller {
  readonly name = "resourcequota-controller";
  readonly resources = [QUOTAS];
  readonly #context: Context;
  /** Quota names by namespace, so that objects of other namespaces cost nothing. */
  readonly #quotas = new Map<string, Set<string>>();
  #namespaced: readonly ResourceName[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  serve(resources: readonly Resource[]): void {
    // Both groups of Events list the same objects.
    this.#namespaced = resources
      .filter(({ namespaced, group }) => namespaced && group !== "events.k8s.io")
      .map(({ group, plural }) => ({ group, plural }));
  }

  observe(_: ResourceName, { type, object }: WatchEvent): void {
    const { namespace = "", name } = object.metadata;
    const names = this.#quotas.get(namespace) ?? new Set<string>();
    if (type === "DELETED") names.delete(name);
    else names.add(name);
    if (names.size === 0) this.#quotas.delete(namespace);
    else this.#quotas.set(namespace, names);
    if (type !== "DELETED") this.#context.enqueue(this.name, namespace, name);
  }

  /** Called for each event in a namespace. The change may affect a quota's usage. */
  observeContent(resource: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace } = object.metadata;
    const names = namespace === undefined ? undefined : this.#quotas.get(namespace);
    if (names === undefined) return;
    if (type === "MODIFIED" && old !== undefined && isSame(usageOf(resource, object), usageOf(resource, old))) return;
    for (const name of names) this.#context.enqueue(this.name, namespace, name);
  }

  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const { client } = this.#context;
    const quota = client.get(QUOTAS, namespace, name) as Quota | undefined;
    if (quota === undefined || isTerminating(quota)) return undefined;
    const hard = quota.spec?.hard ?? {};
    const status = { hard, used: this.#used(quota, hard) };
    if (!sameValue(status, quota.status)) await client.update(QUOTAS, { ...quota, status }, "status");
    return undefined;
  }

  /** Omits names that no resource consumes. */
  #used(quota: Quota, hard: Usage): Usage {
    const used: Record<string, string> = {};
    const { namespace = "" } = quota.metadata;
    for (const resource of this.#namespaced) {
      const names = Object.keys(hard).filter((name) => isConsumer(resource, name));
      if (names.length === 0) continue;
      for (const name of names) used[name] ??= "0";
      for (const object of this.#context.client.list(resource, { namespace })) {
        if (!fitsScopes(quota, resource, object)) continue;
        const usage = usageOf(resource, object);
        for (const name of names) used[name] = sumOfQuantities(used[name] ?? "0", usage[name] ?? "0");
      }
    }
    return used;
  }
}
