import type { DemoApplication } from "../../src/apis/index.ts";
import { collectionPath, objectPath } from "../e2e/objects.ts";
import { AT_A_TIME, type BareClient, inParallel } from "./bareClient.ts";
import type { Observers } from "./observers.ts";
import { application, isRightDeployment, isRightService, NAMESPACE } from "./workload.ts";

export interface Rollout {
  /** From the first request sent until every member had everything right. */
  membersSeconds: number;
  /** The same until the hub's status said so of every application. */
  wallSeconds: number;
  /** Of one application, from its request sent until all members were right. */
  p50Ms: number;
  p99Ms: number;
}

/** For how long a bench waits for what was asked for. */
const TIMEOUT_MS = 120_000;

/** Creates or changes all applications through the hub, 16 at a time, and watches the members follow. */
export class Rollouts {
  readonly #hub: BareClient;
  readonly #observers: Observers;
  readonly #names: readonly string[];

  constructor(hub: BareClient, observers: Observers, names: readonly string[]) {
    this.#hub = hub;
    this.#observers = observers;
    this.#names = names;
  }

  create(image: string): Promise<Rollout> {
    const path = collectionPath("DemoApplication", NAMESPACE);
    return this.#measure(this.#names, image, (name) =>
      this.#hub.sendNow("POST", path, "json", JSON.stringify(application(NAMESPACE, name))),
    );
  }

  update(image: string, names = this.#names): Promise<Rollout> {
    const body = JSON.stringify({ spec: { image } });
    return this.#measure(names, image, (name) => this.#hub.sendNow("PATCH", pathOf(name), "merge-patch", body));
  }

  /** Resolves when the observers have seen all that is there. */
  async allThere(): Promise<void> {
    const { applications, members } = this.#observers;
    const wanted = this.#names.length;
    const seen = () => [applications, ...members.flatMap((view) => [view.deployments, view.services])];
    const isThere = () => seen().every(({ size }) => size >= wanted);
    if (isThere()) return;
    const say = () =>
      seen()
        .map(({ size }) => size)
        .join(", ");
    await this.#observers.until(isThere, TIMEOUT_MS, () => `of ${wanted} there are ${say()}`);
  }

  /** Deletes all; seconds until nothing was left anywhere. */
  async deleteAll(): Promise<number> {
    const { applications, members } = this.#observers;
    const isEmpty = () =>
      applications.size === 0 && members.every(({ deployments, services }) => deployments.size + services.size === 0);
    const startedAt = performance.now();
    const left = () =>
      [
        `${applications.size} applications`,
        ...members.map(({ member, deployments, services }) => `${member.name}: ${deployments.size} + ${services.size}`),
      ].join(", ");
    const gone = this.#observers.until(isEmpty, TIMEOUT_MS, () => `left are ${left()}`);
    const deleted = inParallel(this.#names, AT_A_TIME, (name) => this.#hub.sendNow("DELETE", pathOf(name)));
    await Promise.all([gone, deleted]);
    return (performance.now() - startedAt) / 1000;
  }

  /** Sends one request for each name, 16 at a time, and watches what becomes of it. */
  async #measure(names: readonly string[], image: string, send: (name: string) => Promise<void>): Promise<Rollout> {
    const sentAt = new Map<string, number>();
    const rightAt = new Map<string, number>();
    const toldAt = new Map<string, number>();
    const look = (name: string): boolean => {
      if (!sentAt.has(name)) return false;
      const now = performance.now();
      if (!rightAt.has(name) && this.#isRight(name, image)) rightAt.set(name, now);
      if (!toldAt.has(name) && isTold(this.#observers.applications.get(name), image)) toldAt.set(name, now);
      return rightAt.size === names.length && toldAt.size === names.length;
    };
    const missing = () =>
      `${rightAt.size} of ${names.length} are right on all members, ${toldAt.size} have a status that says so`;
    const startedAt = performance.now();
    const done = this.#observers.until(look, TIMEOUT_MS, missing);
    const sent = inParallel(names, AT_A_TIME, async (name) => {
      sentAt.set(name, performance.now());
      await send(name);
    });
    await Promise.all([done, sent]);
    const latencies = [...rightAt].map(([name, at]) => at - (sentAt.get(name) ?? at));
    return {
      membersSeconds: (Math.max(...rightAt.values()) - startedAt) / 1000,
      wallSeconds: (Math.max(...rightAt.values(), ...toldAt.values()) - startedAt) / 1000,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    };
  }

  /** Both on the members and in the status. */
  isDone(name: string, image: string): boolean {
    return this.#isRight(name, image) && isTold(this.#observers.applications.get(name), image);
  }

  #isRight(name: string, image: string): boolean {
    return this.#observers.members.every(({ member, deployments, services }) => {
      const deployment = deployments.get(name);
      const service = services.get(name);
      return (
        deployment !== undefined &&
        service !== undefined &&
        isRightDeployment(deployment, member.region, image) &&
        isRightService(service)
      );
    });
  }
}

/** The status says of the present generation that everything is applied. */
function isTold(object: DemoApplication | undefined, image: string): boolean {
  if (object?.spec.image !== image) return false;
  const applied = object.status?.conditions?.find(({ type }) => type === "Applied");
  return applied?.status === "True" && applied.observedGeneration === object.metadata.generation;
}

function pathOf(name: string): string {
  return objectPath("DemoApplication", NAMESPACE, name);
}

/** The smallest value that at least this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
