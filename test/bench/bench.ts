import { setTimeout as sleep } from "node:timers/promises";
import type {
  Figures,
  FloorFigures,
  ManagerStatusFigures,
  RestartFigures,
  RoundFigures,
  StatusFigures,
  StatusRateFigures,
  UsageFigures,
} from "./figures.ts";
import { Floors } from "./floors.ts";
import { Observers } from "./observers.ts";
import type { BenchOptions } from "./options.ts";
import { cpuSeconds, residentMiB } from "./processUsage.ts";
import { HUB, memberWrites } from "./requests.ts";
import { Rollouts } from "./rollouts.ts";
import { meanOf, median, middleOf, roundOf } from "./rounds.ts";
import type { Stage } from "./stage.ts";
import { STATUS5, StatusChanges } from "./statusChanges.ts";
import { LIMIT_MS, lowerRate, measuredPace, trialPace } from "./statusRate.ts";
import { FIRST_IMAGE, FLOOR_NAMESPACE, SECOND_IMAGE, WARM_UP } from "./workload.ts";

/** For how long a restarted manager is watched for writes, from when it is ready. */
const RESTART_WATCH_MS = 15_000;
/** Turns of Meridian at the rate. */
const STATUS_TURNS = 3;

/** Meridian beside the floors: every figure that has a bar. */
export class Bench {
  readonly #options: BenchOptions;
  readonly #stage: Stage;

  constructor(options: BenchOptions, stage: Stage) {
    this.#options = options;
    this.#stage = stage;
  }

  async run(): Promise<Figures> {
    const { apps, members } = this.#options;
    const stage = this.#stage;
    const { rounds, usage } = await this.#rounds();

    using observers = new Observers(stage.fleet);
    const rollouts = new Rollouts(stage.hub, observers, stage.names);
    await rollouts.create(FIRST_IMAGE);
    await rollouts.update(SECOND_IMAGE);
    observers.leaveMembers();
    const changes = new StatusChanges(observers, { clients: stage.clients, names: stage.names });
    await stage.settleStatus(changes);
    const status5 = await stage.status("status5", STATUS5, () => changes.spread(STATUS5));
    const statusRate = await this.#statusRate(changes);
    await stage.settleStatus(changes);

    using observersAfter = new Observers(stage.fleet);
    const later = new Rollouts(stage.hub, observersAfter, stage.names);
    await later.allThere();
    const restart = await this.#restart(later);
    await later.deleteAll();
    const left = await stage.left();
    await stage.stopManager();
    return {
      apps,
      members,
      ...middleOf(rounds),
      rounds,
      status5,
      statusRate,
      restart,
      left,
      ...usage,
      loadAverage: stage.load,
      requests: stage.requests,
    };
  }

