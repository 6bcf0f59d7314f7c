import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet, RequestCounters } from "../envtest/index.ts";

/** What one server was asked for in one phase. */
export interface RequestRow {
  cluster: string;
  verb: string;
  resource: string;
  code: string;
  count: number;
}

export interface Requests {
  /** Without leases, events and what is asked without a resource. */
  rows: RequestRow[];
  /** Leases and events. */
  apart: RequestRow[];
  /** Writes but those of leases and events, by cluster. */
  writes: Record<string, number>;
  /** Events written on the hub, series included. */
  events: number;
}

type Snapshot = Map<string, RequestCounters>;

/** The API servers' own counters over the phases of the bench. */
export class RequestLog {
  readonly #fleet: Fleet;
  #before: Snapshot = new Map();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async begin(): Promise<void> {
    this.#before = await this.#snapshot();
  }

  /** What was asked for since {@link begin}, once nobody has written for two seconds (twenty at most). */
  async end(): Promise<Requests> {
    let now = await this.#snapshot();
    for (let quiet = 0, rounds = 0; quiet < 4 && rounds < 40; rounds++) {
      await sleep(500);
      const next = await this.#snapshot();
      quiet = written(next) === written(now) ? quiet + 1 : 0;
      now = next;
    }
    return this.#since(now);
  }

  /** The same without waiting. */
  async now(): Promise<Requests> {
    return this.#since(await this.#snapshot());
  }

  #since(now: Snapshot): Requests {
    const requests: Requests = { rows: [], apart: [], writes: {}, events: 0 };
    for (const [cluster, counters] of now) {
      const before = this.#before.get(cluster);
      if (before === undefined) throw new Error("the counters were not read at the begin of the phase");
      const difference = counters.since(before);
      requests.writes[cluster] = difference.writes().total() - difference.writes().total({ resource: "events" });
      if (cluster === HUB) requests.events = difference.writes().total({ resource: "events" });
      for (const { verb, resource, subresource, code, count } of difference.counts) {
        if (resource === "") continue;
        const isApart = resource === "leases" || resource === "events";
        const name = subresource === "" ? resource : `${resource}/${subresource}`;
        (isApart ? requests.apart : requests.rows).push({ cluster, verb, resource: name, code, count });
      }
    }
    return requests;
  }

  async #snapshot(): Promise<Snapshot> {
    const { hub, members } = this.#fleet;
    const planes = [{ name: HUB, plane: hub }, ...members];
    return new Map(await Promise.all(planes.map(async ({ name, plane }) => [name, await plane.metrics()] as const)));
  }
}

export const HUB = "hub";

function written(snapshot: Snapshot): number {
  let sum = 0;
  for (const counters of snapshot.values()) sum += counters.writes().total();
  return sum;
}

/** Writes on all members together. */
export function memberWrites({ writes }: Requests): number {
  return Object.entries(writes).reduce((sum, [cluster, count]) => (cluster === HUB ? sum : sum + count), 0);
}
