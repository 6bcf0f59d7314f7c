import type { KubeObject } from "../../src/apis/index.ts";
import {
  type Fleet,
  type Manager,
  type ManagerOptions,
  MERIDIAN,
  meridianOk,
  startFleet,
  startManager,
} from "../envtest/index.ts";
import { collectionPath, pathOf } from "../e2e/objects.ts";
import { BareClient } from "./bareClient.ts";
import { startCollector } from "./collector.ts";
import type { ManagerStatusFigures, StatusFigures } from "./figures.ts";
import type { Observers } from "./observers.ts";
import type { BenchOptions } from "./options.ts";
import { cpuSeconds, loadAverage } from "./processUsage.ts";
import { HUB, memberWrites, RequestLog, type Requests } from "./requests.ts";
import { type Rollout, Rollouts } from "./rollouts.ts";
import type { MeasuredDeletion, MeasuredRollout } from "./rounds.ts";
import type { Pace, StatusChanges, StatusLatency } from "./statusChanges.ts";
import { highestRate, LIMIT_MS, measuredPace, trialPace } from "./statusRate.ts";
import { StatusRelay } from "./statusRelay.ts";
import {
  applicationNames,
  FIRST_IMAGE,
  FLOOR_NAMESPACE,
  memberOptions,
  NAMESPACE,
  policies,
  SECOND_IMAGE,
  WARM_UP,
} from "./workload.ts";