  /**
   * Creates, updates and deletes everything as often as is asked, with the floors before and after each time: a machine that is shared, or
   * gets warm, is not the same a minute later. Leaves a manager that runs and has nothing to do.
   */
  async #rounds(): Promise<{ rounds: RoundFigures[]; usage: UsageFigures }> {
    const stage = this.#stage;
    using observers = new Observers(stage.fleet);
    const rollouts = new Rollouts(stage.hub, observers, stage.names);
    const rounds: RoundFigures[] = [];
    const usages: UsageFigures[] = [];
    await this.#warmUpFloors();
    let before = await this.#floors();
    await stage.startManager();
    await stage.federate();
    for (let round = 1; round <= this.#options.rounds; round++) {
      await stage.warmUp(observers);
      const cpuBefore = await cpuSeconds(stage.pid);
      const create = await stage.rollout("create", () => rollouts.create(FIRST_IMAGE));
      const update = await stage.rollout("update", () => rollouts.update(SECOND_IMAGE));
      usages.push({ rssMiB: await residentMiB(stage.pid), cpuSeconds: (await cpuSeconds(stage.pid)) - cpuBefore });
      const deletion = await stage.deletion("delete", rollouts);
      await stage.stopManager();
      const after = await this.#floors();
      rounds.push(roundOf(meanOf(before, after), create, update, deletion));
      before = after;
      await stage.startManager();
    }
    // Each manager was started for its round, so any will do; the first is the one that people would measure.
    const [usage] = usages;
    if (usage === undefined) throw new Error("the bench needs a round");
    return { rounds, usage };
  }

  /** A small round first, so that neither connections nor caches nor compiled code make the first floor slower than what comes later. */
  async #warmUpFloors(): Promise<void> {
    const { hub, fleet, members, names, say } = this.#stage;
    say("warming up");
    const floors = new Floors(hub, fleet.members, members);
    const few = names.slice(0, WARM_UP);
    await floors.full(few);
    await floors.members(few);
  }

  async #floors(): Promise<FloorFigures> {
    const { hub, fleet, members, names } = this.#stage;
    const floors = new Floors(hub, fleet.members, members);
    // The floors carry the same measuring equipment as what is measured against them.
    using _observers = new Observers(fleet, FLOOR_NAMESPACE);
    await this.#stage.begin("floors");
    const membersSeconds = await floors.members(names);
    const full = await floors.full(names);
    const updateMembersSeconds = await floors.updateOfMembers(names);
    return {
      membersSeconds,
      fullSeconds: full.create,
      updateMembersSeconds,
      updateSeconds: full.update,
      deleteSeconds: full.delete,
    };
  }

  /**
   * At the highest rate that the relay keeps up with, which is lower than the one that was found where the relay does not keep up for as
   * long as is measured. Needs a manager, and leaves another one.
   */
  async #statusRate(changes: StatusChanges): Promise<StatusRateFigures> {
    const stage = this.#stage;
    await stage.stopManager();
    let perSecond = await this.#withoutManager((observers) => stage.findRate(observers, changes));
    for (;;) {
      const figures = await this.#statusAt(perSecond, changes);
      const relayMs = relayP99(figures);
      const lower = lowerRate(perSecond);
      if (relayMs < LIMIT_MS || lower === undefined) {
        await stage.startManager();
        return figures;
      }
      stage.say(
        `status at ${perSecond}/s: p99 of the relay ${Math.round(relayMs)} ms, Meridian's ${figures.ratioP99.toFixed(2)} times that; now at ${lower}/s`,
      );
      perSecond = lower;
    }
  }

  /**
   * The relay and Meridian in turns, the relay first and last: a machine that stands still for a moment decides the p99 of the turn that it
   * is in, so that the turn in the middle counts. No manager runs before or after.
   */
  async #statusAt(perSecond: number, changes: StatusChanges): Promise<StatusRateFigures> {
    const stage = this.#stage;
    const pace = measuredPace(perSecond);
    const relayed = (): Promise<StatusFigures> =>
      this.#withoutManager((observers) => stage.relay(observers, changes, perSecond));
    const relay = [await relayed()];
    const turns: ManagerStatusFigures[] = [];
    while (turns.length < STATUS_TURNS) {
      await stage.startManager();
      await stage.settleStatus(changes, trialPace(perSecond));
      turns.push(await stage.status(`status at ${perSecond}/s`, pace, () => changes.rolling(pace)));
      await stage.stopManager();
      relay.push(await relayed());
    }
    const p99Ms = median(turns.map((turn) => turn.p99Ms));
    const meridian = turns.find((turn) => turn.p99Ms === p99Ms);
    if (meridian === undefined) throw new Error("no turn has the p99 of the one in the middle");
    return { perSecond, relay, turns, meridian, ratioP99: p99Ms / relayP99({ relay }) };
  }

  async #withoutManager<T>(work: (observers: Observers) => Promise<T>): Promise<T> {
    const { fleet, hub, names } = this.#stage;
    using observers = new Observers(fleet);
    await new Rollouts(hub, observers, names).allThere();
    return await work(observers);
  }

  /** Once with nothing to do, to see that nothing is done, and once with an application that was changed meanwhile. */
  async #restart(rollouts: Rollouts): Promise<RestartFigures> {
    const stage = this.#stage;
    const stopSeconds = await stage.stopManager();
    await stage.begin("restart");
    await stage.startManager();
    await sleep(RESTART_WATCH_MS);
    const requests = await stage.log.now();
    stage.requests["restart"] = requests;

    await stage.stopManager();
    const startedAt = performance.now();
    const since = () => (performance.now() - startedAt) / 1000;
    const changed = rollouts.update(FIRST_IMAGE, stage.names.slice(0, 1)).then(since);
    const [seconds, readySeconds] = await Promise.all([changed, stage.startManager().then(since)]);
    return {
      hubWrites: requests.writes[HUB] ?? 0,
      memberWrites: memberWrites(requests),
      seconds,
      readySeconds,
      stopSeconds,
    };
  }
}

/** Of the turn in the middle, in milliseconds. */
function relayP99({ relay }: Pick<StatusRateFigures, "relay">): number {
  return median(relay.map(({ p99Ms }) => p99Ms));
}
