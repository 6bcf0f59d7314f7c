import type { ObjectRef } from "../../apis/index.ts";
import { refKey } from "../../apis/index.ts";
import type { Observation, Row } from "../../desiredstate/index.ts";
import type { ClusterContact, ReportSink, WorkDelta, WorkSource } from "../ports.ts";
import type { CapacityReading } from "../../scheduler/index.ts";
import { Revisions } from "./builders.ts";

/** The hub's half of the two ports. */
export class FakeHubSide implements WorkSource, ReportSink {
  readonly reports: { cluster: string; observations: readonly Observation[] }[] = [];
  readonly contacts = new Map<string, ClusterContact[]>();
  readonly capacities: { cluster: string; reading: CapacityReading | undefined }[] = [];
  /** Called with each contact. */
  heard: (contact: ClusterContact) => void = () => undefined;
  /** Clusters whose workers have ended. */
  readonly gone: string[] = [];
  /** Number of requests for an assignment. */
  subscriptions = 0;
  readonly #revisions = new Revisions();
  readonly #latest = new Map<string, Observation>();
  readonly #streams = new Map<string, Stream>();

  async *assignment(cluster: string, signal: AbortSignal): AsyncGenerator<WorkDelta> {
    this.subscriptions += 1;
    const stream = new Stream();
    this.#streams.set(cluster, stream);
    signal.addEventListener("abort", () => stream.end(), { once: true });
    yield* stream;
  }

  report(cluster: string, observations: readonly Observation[]): void {
    this.reports.push({ cluster, observations });
    for (const observation of observations) this.#latest.set(`${cluster} ${refKey(observation.ref)}`, observation);
  }

  contact(cluster: string, contact: ClusterContact | undefined): void {
    if (contact === undefined) this.gone.push(cluster);
    else {
      this.contacts.set(cluster, [...(this.contacts.get(cluster) ?? []), contact]);
      this.heard(contact);
    }
  }

  capacity(cluster: string, reading: CapacityReading | undefined): void {
    this.capacities.push({ cluster, reading });
  }

  send(cluster: string, ...deltas: WorkDelta[]): void {
    for (const delta of deltas) this.#streams.get(cluster)?.push(delta);
  }

  /** Breaks the assignment off with an error. */
  breakOff(cluster: string): void {
    this.#streams.get(cluster)?.end(new Error("the stream broke"));
  }

  /** Sends rows. Returns the last revision. */
  ask(...rows: Row[]): number {
    for (const row of rows) this.send(row.cluster, { kind: "Rows", rows: [this.#revisions.set(row)] });
    return this.#revisions.last;
  }

  withdraw(cluster: string, ref: ObjectRef): number {
    this.send(cluster, { kind: "Rows", rows: [this.#revisions.withdraw(ref)] });
    return this.#revisions.last;
  }

  observation(cluster: string, ref: ObjectRef): Observation | undefined {
    return this.#latest.get(`${cluster} ${refKey(ref)}`);
  }

  lastContact(cluster: string): ClusterContact | undefined {
    return this.contacts.get(cluster)?.at(-1);
  }
}

class Stream {
  readonly #deltas: WorkDelta[] = [];
  #ended: { error: Error | undefined } | undefined;
  #wake = Promise.withResolvers<void>();

  push(delta: WorkDelta): void {
    this.#deltas.push(delta);
    this.#wake.resolve();
  }

  end(error?: Error): void {
    this.#ended ??= { error };
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WorkDelta> {
    for (;;) {
      const delta = this.#deltas.shift();
      if (delta !== undefined) yield delta;
      else if (this.#ended?.error !== undefined) throw this.#ended.error;
      else if (this.#ended !== undefined) return;
      else {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
      }
    }
  }
}
