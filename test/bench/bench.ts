import { setTimeout as sleep } from "node:timers/promises";
import {
  type Fleet,
  type Manager,
  type ManagerOptions,
  meridianOk,
  startFleet,
  startManager,
} from "../envtest/index.ts";
import { collectionPath, pathOf } from "../e2e/objects.ts";
import { BareClient } from "./bareClient.ts";
import { startCollector } from "./collector.ts";
import type { Figures, FloorFigures, RestartFigures, RoundFigures, StatusFigures, UsageFigures } from "./figures.ts";
import { Floors } from "./floors.ts";
import { Observers } from "./observers.ts";
import type { BenchOptions } from "./options.ts";
import { cpuSeconds, loadAverage, residentMiB } from "./processUsage.ts";
import { HUB, memberWrites, RequestLog, type Requests } from "./requests.ts";
import { type Rollout, Rollouts } from "./rollouts.ts";
import { type MeasuredRollout, meanOf, middleOf, roundOf } from "./rounds.ts";
import { StatusRelay } from "./statusRelay.ts";
import { type Pace, StatusChanges, type StatusLatency } from "./statusChanges.ts";
import {
  applicationNames,
  FIRST_IMAGE,
  FLOOR_NAMESPACE,
  memberOptions,
  NAMESPACE,
  policies,
  SECOND_IMAGE,
} from "./workload.ts";

const STATUS5: Pace = { count: 100, perSecond: 5 };
const SETTLING: Pace = { count: 20, perSecond: 5 };
const STATUS200: Pace = { count: 1000, perSecond: 200 };
/** Applications of the round before the first measurement. */
const WARM_UP = 60;
/** For how long a restarted manager is watched for writes, from when it is ready. */
const RESTART_WATCH_MS = 15_000;

/** One run of the bench on control planes of its own. */
export class Bench implements AsyncDisposable {
  readonly #options: BenchOptions;
  readonly #say: (text: string) => void;
  readonly #cleanup = new AsyncDisposableStack();
  readonly #fleet: Fleet;
  readonly #names: readonly string[];
  readonly #hub: BareClient;
  readonly #members: readonly BareClient[];
  readonly #log: RequestLog;
  readonly #load: Record<string, number> = {};
  readonly #requests: Record<string, Requests> = {};
  #collector = "";
  #manager: Manager | undefined;

  private constructor(options: BenchOptions, fleet: Fleet, say: (text: string) => void) {
    this.#options = options;
    this.#say = say;
    this.#fleet = this.#cleanup.use(fleet);
    this.#names = applicationNames(options.apps);
    this.#hub = this.#cleanup.use(new BareClient(fleet.hub));
    this.#members = fleet.members.map(({ plane }) => this.#cleanup.use(new BareClient(plane)));
    this.#log = new RequestLog(fleet);
  }

  /** Starts the control planes; `say` is told what goes on. */
  static async start(options: BenchOptions, say: (text: string) => void): Promise<Bench> {
    say(`starting a hub and ${options.members} members`);
    const members = memberOptions(options.members);
    const fleet = await startFleet({ hub: { controllerManager: false, kubelet: false }, members });
    const bench = new Bench(options, fleet, say);
    try {
      await bench.#prepare();
    } catch (error) {
      await bench[Symbol.asyncDispose]();
      throw error;
    }
    return bench;
  }

