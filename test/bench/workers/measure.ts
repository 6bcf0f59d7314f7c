import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectionPath, objectPath, pathOf } from "../../e2e/objects.ts";
import {
  FaultProxy,
  type Fleet,
  type Manager,
  meridianOk,
  type Plane,
  startManager,
  startSandboxFleet,
} from "../../envtest/index.ts";
import { AT_A_TIME, BareClient, inParallel } from "../bareClient.ts";
import { Observers } from "../observers.ts";
import type { BenchOptions } from "../options.ts";
import { cpuSeconds, loadAverage } from "../processUsage.ts";
import { HUB, RequestLog } from "../requests.ts";
import { Rollouts } from "../rollouts.ts";
import { applicationNames, FIRST_IMAGE, memberOptions, NAMESPACE, policies, SECOND_IMAGE } from "../workload.ts";
import { DelayLine } from "./delayLine.ts";
import { PriorityLevel, type Situation, SITUATIONS } from "./situations.ts";

/** Workers of each of the two controllers that write on the hub for every object: a fixed count, or what the manager finds. */
export const COUNTS = [1, 3, 8, 16, 32, "adaptive"] as const;
export type Count = (typeof COUNTS)[number];

/** One creation of all objects of a situation. */
export interface Cell {
  situation: string;
  count: Count;
  round: number;
  /** From the first request to the last status. */
  wallSeconds: number;
  /** Of the manager, to the end of its last write. */
  cpuSeconds: number;
  /** For each object; without the creation, Leases and Events. */
  hubRequests: number;
  hubWrites: number;
  /** Answers 429. */
  rejected: number;
  loadAverage: number;
}

/** All objects were changed while no manager ran: from the start of the next one until the last status. */
export interface Recovery {
  count: Count;
  round: number;
  wallSeconds: number;
  /** The same from when the manager said that it was ready: without the start of the process. */
  sinceReadySeconds: number;
  cpuSeconds: number;
}

export interface WorkerFigures {
  members: number;
  rounds: number;
  cells: Cell[];
  recoveries: Recovery[];
}

const RECOVERED = 237;
const RECOVERY_TIMEOUT_MS = 120_000;
/** Enough for connections, and for the most of the code to be compiled. */
const WARM_UP = 60;

/** Every count in every situation, and after a kill, in turns: a machine that gets slower falls on all of them. */
export async function measureWorkers(options: BenchOptions, say: (text: string) => void): Promise<WorkerFigures> {
  const { members, rounds } = options;
  await using bench = await WorkerBench.start(members);
  const cells: Cell[] = [];
  const recoveries: Recovery[] = [];
  say("a turn that does not count");
  const [first] = SITUATIONS;
  if (first !== undefined) await bench.cell(first, 8, 0);
  for (let round = 1; round <= rounds; round++) {
    for (const [index, situation] of SITUATIONS.entries()) {
      for (const count of rotated(COUNTS, round + index)) {
        const cell = await bench.cell(situation, count, round);
        say(`round ${round}: ${situation.name}, ${count} workers: ${cell.wallSeconds.toFixed(2)} s`);
        cells.push(cell);
      }
    }
    for (const count of rotated(COUNTS, round)) {
      const recovery = await bench.recovery(count, round);
      say(`round ${round}: recovery, ${count} workers: ${recovery.wallSeconds.toFixed(2)} s`);
      recoveries.push(recovery);
    }
  }
  return { members, rounds, cells, recoveries };
}

function rotated<T>(values: readonly T[], by: number): T[] {
  const from = by % values.length;
  return [...values.slice(from), ...values.slice(0, from)];
}

/** A hub and members of the sandbox in this process; one manager at a time as a process of its own. */
class WorkerBench implements AsyncDisposable {
  readonly #fleet: Fleet<Plane>;
  readonly #hub: BareClient;
  readonly #observers: Observers;
  readonly #log: RequestLog;
  readonly #cleanup: AsyncDisposableStack;

  private constructor(fleet: Fleet<Plane>, stack: AsyncDisposableStack) {
    this.#fleet = fleet;
    this.#hub = stack.use(new BareClient(fleet.hub));
    this.#observers = stack.use(new Observers(fleet));
    this.#log = new RequestLog(fleet);
    this.#cleanup = stack;
  }

  static async start(members: number): Promise<WorkerBench> {
    await using stack = new AsyncDisposableStack();
    const wanted = { hub: { controllerManager: false }, members: memberOptions(members) };
    const fleet = stack.use(await startSandboxFleet(wanted));
    await prepare(fleet);
    return new WorkerBench(fleet, stack.move());
  }