/** Earlier programs export traces alone; a program that exports more would be compared by other work. */
const TRACES_ALONE = { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" };
const SETTLING: Pace = { count: 20, perSecond: 5 };

/** Control planes of their own, one manager at a time on them, and what is measured there. */
export class Stage implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly hub: BareClient;
  readonly members: readonly BareClient[];
  readonly names: readonly string[];
  readonly log: RequestLog;
  /** Over one minute, at the begin of each phase. */
  readonly load: Record<string, number> = {};
  readonly requests: Record<string, Requests> = {};
  readonly say: (text: string) => void;
  readonly #options: BenchOptions;
  readonly #cleanup = new AsyncDisposableStack();
  #collector = "";
  #manager: Manager | undefined;

  private constructor(options: BenchOptions, fleet: Fleet, say: (text: string) => void) {
    this.#options = options;
    this.say = say;
    this.fleet = this.#cleanup.use(fleet);
    this.names = applicationNames(options.apps);
    this.hub = this.#cleanup.use(new BareClient(fleet.hub));
    this.members = fleet.members.map(({ plane }) => this.#cleanup.use(new BareClient(plane)));
    this.log = new RequestLog(fleet);
  }

  /** Starts the control planes; `say` is told what goes on. */
  static async start(options: BenchOptions, say: (text: string) => void): Promise<Stage> {
    say(`starting a hub and ${options.members} members`);
    const members = memberOptions(options.members);
    const fleet = await startFleet({ hub: { controllerManager: false, kubelet: false }, members });
    const stage = new Stage(options, fleet, say);
    try {
      await stage.#prepare();
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
    return stage;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Where the manager answers. */
  get url(): string {
    return this.#running.url;
  }

  get clients(): ReadonlyMap<string, BareClient> {
    return new Map(this.members.map((client) => [client.name, client]));
  }

  /** Joins the members and brings the policies, once; the manager has to run. */
  async federate(wanted: readonly KubeObject[] = policies()): Promise<void> {
    const { hub, members } = this.fleet;
    this.say("joining the members");
    for (const { name, region, plane } of members) {
      await meridianOk(hub, ["join", name, "--member-kubeconfig", plane.kubeconfigFile, "--region", region]);
    }
    for (const policy of wanted) await hub.api.apply(pathOf(policy), policy);
  }

  /** `program`: Node's arguments for it, up to the command. */
  async startManager(program: readonly string[] = MERIDIAN, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { traces, cpuProf } = this.#options;
    const options: ManagerOptions = {
      hub: this.fleet.hub,
      folder: this.fleet.dir,
      program,
      args: traces ? ["--otlp-endpoint", this.#collector] : [],
      env: {
        ...TRACES_ALONE,
        ...(cpuProf === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${cpuProf}` }),
        ...env,
      },
    };
    this.#manager = await startManager(options);
  }

  /** Seconds until it had ended. */
  async stopManager(): Promise<number> {
    const startedAt = performance.now();
    const { code, signal } = await this.#running.stop();
    if (code !== 0) throw new Error(`the manager ended with ${code ?? signal}:\n${await this.explain()}`);
    return (performance.now() - startedAt) / 1000;
  }

  /** The last lines of the manager's log, for whoever has to find out why a run broke off. */
  async explain(): Promise<string> {
    return this.#manager === undefined ? "" : this.#manager.logTail(40);
  }

  async begin(phase: string): Promise<void> {
    this.load[phase] = await loadAverage();
    this.say(`${phase} (load ${this.load[phase]})`);
    await this.log.begin();
  }

  /** Resolves when nobody writes any more. */
  async settle(): Promise<void> {
    await this.log.begin();
    await this.log.end();
  }

  /** A small round: what is measured after it is neither first connections nor the compiling of code. */
  async warmUp(observers: Observers): Promise<void> {
    const names = applicationNames(WARM_UP).map((name) => `warm-${name}`);
    const rollouts = new Rollouts(this.hub, observers, names);
    await rollouts.create(FIRST_IMAGE);
    await rollouts.update(SECOND_IMAGE);
    await rollouts.deleteAll();
    // What joining, the policies and this set off is over before anything is measured.
    await this.settle();
  }

  async rollout(phase: string, work: () => Promise<Rollout>): Promise<MeasuredRollout> {
    const { apps, members } = this.#options;
    await this.begin(phase);
    const rollout = await work();
    const requests = await this.#end(phase);
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

  async deletion(phase: string, rollouts: Pick<Rollouts, "deleteAll">): Promise<MeasuredDeletion> {
    const { apps, members } = this.#options;
    await this.begin(phase);
    const wallSeconds = await rollouts.deleteAll();
    const requests = await this.#end(phase);
    return {
      wallSeconds,
      hubWritesPerApp: (requests.writes[HUB] ?? 0) / apps - 1,
      memberWritesPerAppMember: memberWrites(requests) / (apps * members),
    };
  }

  async status(phase: string, { count }: Pace, work: () => Promise<StatusLatency>): Promise<ManagerStatusFigures> {
    await this.begin(phase);
    const cpuBefore = await cpuSeconds(this.pid);
    const latency = await work();
    const requests = await this.#end(phase);
    const cpuMs = ((await cpuSeconds(this.pid)) - cpuBefore) * 1000;
    return { ...latency, hubWritesPerChange: (requests.writes[HUB] ?? 0) / count, cpuMsPerChange: cpuMs / count };
  }

  /** What a manager that has just been started does first is no measure of what it does then: with `pace`, at that rate neither. */
  async settleStatus(changes: StatusChanges, pace?: Pace): Promise<void> {
    await this.settle();
    await changes.spread(SETTLING);
    await this.settle();
    if (pace === undefined) return;
    await changes.rolling(pace);
    await this.settle();
  }

  /** The highest rate that the bare relay keeps up with; no manager runs. */
  async findRate(observers: Observers, changes: StatusChanges): Promise<number> {
    await using relay = new StatusRelay(observers, this.hub);
    await this.begin("status: looking for the rate");
    return await highestRate(async (perSecond) => {
      const { p99Ms, changesPerSecond } = await changes.rolling(trialPace(perSecond));
      this.say(`status at ${perSecond}/s: p99 of the relay ${Math.round(p99Ms)} ms, ${relay.writes} writes so far`);
      return p99Ms <= LIMIT_MS && changesPerSecond >= perSecond * 0.95;
    });
  }

  /** The changes at this rate with nothing between members and hub but a bare relay; no manager runs. */
  async relay(observers: Observers, changes: StatusChanges, perSecond: number): Promise<StatusFigures> {
    const pace = measuredPace(perSecond);
    await using relay = new StatusRelay(observers, this.hub);
    await this.begin(`status at ${perSecond}/s, the relay`);
    const latency = await changes.rolling(pace);
    return { ...latency, hubWritesPerChange: relay.writes / pace.count };
  }

  /** How many objects are left on the hub and the members. */
  async left(): Promise<number> {
    const { hub, members } = this.fleet;
    let left = (await hub.api.list(collectionPath("DemoApplication"))).length;
    for (const { plane } of members) {
      for (const kind of ["Deployment", "Service"])
        left += (await plane.api.list(collectionPath(kind, NAMESPACE))).length;
    }
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager?.[Symbol.asyncDispose]();
    await this.#cleanup.disposeAsync();
  }

  get #running(): Manager {
    if (this.#manager === undefined) throw new Error("the manager does not run");
    return this.#manager;
  }

  async #end(phase: string): Promise<Requests> {
    const requests = await this.log.end();
    this.requests[phase] = requests;
    return requests;
  }

  /** CRDs and namespaces: what is there before anything is measured. */
  async #prepare(): Promise<void> {
    if (this.#options.traces) this.#collector = this.#cleanup.use(await startCollector()).url;
    await meridianOk(this.fleet.hub, ["install"]);
    for (const { api } of [this.fleet.hub, ...this.fleet.members.map(({ plane }) => plane)]) {
      for (const name of [NAMESPACE, FLOOR_NAMESPACE]) {
        await api.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      }
    }
  }
}