  async run(): Promise<Figures> {
    const { apps, members } = this.#options;
    using observers = new Observers(this.#fleet);
    const { rounds, usage } = await this.#rounds(observers);

    const clients = new Map(this.#fleet.members.map(({ name }, index) => [name, this.#members[index] as BareClient]));
    observers.leaveMembers();
    const changes = new StatusChanges(observers, clients, this.#names);
    // The manager has just been started, and what it does first is no measure of what it does then.
    await changes.spread(SETTLING);
    const status5 = await this.#statusPhase("status5", STATUS5, () => changes.spread(STATUS5));
    const status200 = await this.#statusPhase("status200", STATUS200, () => changes.rolling(STATUS200));
    using observersAfter = new Observers(this.#fleet);
    const later = new Rollouts(this.#hub, observersAfter, this.#names);
    const restart = await this.#restart(later);
    await this.#stopManager();
    const status200Floor = await this.#statusFloor(observersAfter, changes);
    await this.#startManager();

    await this.#begin("delete");
    const wallSeconds = await later.deleteAll();
    this.#requests["delete"] = await this.#log.end();
    const left = await this.#left();
    await this.#running.stop();
    return {
      apps,
      members,
      ...middleOf(rounds),
      rounds,
      status5,
      status200,
      status200Floor,
      restart,
      delete: { wallSeconds, left },
      ...usage,
      loadAverage: this.#load,
      requests: this.#requests,
    };
  }

  /**
   * Creates and updates everything as often as is asked, with the floors before and after each time: a machine that is shared, or gets
   * warm, is not the same a minute later. Leaves the applications of the last round and a manager that has found them in sync.
   */
  async #rounds(observers: Observers): Promise<{ rounds: RoundFigures[]; usage: UsageFigures }> {
    const rollouts = new Rollouts(this.#hub, observers, this.#names);
    const rounds: RoundFigures[] = [];
    const usages: UsageFigures[] = [];
    await this.#warmUpFloors();
    let before = await this.#floors();
    await this.#startFederation();
    for (let left = this.#options.rounds - 1; left >= 0; left--) {
      await this.#warmUp(observers);
      const cpuBefore = await cpuSeconds(this.#running.pid);
      const create = await this.#rollout("create", () => rollouts.create(FIRST_IMAGE));
      const update = await this.#rollout("update", () => rollouts.update(SECOND_IMAGE));
      usages.push({
        rssMiB: await residentMiB(this.#running.pid),
        cpuSeconds: (await cpuSeconds(this.#running.pid)) - cpuBefore,
      });
      if (left > 0) await rollouts.deleteAll();
      await this.#stopManager();
      const after = await this.#floors();
      rounds.push(roundOf(meanOf(before, after), create, update));
      before = after;
      await this.#startManager();
    }
    // Each manager was started for its round, so any will do; the first is the one that people would measure.
    const [usage] = usages;
    if (usage === undefined) throw new Error("the bench needs a round");
    return { rounds, usage };
  }

  /** The last lines of the manager's log, for whoever has to find out why a run broke off. */
  async explain(): Promise<string> {
    return this.#manager === undefined ? "" : this.#manager.logTail(40);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager?.[Symbol.asyncDispose]();
    await this.#cleanup.disposeAsync();
  }

  get #running(): Manager {
    if (this.#manager === undefined) throw new Error("the manager does not run");
    return this.#manager;
  }

  /** CRDs and namespaces: what is there before anything is measured. */
  async #prepare(): Promise<void> {
    if (this.#options.traces) this.#collector = this.#cleanup.use(await startCollector()).url;
    await meridianOk(this.#fleet.hub, ["install"]);
    for (const { api } of [this.#fleet.hub, ...this.#fleet.members.map(({ plane }) => plane)]) {
      for (const name of [NAMESPACE, FLOOR_NAMESPACE]) {
        await api.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      }
    }
  }

  /** The same small round for Meridian: what is measured is neither first connections nor the compiling of code. */
  async #warmUp(observers: Observers): Promise<void> {
    const rollouts = new Rollouts(
      this.#hub,
      observers,
      applicationNames(WARM_UP).map((name) => `warm-${name}`),
    );
    await rollouts.create(FIRST_IMAGE);
    await rollouts.update(SECOND_IMAGE);
    await rollouts.deleteAll();
    // What joining, the policies and this set off is over before anything is measured.
    await this.#log.begin();
    await this.#log.end();
  }

  /** A small round first, so that neither connections nor caches nor compiled code make the first floor slower than what comes later. */
  async #warmUpFloors(): Promise<void> {
    this.#say("warming up");
    const floors = new Floors(this.#hub, this.#fleet.members, this.#members);
    const few = this.#names.slice(0, WARM_UP);
    await floors.full(few);
    await floors.members(few);
  }

  async #floors(): Promise<FloorFigures> {
    const floors = new Floors(this.#hub, this.#fleet.members, this.#members);
    // The floors carry the same measuring equipment as what is measured against them.
    using _observers = new Observers(this.#fleet, FLOOR_NAMESPACE);
    await this.#begin("floors");
    const membersSeconds = await floors.members(this.#names);
    const { create: fullSeconds, update: updateSeconds } = await floors.full(this.#names);
    const updateMembersSeconds = await floors.updateOfMembers(this.#names);
    return { membersSeconds, fullSeconds, updateMembersSeconds, updateSeconds };
  }

  async #startFederation(): Promise<void> {
    const { hub, members } = this.#fleet;
    this.#say("starting the manager, joining the members");
    await this.#startManager();
    for (const { name, region, plane } of members) {
      await meridianOk(hub, ["join", name, "--member-kubeconfig", plane.kubeconfigFile, "--region", region]);
    }
    for (const policy of policies()) await hub.api.apply(pathOf(policy), policy);
  }

  async #startManager(): Promise<void> {
    const { traces, cpuProf } = this.#options;
    const options: ManagerOptions = {
      hub: this.#fleet.hub,
      folder: this.#fleet.dir,
      args: traces ? ["--otlp-endpoint", this.#collector] : [],
      ...(cpuProf === undefined ? {} : { env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${cpuProf}` } }),
    };
    this.#manager = await startManager(options);
  }

  async #begin(phase: string): Promise<void> {
    this.#load[phase] = await loadAverage();
    this.#say(`${phase} (load ${this.#load[phase]})`);
    await this.#log.begin();
  }

  async #rollout(phase: string, work: () => Promise<Rollout>): Promise<MeasuredRollout> {
    const { apps, members } = this.#options;
    await this.#begin(phase);
    const rollout = await work();
    const requests = await this.#log.end();
    this.#requests[phase] = requests;
    const hubWrites = requests.writes[HUB] ?? 0;
    return {
      ...rollout,
      // One of them is the bench's own.
      hubWritesPerApp: hubWrites / apps - 1,
      hubRequestsPerAppInclCreate: hubWrites / apps,
      memberWritesPerAppMember: memberWrites(requests) / (apps * members),
      eventsPerApp: requests.events / apps,
    };
  }

  async #statusPhase(phase: string, { count }: Pace, work: () => Promise<StatusLatency>): Promise<StatusFigures> {
    await this.#begin(phase);
    const latency = await work();
    const requests = await this.#log.end();
    this.#requests[phase] = requests;
    return { ...latency, hubWritesPerChange: (requests.writes[HUB] ?? 0) / count };
  }

  /** The same changes with nothing between members and hub but a bare relay. */
  async #statusFloor(observers: Observers, changes: StatusChanges): Promise<StatusFigures> {
    await using relay = new StatusRelay(observers, this.#hub);
    await this.#begin("status200 floor");
    const latency = await changes.rolling(STATUS200);
    await this.#log.end();
    return { ...latency, hubWritesPerChange: relay.writes / STATUS200.count };
  }

  /** Once with nothing to do, to see that nothing is done, and once with an application that was changed meanwhile. */
  async #restart(rollouts: Rollouts): Promise<RestartFigures> {
    const stopSeconds = await this.#stopManager();
    await this.#begin("restart");
    await this.#startManager();
    await sleep(RESTART_WATCH_MS);
    const requests = await this.#log.now();
    this.#requests["restart"] = requests;

    await this.#stopManager();
    const startedAt = performance.now();
    const since = () => (performance.now() - startedAt) / 1000;
    const changed = rollouts.update(FIRST_IMAGE, this.#names.slice(0, 1)).then(since);
    const [seconds, readySeconds] = await Promise.all([changed, this.#startManager().then(since)]);
    return {
      hubWrites: requests.writes[HUB] ?? 0,
      memberWrites: memberWrites(requests),
      seconds,
      readySeconds,
      stopSeconds,
    };
  }

  async #stopManager(): Promise<number> {
    const startedAt = performance.now();
    const { code, signal } = await this.#running.stop();
    if (code !== 0) throw new Error(`the manager ended with ${code ?? signal}:\n${await this.explain()}`);
    return (performance.now() - startedAt) / 1000;
  }

  /** How many objects are left on the hub and the members. */
  async #left(): Promise<number> {
    const { hub, members } = this.#fleet;
    let left = (await hub.api.list(collectionPath("DemoApplication"))).length;
    for (const { plane } of members) {
      for (const kind of ["Deployment", "Service"])
        left += (await plane.api.list(collectionPath(kind, NAMESPACE))).length;
    }
    return left;
  }
}
