import type { RolloutStatus } from "../apis/index.ts";
import { advance } from "./advance.ts";
import type { Advance, RolloutCommands, RolloutFacts, RolloutHealth, RolloutPolicy, Turn } from "./types.ts";

/** Words for the tests of this folder: clusters that do what they are told, or do not. */

export const START = Date.parse("2026-11-22T08:00:00Z");

const HEALTHY: RolloutHealth = { state: "Available", available: 2, desired: 2 };

interface FakeCluster {
  stage: string | undefined;
  /** The revision that is there; 0: nothing. */
  runs: number;
  inContact: boolean;
  /** How healthy a revision is there. */
  health: (revision: number) => RolloutHealth;
  error?: string;
}

/** A fleet that carries out every turn at once, and a clock that only the test moves. */
export class World {
  readonly clusters = new Map<string, FakeCluster>();
  readonly log: string[] = [];
  status: RolloutStatus | undefined;
  revision = 1;
  now = START;
  commands: RolloutCommands = { paused: false, approvals: new Map() };
  last: Advance | undefined;
  readonly #policy: RolloutPolicy;

  constructor(policy: RolloutPolicy) {
    this.#policy = policy;
  }

  add(stage: string | undefined, ...names: string[]): this {
    for (const name of names) this.clusters.set(name, { stage, runs: 0, inContact: true, health: () => HEALTHY });
    return this;
  }

  cluster(name: string): FakeCluster {
    const found = this.clusters.get(name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  }

  /** One call of `advance`, and what the clusters make of the turns. The status goes through JSON, as it does through the hub. */
  step(): Advance {
    const result = advance(
      {
        policy: this.#policy,
        current: this.status,
        revision: this.revision,
        clusters: this.#facts(),
        commands: this.commands,
        gates: new Map(),
        mayBegin: true,
      },
      this.now,
    );
    for (const { of, name = "", from, to, reason } of result.transitions)
      this.log.push(
        `${[of, name].filter(Boolean).join(" ")}: ${from} -> ${to}${reason === undefined ? "" : ` (${reason})`}`,
      );
    this.status = JSON.parse(JSON.stringify(result.status)) as RolloutStatus;
    this.last = result;
    for (const [name, cluster] of this.clusters) {
      if (!cluster.inContact || cluster.error !== undefined) continue;
      const turn = this.turnOf(name);
      if (turn === "Target") cluster.runs = this.revision;
      if (turn === "LastGood" && this.status.lastGoodRevision !== undefined)
        cluster.runs = this.status.lastGoodRevision;
    }
    return result;
  }

  turnOf(name: string): Turn | undefined {
    return this.last?.turns.get(name) ?? this.last?.others;
  }

  /** Until nothing changes any more; fails where that does not come. */
  settle(): this {
    for (let i = 0; i < 100; i++) {
      const before = JSON.stringify([this.status, [...this.clusters.values()].map(({ runs }) => runs)]);
      this.step();
      if (before === JSON.stringify([this.status, [...this.clusters.values()].map(({ runs }) => runs)])) return this;
    }
    throw new Error(`it never settles:\n${this.log.join("\n")}`);
  }

  /** Lets so many seconds pass, settling whenever a clock rings. */
  wait(seconds: number): this {
    const end = this.now + seconds * 1000;
    this.settle();
    for (let i = 0; i < 100; i++) {
      const next = this.last?.recheckAt;
      if (next === undefined || next > end) break;
      this.now = next;
      this.settle();
    }
    this.now = end;
    return this.settle();
  }

  states(): Record<string, string> {
    return Object.fromEntries(
      (this.status?.stages ?? []).flatMap(({ clusters = [] }) => clusters.map(({ name, state }) => [name, state])),
    );
  }

  runs(): Record<string, number> {
    return Object.fromEntries([...this.clusters].map(([name, { runs }]) => [name, runs]));
  }

  #facts(): RolloutFacts[] {
    const lastGood = this.status?.state === "Succeeded" ? this.status.revision : this.status?.lastGoodRevision;
    return [...this.clusters]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { stage, runs, inContact, health, error }]) => ({
        name,
        stage,
        wanted: true,
        kept: lastGood !== undefined,
        inContact,
        onTarget: runs === this.revision,
        onLastGood: runs === lastGood,
        runs: runs === 0 ? "Nothing" : runs === lastGood ? "LastGood" : runs === this.revision ? "Target" : "Other",
        health: runs === 0 ? { state: "Progressing" as const, available: 0, desired: 2 } : health(runs),
        ...(error === undefined ? {} : { error }),
      }));
  }
}

export const BROKEN: RolloutHealth = { state: "Progressing", available: 0, desired: 2, reason: "ImagePullBackOff" };
export const FAILED: RolloutHealth = { state: "Failed", available: 0, desired: 2, reason: "ProgressDeadlineExceeded" };
export const UNKNOWN: RolloutHealth = { state: "Unknown", available: 0, desired: 0 };
