import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import { DEFAULT_SYSTEM_NAMESPACE, defined } from "../../apis/index.ts";
import { builtInTypeOf, DEFAULT_WORKERS, MEMBERCLUSTERS, systemClock } from "../../runtime/index.ts";
import {
  allOf,
  type CommandContext,
  CommandError,
  commandLogger,
  connectGiven,
  type Connection,
  EXIT,
  find,
  type Terminal,
} from "../shared/index.ts";
import { install } from "../install/index.ts";
import { joinMember } from "../member/index.ts";
import { HubView, LiveTable, type Screen } from "../live/index.ts";
import { endedOf, formatStatus } from "../view/index.ts";
import {
  applySample,
  checkGivenClusters,
  FaultSwitch,
  type FleetCluster,
  isNothing,
  type Made,
  nothingMade,
  notInstalled,
  type Place,
  type QuickstartFleet,
  recordName,
  removeInstallation,
  removeMade,
  startFleet,
  StateFolder,
} from "./fleet/index.ts";
import { type Goal, missing } from "./goal.ts";
import { APPLICATION, closingHints } from "./hints.ts";
import { type ManagerOfQuickstart, startManager } from "./managerProcess.ts";
import type { QuickstartOptions } from "./verb.ts";
import { loadSample, type Sample, sampleFor } from "./sample.ts";

const PLACE: Place = { namespace: DEFAULT_SYSTEM_NAMESPACE, leaseName: "meridian" };
const REMOVAL_MS = 60_000;
const DAY_MS = 86_400_000;

interface Parts {
  options: QuickstartOptions;
  context: CommandContext;
  screen: Screen;
  folder: StateFolder;
  sample: Sample;
  fleet: QuickstartFleet;
  hub: Connection;
}

