import { defined, type RolloutStatus, timestamp } from "../apis/index.ts";
import { advance } from "./advance.ts";
import { Draft } from "./draft.ts";
import { goForward, type Progress } from "./forward.ts";
import type {
  Advance,
  GateAnswer,
  RolloutCluster,
  RolloutClusterState,
  RolloutCommands,
  RolloutFacts,
  RolloutHealth,
  RolloutInput,
  RolloutPolicy,
  RolloutStage,
  Transition,
  Turn,
} from "./types.ts";

/** Fixtures for the tests of this folder: clusters that carry out their turns, or do not. */

export const START = Date.parse("2026-11-22T08:00:00Z");

export const GOOD: RolloutHealth = { state: "Available", available: 2, desired: 2 };

const NOT_YET: RolloutHealth = { state: "Progressing", available: 0, desired: 2 };

/** Facts of a cluster that has not reported yet. */
const UNHEARD = { inContact: false, onTarget: false, onLastGood: false, runs: "Nothing", health: NOT_YET } as const;

interface FakeCluster {
  stage: string | undefined;
  /** Revision on the cluster; 0: none. */
  runs: number;
  inContact: boolean;
  /** Health by revision. */
  health: (revision: number) => RolloutHealth;
  error?: string;
  errorOfLastGood?: string;
  /** False: the new revision has no object on this cluster. */
  wanted?: boolean;
  /** The cluster carries out nothing for now. */
  isSlow?: boolean;
}

/** A fleet that carries out every turn at once, and a clock that only the test moves. */
export class World {
  readonly clusters = new Map<string, FakeCluster>();
  readonly log: string[] = [];
  /** Log lines with the seconds since the start. */
  readonly timed: string[] = [];
  status: RolloutStatus | undefined;
  revision = 1;
  now = START;
  commands: RolloutCommands = { paused: false, approvals: new Map() };
  gates: ReadonlyMap<string, GateAnswer> = new Map();
  /** Why the run does not start yet. */
  waitsForTurn: string | undefined;
  /** Why a return to the last good revision is impossible. */
  lastGoodUnusable: string | undefined;
  /** A manager has just started, and no cluster has reported. */
  awaitsContact = false;
  last: Advance | undefined;
  readonly #policy: RolloutPolicy;

  constructor(policy: RolloutPolicy) {
    this.#policy = policy;
  }

  add(stage: string | undefined, ...names: string[]): this {
    for (const name of names) this.clusters.set(name, { stage, runs: 0, inContact: true, health: () => GOOD });
    return this;
  }

  cluster(name: string): FakeCluster {
    const found = this.clusters.get(name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  }

  input(): RolloutInput {
    return {
      policy: this.#policy,
      current: this.status,
      revision: this.revision,
      clusters: this.#facts(),
      commands: this.commands,
      gates: this.gates,
      ...(this.waitsForTurn === undefined ? {} : { waitsForTurn: this.waitsForTurn }),
      ...(this.lastGoodUnusable === undefined ? {} : { lastGoodUnusable: this.lastGoodUnusable }),
      awaitsContact: this.awaitsContact,
    };
  }

  /** Calls `advance` once and lets the clusters carry out their turns. The status goes through JSON, as through the hub. */
  step(): Advance {
    const result = advance(this.input(), this.now);
    for (const { of, name = "", from, to, reason, revision } of result.transitions) {
      const why = reason === undefined ? "" : ` (${reason})`;
      const line = `${[of, name].filter(Boolean).join(" ")}: ${from} -> ${to}${why}`;
      this.log.push(line);
      this.timed.push(`${String((this.now - START) / 1000).padStart(6)}s  r${revision}  ${line}`);
    }
    this.status = JSON.parse(JSON.stringify(result.status)) as RolloutStatus;
    this.last = result;
    // A manager that waits for contact writes to no cluster.
    if (this.awaitsContact) return result;
    for (const [name, cluster] of this.clusters) {
      if (!cluster.inContact || cluster.error !== undefined || cluster.isSlow === true) continue;
      const turn = this.turnOf(name);
      if (turn === "Target") cluster.runs = cluster.wanted === false ? 0 : this.revision;
      if (turn === "LastGood" && this.status.lastGoodRevision !== undefined)
        cluster.runs = this.status.lastGoodRevision;
    }
    return result;
  }

  turnOf(name: string): Turn | undefined {
    return this.last?.turns.get(name) ?? this.last?.others;
  }

  /** Steps until nothing changes; throws if that never happens. */
  settle(): this {
    for (let i = 0; i < 100; i++) {
      const before = JSON.stringify([this.status, [...this.clusters.values()].map(({ runs }) => runs)]);
      this.step();
      if (before === JSON.stringify([this.status, [...this.clusters.values()].map(({ runs }) => runs)])) return this;
    }
    throw new Error(`the run never settles:\n${this.log.join("\n")}`);
  }

  /** Lets the seconds pass, and settles at every recheck. */
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
      .map(([name, { stage, runs, inContact, health, error, errorOfLastGood, wanted = true }]) => ({
        name,
        stage,
        wanted,
        kept: lastGood !== undefined,
        inContact,
        onTarget: runs === (wanted ? this.revision : 0),
        onLastGood: runs === lastGood,
        runs: runs === 0 ? "Nothing" : runs === lastGood ? "LastGood" : runs === this.revision ? "Target" : "Other",
        health: runs === 0 ? NOT_YET : health(runs),
        ...(error === undefined ? {} : { error }),
        ...(errorOfLastGood === undefined ? {} : { errorOfLastGood }),
        ...(this.awaitsContact ? UNHEARD : {}),
      }));
  }
}

