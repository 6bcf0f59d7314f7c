import type { FederatedStatus, KubeObject } from "../../../src/apis/index.ts";
import { collectionPath, objectPath } from "../../e2e/objects.ts";
import type { Fleet } from "../../envtest/index.ts";
import { AT_A_TIME, type BareClient, inParallel } from "../bareClient.ts";
import { Watches } from "../observers.ts";
import { measureRollout, type Rollout, TIMEOUT_MS } from "../rollouts.ts";
import { NAMESPACE } from "../workload.ts";
import type { KindWorkload } from "./workload.ts";

type Objects = ReadonlyMap<string, KubeObject & { status?: FederatedStatus }>;

/** Creates, changes and deletes the objects of one kind through the hub, 16 at a time, and watches the members follow. */
export class KindRollouts implements Disposable {
  readonly #workload: KindWorkload;
  readonly #hub: BareClient;
  readonly #watches: Watches;
  readonly #objects: Objects;
  readonly #told: Objects;
  /** Of each member, by kind. */
  readonly #members: readonly ReadonlyMap<string, Objects>[];

  constructor(workload: KindWorkload, hub: BareClient, fleet: Fleet, namespace = NAMESPACE) {
    this.#workload = workload;
    this.#hub = hub;
    this.#watches = new Watches(namespace);
    const { kind, told, copies } = workload;
    this.#objects = this.#watches.observe(fleet.hub.api, kind);
    this.#told = told.kind === kind ? this.#objects : this.#watches.observe(fleet.hub.api, told.kind);
    const kinds = copies(namespace, "any", 1).flat();
    this.#members = fleet.members.map(
      ({ plane }) => new Map(kinds.map((copy) => [copy.kind, this.#watches.observe(plane.api, copy.kind)])),
    );
  }

  create(names: readonly string[], version: number): Promise<Rollout> {
    const { kind, object } = this.#workload;
    const path = collectionPath(kind, NAMESPACE);
    return this.#measure(names, version, (name) =>
      this.#hub.sendNow("POST", path, "json", JSON.stringify(object(NAMESPACE, name, version))),
    );
  }

  update(names: readonly string[], version: number): Promise<Rollout> {
    return this.#measure(names, version, (name) =>
      this.#hub.sendNow("PATCH", this.#path(name), "merge-patch", JSON.stringify(this.#workload.change(name, version))),
    );
  }

  /** Deletes all; seconds until nothing was left anywhere. */
  async deleteAll(names: readonly string[]): Promise<number> {
    const wanted = new Set(names.flatMap((name) => [name, this.#workload.told.name(name)]));
    const left = () =>
      this.#all().reduce((sum, seen) => sum + [...seen.keys()].filter((it) => wanted.has(it)).length, 0);
    const isGone = () => this.#all().every((seen) => seen.size < wanted.size) && left() === 0;
    const startedAt = performance.now();
    const gone = this.#watches.until(isGone, TIMEOUT_MS, () => `${left()} objects are left`);
    const deleted = inParallel(names, AT_A_TIME, (name) => this.#hub.sendNow("DELETE", this.#path(name)));
    await Promise.all([gone, deleted]);
    return (performance.now() - startedAt) / 1000;
  }

  [Symbol.dispose](): void {
    this.#watches[Symbol.dispose]();
  }

  #all(): Objects[] {
    return [this.#objects, this.#told, ...this.#members.flatMap((seen) => [...seen.values()])];
  }

  #measure(names: readonly string[], version: number, send: (name: string) => Promise<void>): Promise<Rollout> {
    const byTold = new Map(names.map((name) => [this.#workload.told.name(name), name]));
    const named = {
      until: (check: (name: string) => boolean, timeoutMs: number, missing: () => string) =>
        this.#watches.until((name) => check(byTold.get(name) ?? name), timeoutMs, missing),
    };
    return measureRollout(named, names, {
      send,
      isRight: (name) => this.#isRight(name, version),
      isTold: (name) => this.#isRight(name, version) && this.#isTold(name),
    });
  }

  #isRight(name: string, version: number): boolean {
    const copies = this.#copies(name);
    return copies.every((copy) => copy !== undefined && this.#workload.isRight(copy, version));
  }

  #isTold(name: string): boolean {
    const object = this.#objects.get(name);
    const status = this.#told.get(this.#workload.told.name(name))?.status;
    if (object === undefined) return false;
    return this.#workload.isTold(
      object,
      status,
      this.#copies(name).filter((copy) => copy !== undefined),
    );
  }

  #copies(name: string): (KubeObject | undefined)[] {
    return this.#members.flatMap((seen) => [...seen.values()].map((objects) => objects.get(name)));
  }

  #path(name: string): string {
    return objectPath(this.#workload.kind, NAMESPACE, name);
  }
}
