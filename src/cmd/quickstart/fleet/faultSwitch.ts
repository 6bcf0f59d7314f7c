import { type HubView } from "../../live/index.ts";
import { FAULT_ANNOTATION, parseFault } from "./faultPlan.ts";
import type { FleetCluster } from "./fleet.ts";

/** Breaks and repairs clusters according to the annotations of their MemberClusters. */
export class FaultSwitch {
  readonly #members: readonly FleetCluster[];
  readonly #say: (text: string) => void;
  readonly #asked = new Map<string, string | undefined>();
  /** Changes of a cluster, one at a time, in order. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(members: readonly FleetCluster[], say: (text: string) => void) {
    this.#members = members;
    this.#say = say;
  }

  /** Starts a change for every annotation that differs from its last value. */
  refresh(view: Pick<HubView, "cluster">): void {
    for (const member of this.#members) {
      const { name } = member;
      const wanted = view.cluster(name)?.metadata.annotations?.[FAULT_ANNOTATION];
      if (this.#asked.get(name) === wanted) continue;
      this.#asked.set(name, wanted);
      const before = this.#queues.get(name) ?? Promise.resolve();
      this.#queues.set(
        name,
        before.then(() => this.#set(member, wanted)),
      );
    }
  }

  /** Resolves when all requested changes are done. */
  async settled(): Promise<void> {
    await Promise.all(this.#queues.values());
  }

  async #set({ name, setFault }: FleetCluster, wanted: string | undefined): Promise<void> {
    const plan = wanted === undefined ? undefined : parseFault(wanted);
    if (plan !== undefined && "error" in plan) {
      this.#say(`${name}: ${plan.error}`);
      return;
    }
    if (setFault === undefined) {
      this.#say(`${name}: quickstart breaks only clusters that it started itself`);
      return;
    }
    try {
      const cannot = await setFault(plan);
      this.#say(wanted === undefined ? `${name}: mended` : `${name}: broken on purpose (${wanted})`);
      if (cannot !== undefined) this.#say(`${name}: ${cannot}`);
    } catch (error) {
      this.#say(
        `${name}: ${wanted === undefined ? "not mended" : "not broken"}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}