export const BROKEN: RolloutHealth = { state: "Progressing", available: 0, desired: 2, reason: "ImagePullBackOff" };
export const FAILED: RolloutHealth = { state: "Failed", available: 0, desired: 2, reason: "ProgressDeadlineExceeded" };
export const UNKNOWN: RolloutHealth = { state: "Unknown", available: 0, desired: 0 };

type StagePolicy = NonNullable<RolloutPolicy["stages"]>[number];

export const stage = (name: string, more: Partial<StagePolicy> = {}): StagePolicy => ({ name, ...more });

export const threeRegions: RolloutPolicy = {
  stages: [stage("canary"), stage("asia"), stage("rest")],
  gate: { timeout: "10m" },
  onFailure: "Rollback",
};

/** Three regions that run revision 1. */
export function world(policy: Partial<RolloutPolicy> = {}): World {
  const made = new World({ ...threeRegions, ...policy });
  made.add("canary", "singapore-1").add("asia", "shanghai-1", "shanghai-2").add("rest", "frankfurt-1");
  made.commands = { paused: false, approvals: new Map(["canary", "asia", "rest"].map((name) => [name, "eve"])) };
  made.gates = new Map(["canary", "asia", "rest"].map((name) => [name, "Passed"]));
  made.wait(3600);
  made.gates = new Map();
  made.commands = { paused: false, approvals: new Map() };
  if (made.status?.state !== "Succeeded") throw new Error(`revision 1 is not everywhere:\n${made.log.join("\n")}`);
  return made;
}

/** Facts of a cluster with the new revision, healthy. */
export const fact = (name: string, more: Partial<RolloutFacts> = {}): RolloutFacts => ({
  name,
  stage: undefined,
  wanted: true,
  kept: true,
  inContact: true,
  onTarget: true,
  onLastGood: false,
  runs: "Target",
  health: GOOD,
  ...more,
});

/** Facts of a cluster with the last good revision. */
export const OLD = { onTarget: false, onLastGood: true, runs: "LastGood" } as const;
/** Facts of a cluster whose new revision equals the last good one. */
export const UNCHANGED = { onTarget: true, onLastGood: true, runs: "LastGood" } as const;

/** A cluster of a plan. */
export const planned = (
  name: string,
  state: RolloutClusterState,
  more: Partial<RolloutCluster> = {},
): RolloutCluster => ({ name, state, ...more });

/** Reads a cluster of a plan: `Applying@60 (Forbidden)` is being written since 60 seconds, for that reason. */
export function clusterIn(name: string, text: string): RolloutCluster {
  const [, state = "", seconds, reason] = /^(\w+)(?:@(\d+))?(?: \((\w+)\))?$/.exec(text) ?? [];
  return planned(name, state as RolloutClusterState, {
    ...defined({ reason }),
    ...(seconds === undefined ? {} : { since: ago(Number(seconds)) }),
  });
}

/** Timestamp this many seconds before {@link START}. */
export const ago = (seconds: number): string => timestamp(START - seconds * 1000);

export interface Look extends Partial<Omit<RolloutInput, "clusters">> {
  stages: RolloutStage[];
  facts: RolloutFacts[];
  /** State of the run. */
  state?: RolloutStatus["state"];
  isHeld?: boolean;
}

export interface Looked {
  progress: Progress;
  stages: RolloutStage[];
  /** Clusters by name. */
  clusters: Record<string, RolloutCluster>;
  log: string[];
  asks: string[];
  /** Seconds after {@link START}. */
  recheckAfter: number;
}

/** Makes one pass over the stages of a run of revision 2. */
export function look({ stages, facts, state = "Progressing", isHeld = false, ...more }: Look): Looked {
  const draft = new Draft({ state, revision: 2, lastGoodRevision: 1, stages }, START);
  const asks: string[] = [];
  const input = { ...NOTHING_SAID, ...more, clusters: facts };
  const byName = new Map(facts.map((one) => [one.name, one]));
  const progress = goForward(draft, { input, facts: byName, isHeld, ask: (one) => void asks.push(one) });
  return {
    progress,
    stages: draft.stages,
    clusters: Object.fromEntries(
      draft.stages.flatMap(({ clusters = [] }) => clusters.map((one) => [one.name, one] as const)),
    ),
    log: draft.transitions.map(lineOf),
    asks,
    recheckAfter: (draft.recheckAt - START) / 1000,
  };
}

export const NOTHING_SAID: RolloutInput = {
  policy: {},
  current: undefined,
  revision: 2,
  clusters: [],
  commands: { paused: false, approvals: new Map() },
  gates: new Map(),
};

export function lineOf({ name = "", from, to, reason }: Transition): string {
  return `${name}: ${from} -> ${to}${reason === undefined ? "" : ` (${reason})`}`;
}
