import { setTimeout as sleep } from "node:timers/promises";
import { objectPath } from "../e2e/objects.ts";
import type { BareClient } from "./bareClient.ts";
import type { MemberView, Observers } from "./observers.ts";
import { percentile } from "./rollouts.ts";
import { NAMESPACE, replicasIn } from "./workload.ts";

export interface StatusLatency {
  p50Ms: number;
  p99Ms: number;
  /** What the bench and the members' servers really managed. */
  changesPerSecond: number;
}

export interface Pace {
  count: number;
  perSecond: number;
}

/** What a quiet fleet has to tell. */
export const STATUS5: Pace = { count: 100, perSecond: 5 };

interface Change {
  value: number;
  sentAt: number;
}

const TIMEOUT_MS = 60_000;

/** When changes become visible in one place, in milliseconds since each was sent. A newer value of the same object brings the older ones along. */
export class Arrivals {
  readonly latencies: number[] = [];
  readonly #pending = new Map<string, Change[]>();

  expect(key: string, change: Change): void {
    const changes = this.#pending.get(key);
    if (changes === undefined) this.#pending.set(key, [change]);
    else changes.push(change);
  }

  arrived(key: string, value: number): void {
    const changes = this.#pending.get(key) ?? [];
    while (changes[0] !== undefined && changes[0].value <= value) {
      this.latencies.push(performance.now() - changes[0].sentAt);
      changes.shift();
    }
  }

  /** What has not arrived is expected no more. */
  forget(): void {
    this.#pending.clear();
  }
}

/** Where the changes are made, and where they are seen. */
type SeenChanges = Pick<Observers, "members" | "applications" | "until">;

export interface StatusChangesOptions {
  clients: ReadonlyMap<string, BareClient>;
  names: readonly string[];
  /** The number last written, by `application/member`; it only ever grows, so that a newer one is known for newer. */
  written?: Map<string, number>;
  /** Where else the changes are expected. */
  elsewhere?: Arrivals;
}

/** Plays the members' Deployment controllers: changes the numbers of ready replicas and watches the hub's status follow. */
export class StatusChanges {
  readonly #observers: SeenChanges;
  readonly #clients: ReadonlyMap<string, BareClient>;
  readonly #names: readonly string[];
  readonly #written: Map<string, number>;
  readonly #elsewhere: Arrivals | undefined;
  /** Changes of one object are sent one after another, as its one controller would. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(observers: SeenChanges, { clients, names, written, elsewhere }: StatusChangesOptions) {
    this.#observers = observers;
    this.#clients = clients;
    this.#names = names;
    this.#written = written ?? new Map<string, number>();
    this.#elsewhere = elsewhere;
  }

  /** One change in each application, on the members in turn. */
  spread(pace: Pace): Promise<StatusLatency> {
    const { members } = this.#observers;
    return this.#run(pace, (index) => ({
      name: this.#nameAt(index),
      view: members[index % members.length] as MemberView,
    }));
  }

  /** All members of one application, then the next one, as a rollout goes. */
  rolling(pace: Pace): Promise<StatusLatency> {
    const { members } = this.#observers;
    return this.#run(pace, (index) => ({
      name: this.#nameAt(Math.floor(index / members.length)),
      view: members[index % members.length] as MemberView,
    }));
  }

  async #run(
    { count, perSecond }: Pace,
    target: (index: number) => { name: string; view: MemberView },
  ): Promise<StatusLatency> {
    const onHub = new Arrivals();
    const look = (name: string): boolean => {
      for (const { name: cluster, replicas } of this.#observers.applications.get(name)?.status?.clusters ?? []) {
        onHub.arrived(`${name}/${cluster}`, replicas.ready);
      }
      return onHub.latencies.length === count;
    };
    const missing = () => `${onHub.latencies.length} of ${count} seen on the hub`;
    const seen = this.#observers.until(look, TIMEOUT_MS + (count / perSecond) * 1000, missing);
    const send = async (): Promise<number> => {
      const patches: Promise<void>[] = [];
      const startedAt = performance.now();
      for (let index = 0; index < count; index++) {
        const wait = startedAt + (index * 1000) / perSecond - performance.now();
        if (wait > 0) await sleep(wait);
        const { name, view } = target(index);
        const key = `${name}/${view.member.name}`;
        const value = (this.#written.get(key) ?? 0) + 1;
        this.#written.set(key, value);
        const patch = (this.#last.get(key) ?? Promise.resolve()).then(() =>
          this.#clientOf(view).inTurn(() => {
            const change = { value, sentAt: performance.now() };
            onHub.expect(key, change);
            this.#elsewhere?.expect(key, change);
            return this.#patch(view, name, value);
          }),
        );
        this.#last.set(key, patch);
        patches.push(patch);
      }
      await Promise.all(patches);
      return (performance.now() - startedAt) / 1000;
    };
    const [, seconds] = await Promise.all([seen, send()]);
    return {
      p50Ms: percentile(onHub.latencies, 0.5),
      p99Ms: percentile(onHub.latencies, 0.99),
      changesPerSecond: count / Math.max(seconds, count / perSecond),
    };
  }

  #clientOf({ member }: MemberView): BareClient {
    const client = this.#clients.get(member.name);
    if (client === undefined) throw new Error(`there is no client for ${member.name}`);
    return client;
  }

  #patch(view: MemberView, name: string, ready: number): Promise<void> {
    const { member, deployments } = view;
    const generation = deployments.get(name)?.metadata.generation;
    if (generation === undefined) throw new Error(`${member.name} has no ${name}`);
    const replicas = Math.max(replicasIn(member.region), ready);
    const status = {
      observedGeneration: generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: ready,
      availableReplicas: ready,
    };
    const body = { status };
    return this.#clientOf(view).sendNow(
      "PATCH",
      `${objectPath("Deployment", NAMESPACE, name)}/status`,
      "merge-patch",
      JSON.stringify(body),
    );
  }

  #nameAt(index: number): string {
    return this.#names[index % this.#names.length] as string;
  }
}
