import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet, Plane, RequestCounters } from "../envtest/index.ts";

/** What one server was asked for in one phase. */
export interface RequestRow {
  cluster: string;
  verb: string;
  resource: string;
  code: string;
  count: number;
}

export interface Requests {
  /** Of resources; without those of `apart`. */
  rows: RequestRow[];
  /** Leases, events, and what the server writes by itself. */
  apart: RequestRow[];
  /** Writes by cluster, without those of `apart`. */
  writes: Record<string, number>;
  /** Events written on the hub, series included. */
  events: number;
}

type Snapshot = Map<string, RequestCounters>;

/** The API servers' own counters over the phases of the bench. */
export class RequestLog {
  readonly #fleet: Fleet<Plane>;
  #before: Snapshot = new Map();

  constructor(fleet: Fleet<Plane>) {
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
      const rows = new Map<string, RequestRow>();
      const difference = counters.since(before);
      for (const { verb, resource, subresource, code, count } of difference.counts) {
        if (resource === "") continue;
        const name = subresource === "" ? resource : `${resource}/${subresource}`;
        const key = [verb, name, code].join(" ");
        rows.set(key, { cluster, verb, resource: name, code, count: (rows.get(key)?.count ?? 0) + count });
      }
      for (const row of rows.values()) {
        if (row.count !== 0) (APART.has(row.resource) ? requests.apart : requests.rows).push(row);
      }
      const writes = difference.writes();
      requests.writes[cluster] = writes.total() - writes.total({ resource: [...APART] });
      if (cluster === HUB) requests.events = writes.total({ resource: "events" });
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
/** An IPAddress is made by the API server itself for each Service. */
const APART: ReadonlySet<string> = new Set(["leases", "events", "ipaddresses"]);

function written(snapshot: Snapshot): number {
  let sum = 0;
  for (const counters of snapshot.values()) sum += counters.writes().total();
  return sum;
}

/** Writes on all members together. */
export function memberWrites({ writes }: Requests): number {
  return Object.entries(writes).reduce((sum, [cluster, count]) => (cluster === HUB ? sum : sum + count), 0);
}
