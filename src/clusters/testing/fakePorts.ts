import type { ObjectRef } from "../../apis/index.ts";
import { refKey } from "../../apis/index.ts";
import type { Observation, Row } from "../../desiredstate/index.ts";
import {
  type AssignmentRequest,
  type ContactReport,
  type Report,
  type ReportAnswer,
  type ReportChannel,
  type ReportSession,
  type ReportSink,
  RowSum,
  type WorkDelta,
  type WorkMessage,
  type WorkSource,
} from "../../ports/index.ts";
import type { CapacityReading } from "../../scheduler/index.ts";
import { Revisions } from "./builders.ts";

/** The hub's half of the ports. A stream begins with an epoch; its first rows are the complete set. */
export class FakeHubSide implements WorkSource, ReportSink {
  readonly reports: { cluster: string; observations: readonly Observation[] }[] = [];
  readonly contacts = new Map<string, ContactReport[]>();
  readonly capacities: { cluster: string; reading: CapacityReading | undefined }[] = [];
  readonly sessions: ReportSession[] = [];
  /** Every report of every session. */
  readonly taken: Report[] = [];
  /** Called with each contact. */
  heard: (contact: ContactReport) => void = () => undefined;
  /** Called with each report before it is taken. */
  receive: (report: Report) => void = () => undefined;
  /** Requests for an assignment. */
  readonly requests: AssignmentRequest[] = [];
  epoch = 1;
  readonly #revisions = new Revisions();
  readonly #latest = new Map<string, Observation>();
  readonly #streams = new Map<string, Stream>();
  readonly #answers = new Map<string, (answer: ReportAnswer) => void>();

  /** Number of requests for an assignment. */
  get subscriptions(): number {
    return this.requests.length;
  }

  async *assignment(cluster: string, request: AssignmentRequest, signal: AbortSignal): AsyncGenerator<WorkMessage> {
    this.requests.push(request);
    const stream = new Stream();
    this.#streams.set(cluster, stream);
    signal.addEventListener("abort", () => stream.end(), { once: true });
    stream.push({ kind: "Start", epoch: this.epoch });
    stream.push({ kind: "Capacity", wanted: false });
    let seq = 0;
    for await (const delta of stream) {
      yield { ...delta, seq };
      seq += 1;
    }
  }

  open(cluster: string, session: ReportSession, answer: (answer: ReportAnswer) => void): ReportChannel {
    this.sessions.push(session);
    this.#answers.set(cluster, answer);
    return { send: (report) => this.#take(cluster, report), [Symbol.dispose]: () => undefined };
  }

  /** Tells the sender of the cluster's reports something. */
  answer(cluster: string, answer: ReportAnswer): void {
    this.#answers.get(cluster)?.(answer);
  }

  #take(cluster: string, report: Report): void {
    this.receive(report);
    this.taken.push(report);
    const { observations, contact, capacity } = report;
    if (observations !== undefined) {
      this.reports.push({ cluster, observations });
      for (const observation of observations) this.#latest.set(`${cluster} ${refKey(observation.ref)}`, observation);
    }
    if (contact !== undefined) {
      this.contacts.set(cluster, [...(this.contacts.get(cluster) ?? []), contact]);
      this.heard(contact);
    }
    if (capacity === "Stopped") this.capacities.push({ cluster, reading: undefined });
    else if (capacity === "Unchanged") this.capacities.push({ cluster, reading: this.capacities.at(-1)?.reading });
    else if (capacity !== undefined) this.capacities.push({ cluster, reading: capacity.reading });
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

  lastContact(cluster: string): ContactReport | undefined {
    return this.contacts.get(cluster)?.at(-1);
  }
}

class Stream {
  readonly #deltas: WorkDelta[] = [];
  readonly #revisions = new Map<string, number>();
  #isComplete = false;
  #ended: { error: Error | undefined } | undefined;
  #wake = Promise.withResolvers<void>();

  push(delta: WorkDelta): void {
    this.#deltas.push(delta);
    if (delta.kind === "Rows") {
      for (const { ref, row, revision } of delta.rows)
        if (row === undefined) this.#revisions.delete(refKey(ref));
        else this.#revisions.set(refKey(ref), revision);
      if (!this.#isComplete) this.#deltas.push({ kind: "End", ...this.summary });
      this.#isComplete = true;
    }
    this.#wake.resolve();
  }

  /** Summary of the rows that this stream has sent. */
  get summary(): { revision: number; checksum: number } {
    const sum = new RowSum();
    for (const [key, revision] of this.#revisions) sum.add(key, revision);
    return { revision: Math.max(0, ...this.#revisions.values()), checksum: sum.value };
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