/** One quickstart, from the start of the clusters to the final cleanup. */
export class Session implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #cleanup: AsyncDisposableStack;
  readonly #made: Made = nothingMade();
  readonly #view: HubView;
  #manager: ManagerOfQuickstart | undefined;

  private constructor(parts: Parts, cleanup: AsyncDisposableStack) {
    this.#parts = parts;
    this.#cleanup = cleanup;
    const logger = commandLogger("info", parts.context.terminal);
    this.#view = new HubView({ client: parts.hub.client, logger, name: "quickstart", endedIn: [undefined] });
  }

  /** Takes the folder and starts the clusters. Throws {@link CommandError}. */
  static async open(options: QuickstartOptions, context: CommandContext, screen: Screen): Promise<Session> {
    await using stack = new AsyncDisposableStack();
    const { signal } = context;
    const kind = options.given !== undefined ? "given" : options.real ? "real" : "sandbox";
    const folder = stack.use(
      await StateFolder.open({
        fleet: kind,
        // For given clusters the folder holds only the log.
        keep: options.keep && kind !== "given",
        ...defined({ dir: options.dir }),
      }),
    );
    const sample = await loadSample();
    const fleet = stack.use(await startFleet({ options, folder, sample, context, screen }));
    const hub = connectGiven("hub", fleet.hub.kubeconfigFile);
    stack.use(hub);
    if (fleet.kind === "given") {
      await checkGivenClusters(fleet, hub.client, PLACE, context);
      screen.step(
        "it adds Meridian's kinds, its namespace and the sample to your hub, a service account to your members",
      );
      if (stays(options)) screen.step("and leaves all of it there when it stops");
      else screen.step("and removes just that when it stops; what else is there is not touched");
    }
    signal.throwIfAborted();
    const regions = fleet.members.flatMap(({ region }) => region ?? []);
    return new Session(
      { options, context, screen, folder, sample: sampleFor(sample, regions), fleet, hub },
      stack.move(),
    );
  }

  /** Resolves with the exit code when it was stopped or, with --once, when everything is Available. */
  async run(): Promise<number> {
    const { context, screen, options } = this.#parts;
    await this.#install();
    await this.#join();
    const expected = await this.#apply();
    const faults = new FaultSwitch(this.#parts.fleet.members, (text) => screen.step(text));
    const live = new LiveTable({
      screen,
      source: {
        report: () => this.#view.report(),
        ended: () => endedOf(this.#view.ended(), this.#view.report(), false),
        onChange: (handler) => this.#view.onChange(handler),
      },
      clusters: this.#parts.fleet.members.map(({ name }) => name),
      onShow: () => faults.refresh(this.#view),
    });
    const manager = this.#startManager(() => live.refresh());
    const goal: Goal = {
      members: this.#parts.fleet.members.map(({ name }) => name),
      isAvailable: (namespace, name) => manager.isAvailable(namespace, name),
      isReached: (cluster) => manager.isReached(cluster),
      ...defined({ application: expected }),
    };
    const stopped = AbortSignal.any([context.signal, this.#viewing()]);
    await Promise.race([this.#view.waitForSync(stopped), manager.ended]);
    using _drawing = live.start();
    const lacking = live.until((report) => missing(report, goal), options.timeout, stopped);
    const left = await Promise.race([lacking, manager.ended.then(() => [])]);
    if (options.once) return this.#finish(left);
    await this.#sayFarewell(left);
    await Promise.race([aborted(context.signal), manager.ended]);
    return EXIT.ok;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { fleet, options, screen, hub } = this.#parts;
    await using _rest = this.#cleanup;
    const removing = fleet.kind === "given" && !stays(options) && !isNothing(this.#made);
    const left: string[] = [];
    if (removing) {
      screen.step("removing what quickstart made on your clusters");
      left.push(
        ...(await removeMade(this.#made, fleet, hub.client, PLACE, {
          managed: this.#manager !== undefined,
          say: (text) => screen.step(text.trimEnd()),
          signal: AbortSignal.timeout(REMOVAL_MS * (1 + this.#made.members.length)),
          timeoutMs: REMOVAL_MS,
        })),
      );
    }
    await this.#manager?.[Symbol.asyncDispose]();
    if (removing)
      left.push(...(await removeInstallation(this.#made, hub.client, PLACE, AbortSignal.timeout(REMOVAL_MS))));
    for (const what of left) screen.step(`left on your clusters: ${what}`);
  }

  async #install(): Promise<void> {
    const { context, screen, fleet, hub, options } = this.#parts;
    screen.step("installing Meridian's kinds on the hub");
    if (fleet.kind === "given") Object.assign(this.#made, await notInstalled(hub.client, PLACE, context.signal));
    await install(
      {
        kubeconfig: fleet.hub.kubeconfigFile,
        namespace: PLACE.namespace,
        logLevel: options.logLevel,
        timeout: REMOVAL_MS,
        dryRun: false,
      },
      { ...context, terminal: SILENT },
    );
  }

  async #join(): Promise<void> {
    const { screen, fleet } = this.#parts;
    screen.step(`joining ${listed(fleet.members.map(({ name }) => name))}`);
    // Waits for all: a join that still writes during the cleanup would leave objects behind.
    await allOf(fleet.members.map((member) => this.#joinOne(member)));
  }

  async #joinOne({ name, kubeconfigFile, region, zone }: FleetCluster): Promise<void> {
    const { context, hub, options } = this.#parts;
    const { signal } = context;
    await using member = connectGiven(name, kubeconfigFile);
    const before = await find(hub.client, MEMBERCLUSTERS, undefined, name, signal);
    if (before === undefined) this.#made.members.push(name);
    await joinMember({
      name,
      hub,
      member,
      signal,
      options: {
        ...PLACE,
        logLevel: options.logLevel,
        ...defined({ region, zone }),
        labels: {},
        taints: [],
        // Changes that a person made to a MemberCluster since the last run stay.
        renew: before !== undefined,
        tokenLifetime: DAY_MS,
      },
    });
  }

  /** Returns the clusters that the application must reach, if they are known. */
  async #apply(): Promise<Goal["application"]> {
    const { context, screen, folder, sample, hub } = this.#parts;
    const { state } = folder;
    const wanted = sample.objects.filter((object) => !state.applied.includes(recordName(object)));
    if (wanted.length > 0) screen.step(`applying ${sample.objects.length - 1} policies and ${APPLICATION}`);
    else screen.step("the policies and the application are there from before");
    const { created, found } = await applySample(hub.client, sample.objects, state.applied, context.signal);
    this.#made.objects.push(...created);
    if (found.length > 0) screen.step(`on the hub already, and left as they are: ${found.map(recordName).join(", ")}`);
    state.applied.push(...[...created, ...found].map(recordName));
    await folder.save();
    return this.#expected();
  }

  /** Undefined if a person has changed the sample since: then only the existing objects must be Available. */
  async #expected(): Promise<Goal["application"]> {
    const { context, sample, fleet, hub } = this.#parts;
    for (const object of sample.objects.filter(({ kind }) => kind === "Placement" || kind === "DemoApplication")) {
      const { namespace, name } = object.metadata;
      const now = await find(hub.client, builtInTypeOf(object), namespace, name, context.signal);
      if (now === undefined || (object.kind === "Placement" && now.metadata.generation !== 1)) return undefined;
    }
    return { name: APPLICATION, members: fleet.members.map(({ name }) => name) };
  }

  #startManager(changed: () => void): ManagerOfQuickstart {
    const { fleet, folder, options, screen } = this.#parts;
    const logFile = folder.file("manager.log");
    screen.step(`starting the manager; its log is ${logFile}`);
    this.#manager = startManager(
      {
        ...PLACE,
        kubeconfig: fleet.hub.kubeconfigFile,
        logLevel: options.logLevel,
        logFile,
        metricsHost: "127.0.0.1",
        metricsPort: folder.state.ports["metrics"] ?? 0,
        queries: {},
        leaderElect: true,
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
        reconcileTimeoutMs: 30_000,
        concurrency: DEFAULT_WORKERS,
        // The folder's lock admits one process, so a restarted one may take its own Lease back at once.
        identity: fleet.kind === "given" ? `${hostname()}_${randomUUID().slice(0, 8)}` : "quickstart",
        allowExecCredentials: false,
      },
      changed,
    );
    return this.#manager;
  }

  /** Follows the hub until the session ends. */
  #viewing(): AbortSignal {
    const stop = new AbortController();
    const running = this.#view.run(stop.signal);
    this.#cleanup.defer(async () => {
      stop.abort();
      await running;
    });
    return stop.signal;
  }

  #finish(missing: readonly string[]): number {
    const { context, screen, options } = this.#parts;
    const { terminal, signal } = context;
    signal.throwIfAborted();
    screen.draw([]);
    if (missing.length > 0) {
      for (const what of missing) terminal.err(`${what}\n`);
      throw new CommandError(
        `not everything is Available after ${options.timeout / 1_000} s (see above): wait longer with --timeout, or keep the manager's log with --dir`,
        { exitCode: EXIT.timeout },
      );
    }
    screen.step("everything is Available");
    const report = this.#view.report();
    terminal.out(
      options.json
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : `\n${formatStatus(report, { wide: true, color: terminal.color, now: systemClock.now() })}`,
    );
    return EXIT.ok;
  }

  async #sayFarewell(missing: readonly string[]): Promise<void> {
    const { screen, folder, fleet, sample, context } = this.#parts;
    if (context.signal.aborted) return;
    if (missing.length === 0) screen.step("everything is Available");
    else screen.step(`not everything is Available yet: ${missing.join("; ")}`);
    const dashboard = await this.#dashboard();
    const logFile = folder.file("manager.log");
    screen.print(closingHints(fleet, sample.regions, { logFile, ending: this.#ending(), dashboard }));
  }

  /** With the token of the hub's own administrator, in the part of the address that a browser does not send. */
  async #dashboard(): Promise<string | undefined> {
    const { folder, fleet, hub } = this.#parts;
    const port = folder.state.ports["metrics"];
    if (port === undefined) return undefined;
    const address = `http://127.0.0.1:${port}/dashboard/`;
    if (fleet.kind === "given") return address;
    const [, token] = /^Bearer (.+)$/.exec((await hub.config.credentials.authorization()) ?? "") ?? [];
    return token === undefined ? address : `${address}#token=${encodeURIComponent(token)}`;
  }

  #ending(): string {
    const { fleet, folder, options } = this.#parts;
    if (fleet.kind === "given") {
      return stays(options)
        ? "Ctrl-C stops the manager and leaves everything on your clusters."
        : "Ctrl-C stops it and removes from your clusters what it made there (--keep leaves it).";
    }
    if (folder.temporary) return `Ctrl-C stops it, and ${folder.path} goes with it (--dir DIR keeps it).`;
    return `Ctrl-C stops it; \`meridian quickstart --dir ${folder.path}\` goes on from there.`;
  }
}

const SILENT: Terminal = { out: () => undefined, err: () => undefined, color: false, interactive: false };

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function stays({ keep, dir }: QuickstartOptions): boolean {
  return keep || dir !== undefined;
}

function listed(names: readonly string[]): string {
  return names.length <= 4 ? names.join(", ") : `${names.length} clusters`;
}
