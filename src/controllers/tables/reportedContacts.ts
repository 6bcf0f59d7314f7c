import { type ClusterContact, DampedContact, type Damping, sameSight } from "../../clusters/index.ts";
import { type Clock, Emitter } from "../../runtime/index.ts";
import type { Observations } from "./observations.ts";

/** What the condition Fresh of an application rests on: a loss is said there within this, after the probes have found it. */
const DAMPING: Damping = { firstMs: 10_000, longestMs: 120_000, textMs: 60_000 };

/**
 * What the statuses of applications say of the contact with clusters: each change costs a write for every application there, so a short
 * absence is not said, and of one cluster about one change in a minute. Only for what is written: decisions go by the observations.
 */
export class ReportedContacts implements Disposable {
  /** The name of a cluster of which something else is to be said. */
  readonly changes = new Emitter<string>();
  readonly #observations: Observations;
  readonly #clock: Clock;
  readonly #clusters = new Map<string, DampedContact<ClusterContact>>();
  readonly #returns = new Map<string, number>();
  readonly #subscription: Disposable;

  constructor({ observations, clock }: { observations: Observations; clock: Clock }) {
    this.#observations = observations;
    this.#clock = clock;
    this.#subscription = observations.contacts.subscribe((cluster) => this.#heard(cluster));
  }

  of(cluster: string): ClusterContact {
    return this.#clusters.get(cluster)?.said ?? this.#observations.contactOf(cluster);
  }

  /** The last moment of contact, epoch milliseconds, with a cluster of which no loss is said yet. */
  lastContact(cluster: string): number | undefined {
    return this.#clusters.get(cluster)?.lost?.lastContact;
  }

  /** When a cluster that had been lost answered again the last time, epoch milliseconds. */
  returnedAt(cluster: string): number | undefined {
    return this.#returns.get(cluster);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const contact of this.#clusters.values()) contact[Symbol.dispose]();
  }

  #heard(cluster: string): void {
    const contact = this.#observations.contactOf(cluster);
    let damped = this.#clusters.get(cluster);
    if (contact.reason === "ClusterUnknown") {
      damped?.[Symbol.dispose]();
      this.#clusters.delete(cluster);
      this.#returns.delete(cluster);
      this.changes.emit(cluster);
      return;
    }
    if (damped === undefined) {
      damped = new DampedContact({ clock: this.#clock, damping: DAMPING, said: () => this.changes.emit(cluster) });
      this.#clusters.set(cluster, damped);
    }
    const before = damped.said;
    const last = damped.lost ?? before;
    if (contact.ok && last?.ok === false && !last.pending) this.#returns.set(cluster, this.#clock.now());
    damped.take(contact);
    const isNews = damped.said === contact && before?.ok === contact.ok && !sameSight(before, contact);
    if (isNews) this.changes.emit(cluster);
  }
}
