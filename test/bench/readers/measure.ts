import type { MemberCluster } from "../../../src/apis/index.ts";
import { objectPath } from "../../e2e/objects.ts";
import { eventually } from "../../envtest/index.ts";
import type { StatusFigures } from "../figures.ts";
import { Observers } from "../observers.ts";
import type { BenchOptions } from "../options.ts";
import { cpuSeconds } from "../processUsage.ts";
import { percentile, Rollouts } from "../rollouts.ts";
import type { Stage } from "../stage.ts";
import { Arrivals, type Pace, StatusChanges } from "../statusChanges.ts";
import { FIRST_IMAGE } from "../workload.ts";
import { readerTokens, Watchers } from "./watchers.ts";

export const MANY = 100;
const PACE: Pace = { count: 150, perSecond: 10 };
const TIMEOUT_MS = 30_000;

/** So many readers at the query API, and what the members do meanwhile. */
export const SITUATIONS = [
  { name: "no reader", readers: 0, isSilent: false },
  { name: "1 reader", readers: 1, isSilent: false },
  { name: `${MANY} readers`, readers: MANY, isSilent: false },
  { name: "1 reader, 1 member silent", readers: 1, isSilent: true },
] as const;
export type Situation = (typeof SITUATIONS)[number];

export interface ReaderTurn {
  situation: Situation["name"];
  /** From a change on a member to the status on the hub. */
  status: Omit<StatusFigures, "hubWritesPerChange">;
  cpuMsPerChange: number;
  /** From a change on a member to the event at a reader. */
  reader?: { p50Ms: number; p99Ms: number };
}

export interface ReaderFigures {
  apps: number;
  members: number;
  perSecond: number;
  rounds: number;
  turns: ReaderTurn[];
  loadAverage: Record<string, number>;
}

/** All situations in turns, with one manager: a machine that gets slower falls on all but the silent member alike. */
export async function measureReaders({ apps, members, rounds }: BenchOptions, stage: Stage): Promise<ReaderFigures> {
  await stage.startManager();
  await stage.federate();
  using observers = new Observers(stage.fleet);
  await stage.warmUp(observers);
  const rollouts = new Rollouts(stage.hub, observers, stage.names);
  await rollouts.create(FIRST_IMAGE);
  const tokens = await readerTokens(stage.fleet.hub.api, MANY);
  const changes = new TurnsOfReaders(stage, observers, tokens);
  stage.say("a turn that does not count");
  await changes.turn(SITUATIONS[0]);
  const turns: ReaderTurn[] = [];
  for (let round = 1; round <= rounds; round++) {
    stage.say(`round ${round}`);
    const situations = SITUATIONS.filter(({ isSilent }) => !isSilent);
    // What comes later in a round is not always the same.
    for (const situation of round % 2 === 1 ? situations : situations.toReversed())
      turns.push(await changes.turn(situation));
  }
  // Once: the manager takes most of a minute to call a member silent.
  for (const situation of SITUATIONS.filter(({ isSilent }) => isSilent)) turns.push(await changes.turn(situation));
  await stage.stopManager();
  return { apps, members, perSecond: PACE.perSecond, rounds, turns, loadAverage: stage.load };
}

/** The numbers on the members only ever grow, so all turns share what was written last. */
class TurnsOfReaders {
  readonly #stage: Stage;
  readonly #observers: Observers;
  readonly #tokens: readonly string[];
  readonly #arrivals = new Arrivals();
  readonly #all: StatusChanges;
  /** Without the member that is silent at times. */
  readonly #others: StatusChanges;

  constructor(stage: Stage, observers: Observers, tokens: readonly string[]) {
    this.#stage = stage;
    this.#observers = observers;
    this.#tokens = tokens;
    const { applications, members } = observers;
    const until: Observers["until"] = (...wanted) => observers.until(...wanted);
    const written = new Map<string, number>();
    const parts = { clients: stage.clients, names: stage.names, written, elsewhere: this.#arrivals };
    this.#all = new StatusChanges({ applications, members, until }, parts);
    this.#others = new StatusChanges({ applications, members: members.slice(1), until }, parts);
  }

  async turn({ name: situation, readers, isSilent }: Situation): Promise<ReaderTurn> {
    const stage = this.#stage;
    const silent = isSilent ? this.#observers.members[0]?.member.plane : undefined;
    silent?.pause();
    try {
      await using _watchers = await Watchers.open(stage.url, this.#tokens, readers, ({ type, object }) => {
        const { name, cluster, ready = 0 } = object.status ?? {};
        if (type === "ADDED" || type === "MODIFIED") this.#arrivals.arrived(`${name}/${cluster}`, ready);
      });
      // The log of requests asks every server, and a silent one does not answer.
      if (isSilent) await this.#untilSilent();
      else await stage.settle();
      this.#arrivals.latencies.length = 0;
      const changes = silent === undefined ? this.#all : this.#others;
      stage.say(situation);
      const cpuBefore = await cpuSeconds(stage.pid);
      const status = await changes.rolling(PACE);
      const cpuMsPerChange = (((await cpuSeconds(stage.pid)) - cpuBefore) * 1000) / PACE.count;
      if (readers === 0) return { situation, status, cpuMsPerChange };
      const { latencies } = this.#arrivals;
      await eventually(
        () => {
          if (latencies.length < PACE.count)
            throw new Error(`a reader saw ${latencies.length} of ${PACE.count} changes`);
        },
        { timeout: TIMEOUT_MS, interval: 50 },
      );
      const reader = { p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
      return { situation, status, cpuMsPerChange, reader };
    } finally {
      silent?.resume();
      this.#arrivals.forget();
      if (isSilent) await this.#untilMember("True");
    }
  }

  async #untilSilent(): Promise<void> {
    await this.#untilMember("False", "Unknown");
    const silent = this.#observers.members[0]?.member.name;
    // The statuses that say so are written, and do not delay those that are measured.
    const isSaid = (): boolean =>
      [...this.#observers.applications.values()].every(({ status }) =>
        status?.clusters?.some(({ name, reason }) => name === silent && reason === "ClusterUnreachable"),
      );
    await eventually(
      () => {
        if (!isSaid()) throw new Error("a status does not say that a member is silent");
      },
      { timeout: TIMEOUT_MS, interval: 100 },
    );
  }

  async #untilMember(...wanted: string[]): Promise<void> {
    const name = this.#observers.members[0]?.member.name ?? "";
    const path = objectPath("MemberCluster", undefined, name);
    await eventually(
      async () => {
        const { status } = await this.#stage.fleet.hub.api.get<MemberCluster>(path);
        const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "";
        if (!wanted.includes(ready)) throw new Error(`${name} is Ready: ${ready}`);
      },
      { timeout: 2 * TIMEOUT_MS, interval: 200 },
    );
  }
}
