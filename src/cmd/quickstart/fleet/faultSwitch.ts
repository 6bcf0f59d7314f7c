import { type HubView } from "../../live/index.ts";
import { FAULT_ANNOTATION, parseFault } from "./faultPlan.ts";
import type { FleetCluster } from "./fleet.ts";

/** Breaks and mends clusters as the annotations of their MemberClusters say. */
export class FaultSwitch {
  readonly #members: readonly FleetCluster[];
  readonly #say: (text: string) => void;
  readonly #asked = new Map<string, string | undefined>();
  /** One change at a time for each cluster, in order. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(members: readonly FleetCluster[], say: (text: string) => void) {
    this.#members = members;
    this.#say = say;
  }

  /** Compares with what was asked for before. */
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

  /** Resolves when what was asked for has happened. */
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
