import type { DemoApplication, FederatedStatus } from "../../src/apis/index.ts";
import { objectPath } from "../e2e/objects.ts";
import type { BareClient } from "./bareClient.ts";
import type { Observers } from "./observers.ts";
import { NAMESPACE } from "./workload.ts";

/** What follows a first change within so many milliseconds goes into the same write. */
const GATHER_MS = 80;
const APPLY = "/status?fieldManager=meridian&force=true";

/**
 * The floor of the status phases: the least that can carry numbers from the members onto the hub objects. It watches the members and sends
 * one apply of the status for all that changed of an application within {@link GATHER_MS}; it plans nothing, decides nothing and tells nobody.
 */
export class StatusRelay implements AsyncDisposable {
  readonly #observers: Observers;
  readonly #hub: BareClient;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #writes = new Set<Promise<void>>();
  readonly #listening: Disposable;
  #writeCount = 0;
  #failure: unknown;

  constructor(observers: Observers, hub: BareClient) {
    this.#observers = observers;
    this.#hub = hub;
    this.#listening = observers.onMemberChange((name) => this.#changed(name));
  }

  get writes(): number {
    return this.#writeCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#writes);
    if (this.#failure !== undefined) throw new Error("a status of the floor was not written", { cause: this.#failure });
  }

  #changed(name: string): void {
    if (this.#timers.has(name)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      const write = this.#write(name)
        .catch((error: unknown) => (this.#failure ??= error))
        .then(() => void this.#writes.delete(write));
      this.#writes.add(write);
    }, GATHER_MS);
    this.#timers.set(name, timer);
  }

  async #write(name: string): Promise<void> {
    const application = this.#observers.applications.get(name);
    if (application?.status === undefined) return;
    this.#writeCount += 1;
    const body = {
      apiVersion: application.apiVersion,
      kind: application.kind,
      metadata: { name, namespace: NAMESPACE },
      status: this.#withNumbersOf(name, application.status),
    };
    const path = objectPath("DemoApplication", NAMESPACE, name) + APPLY;
    await this.#hub.send("PATCH", path, "apply-patch", JSON.stringify(body));
  }

  #withNumbersOf(name: string, status: NonNullable<DemoApplication["status"]>): FederatedStatus {
    const clusters = (status.clusters ?? []).map((entry) => {
      const view = this.#observers.members.find(({ member }) => member.name === entry.name);
      const reported = view?.deployments.get(name)?.status;
      if (reported === undefined) return entry;
      const ready = reported.readyReplicas ?? 0;
      const replicas = { ...entry.replicas, ready, available: reported.availableReplicas ?? 0 };
      return { ...entry, replicas };
    });
    return { ...status, clusters };
  }
}