  /** Creates what the situation has with a manager of its own, and deletes it. */
  async cell(situation: Situation, count: Count, round: number): Promise<Cell> {
    await using way = await Way.to(this.#fleet, situation);
    await using manager = await this.#startManager(count, way.args);
    await this.#warmUp();
    const rollouts = this.#rollouts(situation.objects, "app");
    way.begin();
    const load = await loadAverage();
    await this.#log.begin();
    const cpuBefore = await cpuSeconds(manager.pid);
    const { wallSeconds } = await rollouts.create(FIRST_IMAGE);
    const { rows, writes } = await this.#log.end();
    const used = (await cpuSeconds(manager.pid)) - cpuBefore;
    const rejected = way.end();
    await rollouts.deleteAll();
    await manager.stop();
    const requests = rows.reduce((sum, row) => (row.cluster === HUB ? sum + row.count : sum), 0);
    return {
      ...{ situation: situation.name, count, round, wallSeconds, rejected, cpuSeconds: used, loadAverage: load },
      // One of them is the bench's own.
      hubRequests: requests / situation.objects - 1,
      hubWrites: (writes[HUB] ?? 0) / situation.objects - 1,
    };
  }

  /** Kills a manager that has nothing to do, changes all objects, and starts another one. */
  async recovery(count: Count, round: number): Promise<Recovery> {
    const rollouts = this.#rollouts(RECOVERED, "app");
    {
      await using killed = await this.#startManager(count, WITHOUT_LEASE);
      await rollouts.create(FIRST_IMAGE);
      await this.#settle();
      await killed.kill();
    }
    const body = JSON.stringify({ spec: { image: SECOND_IMAGE } });
    const names = namesOf(RECOVERED, "app");
    await inParallel(names, AT_A_TIME, (name) =>
      this.#hub.sendNow("PATCH", objectPath("DemoApplication", NAMESPACE, name), "merge-patch", body),
    );
    const startedAt = performance.now();
    const done = new Set<string>();
    const recovered = this.#observers.until(
      (name) => {
        if (rollouts.isDone(name, SECOND_IMAGE)) done.add(name);
        return done.size === RECOVERED;
      },
      RECOVERY_TIMEOUT_MS,
      () => `${done.size} of ${RECOVERED} are as they were changed`,
    );
    await using manager = await this.#startManager(count, WITHOUT_LEASE);
    const readyAt = performance.now();
    await recovered;
    const endedAt = performance.now();
    const used = await cpuSeconds(manager.pid);
    await rollouts.deleteAll();
    await manager.stop();
    const [wallSeconds, sinceReadySeconds] = [(endedAt - startedAt) / 1000, (endedAt - readyAt) / 1000];
    return { count, round, wallSeconds, sinceReadySeconds, cpuSeconds: used };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  #startManager(count: Count, args: readonly string[]): Promise<Manager> {
    const { hub, dir } = this.#fleet;
    const bounds = (["min", "max"] as const).flatMap((end) => [`--${end}-concurrent-reconciles`, String(count)]);
    return startManager({ hub, folder: dir, args: [...(count === "adaptive" ? [] : bounds), ...args] });
  }

  #rollouts(objects: number, prefix: string): Rollouts {
    return new Rollouts(this.#hub, this.#observers, namesOf(objects, prefix));
  }

  async #warmUp(): Promise<void> {
    const rollouts = this.#rollouts(WARM_UP, "warm");
    await rollouts.create(FIRST_IMAGE);
    await rollouts.deleteAll();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#log.begin();
    await this.#log.end();
  }
}

/** A killed manager cannot give its Lease back: what the next one waits for is a flag and no work. */
const WITHOUT_LEASE = ["--leader-elect=false"];

function namesOf(objects: number, prefix: string): string[] {
  return applicationNames(objects).map((name) => `${prefix}-${name}`);
}

/** Between the manager and the hub. */
class Way implements AsyncDisposable {
  readonly args: readonly string[];
  readonly #stack: AsyncDisposableStack;
  readonly #proxy: FaultProxy | undefined;
  readonly #level = new PriorityLevel();

  private constructor(args: readonly string[], proxy: FaultProxy | undefined, stack: AsyncDisposableStack) {
    this.args = args;
    this.#proxy = proxy;
    this.#stack = stack;
  }

  static async to({ hub, dir }: Fleet<Plane>, { oneWayMs, throttles }: Situation): Promise<Way> {
    await using stack = new AsyncDisposableStack();
    if (oneWayMs === undefined) return new Way([], undefined, stack.move());
    const proxy = throttles === undefined ? undefined : stack.use(await FaultProxy.start(hub));
    const line = stack.use(await DelayLine.start(proxy?.server ?? hub.server, oneWayMs));
    const file = join(dir, `kubeconfig-${new URL(line.url).port}`);
    await writeFile(file, hub.kubeconfigFor({ token: hub.adminToken, server: line.url }), { mode: 0o600 });
    // The later of two options counts.
    return new Way(["--kubeconfig", file], proxy, stack.move());
  }

  /** From now on the hub throttles, if it does. */
  begin(): void {
    if (this.#proxy !== undefined) this.#proxy.fault = this.#level.fault;
  }

  /** Requests that were rejected since {@link begin}. */
  end(): number {
    if (this.#proxy !== undefined) this.#proxy.fault = undefined;
    return this.#level.rejected;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Brings what all managers find: kinds, namespaces, joined members, policies. */
async function prepare({ hub, members }: Fleet<Plane>): Promise<void> {
  await meridianOk(hub, ["install"]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  for (const { api } of [hub, ...members.map(({ plane }) => plane)])
    await api.create(collectionPath("Namespace"), namespace);
  for (const { name, region, plane } of members)
    await meridianOk(hub, ["join", name, "--member-kubeconfig", plane.kubeconfigFile, "--region", region]);
  for (const policy of policies()) await hub.api.apply(pathOf(policy), policy);
}
