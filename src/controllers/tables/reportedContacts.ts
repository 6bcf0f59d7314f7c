import { type Clock, Emitter } from "../../runtime/index.ts";
import { DampedContact, type Damping } from "./dampedContact.ts";
import { type ClusterContact, sameReadability } from "./clusterContact.ts";
import type { Observations } from "./observations.ts";

/** Time between the detection of a loss by the probes and its report in the condition Fresh. */
const DAMPING: Damping = { firstMs: 10_000, longestMs: 120_000, textMs: 60_000 };

/**
 * The contact with clusters as the statuses of applications report it. Each change costs a write for every application
 * there, so a short absence is not reported. Decisions use the observations instead.
 */
export class ReportedContacts implements Disposable {
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
    return this.#clusters.get(cluster)?.published ?? this.#observations.contactOf(cluster);
  }

  /** Time of the last contact with a cluster whose loss is not reported yet, epoch milliseconds. */
  lastContact(cluster: string): number | undefined {
    return this.#clusters.get(cluster)?.lost?.lastContact;
  }

  /** Time of the last return of a lost cluster, epoch milliseconds. */
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
      damped = new DampedContact({ clock: this.#clock, damping: DAMPING, changed: () => this.changes.emit(cluster) });
      this.#clusters.set(cluster, damped);
    }
    const before = damped.published;
    const last = damped.lost ?? before;
    if (contact.ok && last?.ok === false && !last.pending) this.#returns.set(cluster, this.#clock.now());
    damped.take(contact);
    const isNews = damped.published === contact && before?.ok === contact.ok && !sameReadability(before, contact);
    if (isNews) this.changes.emit(cluster);
  }
}
