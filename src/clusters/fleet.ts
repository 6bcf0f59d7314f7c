import type { Contact } from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import { every } from "../runtime/index.ts";
import { ConcurrencyBudget } from "./pacing/index.ts";
import type { MemberSession, PoolListener } from "./types.ts";
import { CONTROLLER } from "./write/index.ts";
import { Worker, type WorkerOptions } from "./worker.ts";

export type FleetOptions = Omit<WorkerOptions, "cluster" | "share" | "working">;

const SAMPLE_MS = 10_000;

/** All members. Each MemberCluster has a worker that lives as long as the MemberCluster. */
export class Fleet implements PoolListener, AsyncDisposable {
  readonly #options: FleetOptions;
  readonly #workers = new Map<string, Worker>();
  readonly #ending = new Set<Promise<void>>();
  readonly #budget = new ConcurrencyBudget(() => this.#workers.size);
  #closed = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    options.metrics.expectFailures(CONTROLLER);
  }

  sessionStarted(session: MemberSession): void {
    this.#worker(session.cluster)?.startSession(session);
  }

  contactChanged(cluster: string, contact: Contact): void {
    this.#worker(cluster)?.setContact(contact);
  }

  paceOf(cluster: string): Why | undefined {
    return this.#workers.get(cluster)?.pace;
  }

  clusterRemoved(cluster: string): void {
    const worker = this.#workers.get(cluster);
    if (worker === undefined) return;
    this.#end(cluster, worker);
    this.#options.metrics.forgetCluster(cluster);
  }

  /** Seconds since the last contact, 0 in contact, and the load of each member. Called for each scrape. */
  reportMembers(): void {
    const { clock, metrics } = this.#options;
    for (const [cluster, { contact, load }] of this.#workers) {
      metrics.setMemberLoad(cluster, load);
      if (contact.ok) metrics.setStatusStaleness(cluster, 0);
      else if (contact.lastContact !== undefined)
        metrics.setStatusStaleness(cluster, (clock.now() - contact.lastContact) / 1000);
    }
  }

  /** Counts the age of what is known of each member, for as long as it is not disposed of. */
  sampleAges(): Disposable {
    const { clock, metrics } = this.#options;
    return every(clock, SAMPLE_MS, () => {
      for (const { contact } of this.#workers.values()) {
        if (contact.ok) metrics.observeMemberAge(0);
        else if (contact.lastContact !== undefined) metrics.observeMemberAge(clock.now() - contact.lastContact);
      }
    });
  }

  /** Ends every worker and waits for the running writes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const [cluster, worker] of this.#workers) this.#end(cluster, worker);
    await Promise.all(this.#ending);
  }

  #worker(cluster: string): Worker | undefined {
    const known = this.#workers.get(cluster);
    if (known !== undefined || this.#closed) return known;
    const worker = new Worker({
      ...this.#options,
      cluster,
      share: () => this.#budget.of(cluster),
      working: (working) => this.#budget.setWorking(cluster, working),
    });
    this.#workers.set(cluster, worker);
    worker.start();
    return worker;
  }

  #end(cluster: string, worker: Worker): void {
    this.#workers.delete(cluster);
    const ending = worker.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
