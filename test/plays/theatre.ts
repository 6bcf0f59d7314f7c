import type { KubeObject } from "../../src/apis/index.ts";
import { CONFIGMAPS, DEPLOYMENTS, NAMESPACES, type ResourceType, SECRETS, SERVICES } from "../../src/runtime/index.ts";
import { LEFT_BEHIND } from "../integration/federation/harness.ts";
import { JOBS } from "../integration/federation/objects.ts";
import { TestCluster } from "../integration/federation/testCluster.ts";
import { PlayClock } from "./playClock.ts";
import { SYSTEM } from "./pipeline.ts";

/** Between the binding and the readiness of a pod, where controllers run. */
const POD_MS = 1_000;

export const QUOTAS: ResourceType = {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
};

const OF_HUB = [...LEFT_BEHIND, SERVICES];
/** Namespaces stay on the hub, which has no controller to end them. */
const OF_MEMBERS = [NAMESPACES, DEPLOYMENTS, JOBS, SERVICES, CONFIGMAPS, SECRETS, QUOTAS];
/** Objects that every cluster has, and the kinds of Meridian. */
const OWN = new RegExp(`^(kube-.*|kubernetes|default|${SYSTEM}|.*paas\\.cmft\\.com)$`);

/**
 * The clusters of all plays of a process, on one clock. A play gets them empty: to start them takes longer than most
 * plays.
 */
export class Theatre {
  readonly clock = new PlayClock(Date.UTC(2026, 0, 1, 8));
  readonly #clusters = new Map<string, TestCluster>();
  static #only: Theatre | undefined;

  static get only(): Theatre {
    return (this.#only ??= new Theatre());
  }

  /** The hub, without objects of earlier plays. */
  async hub(): Promise<TestCluster> {
    let hub = this.#clusters.get("hub");
    if (hub === undefined) {
      hub = await TestCluster.startHub(this.clock);
      this.#clusters.set("hub", hub);
      // What is deleted in the second of its CRD counts as deleted with an earlier one.
      await this.pass(1_000);
      await hub.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: SYSTEM } });
    }
    await this.#empty(hub, OF_HUB);
    return hub;
  }

  /** A member without objects of earlier plays: an API server alone, or with the controllers of the sandbox. */
  async member(name: string, hasControllers: boolean): Promise<TestCluster> {
    const key = hasControllers ? `${name} with controllers` : name;
    let member = this.#clusters.get(key);
    if (member === undefined) {
      const controllers = hasControllers && { readinessDelayMs: 0, events: 0 };
      member = await TestCluster.start({ name, clock: this.clock, controllers });
      this.#clusters.set(key, member);
    } else await this.#empty(member, OF_MEMBERS);
    if (hasControllers) member.faults.set({ podDelayMs: POD_MS });
    return member;
  }

  /** Ends all clusters; the next play gets new ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const cluster of this.#clusters.values()) await cluster[Symbol.asyncDispose]();
    this.#clusters.clear();
    Theatre.#only = undefined;
  }

  /** Lets the time go on, with nobody there but the clusters. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    do await this.quiet();
    while (this.clock.fireNext(end));
  }

  /** Resolves when nothing happens any more without the clock: no cluster changes, and nobody sets a timer. */
  async quiet(): Promise<void> {
    let before = "";
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      const now = this.#state();
      if (now !== before) turns = 0;
      before = now;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #state(): string {
    let state = String(this.clock.timersSet);
    for (const cluster of this.#clusters.values()) state += ` ${cluster.version}`;
    return state;
  }

  async #empty(cluster: TestCluster, types: readonly ResourceType[]): Promise<void> {
    await cluster.empty();
    for (const type of types)
      for (const object of cluster.list(type)) if (!isOwn(object)) await remove(cluster, type, object);
    await this.pass(2_000);
  }
}

const QUIET_TURNS = 3;

function isOwn({ metadata }: KubeObject): boolean {
  return OWN.test(metadata.name);
}

async function remove(cluster: TestCluster, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const { namespace, name, deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) await cluster.delete(type, namespace, name);
  // The server itself adds a finalizer to a Job that is deleted, which no controller of an API server alone takes away.
  const left = cluster.find(type, namespace, name);
  if ((left?.metadata.finalizers ?? []).length > 0)
    await cluster.merge(type, namespace, name, { metadata: { finalizers: null } });
}
