import { setTimeout as sleep } from "node:timers/promises";
import { type DemoApplication, FEDERATION_GROUP, type MemberCluster, PAAS_GROUP } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { countObjects, WriteCounter } from "./census.ts";
import { follow, ScaleFederation } from "./federation.ts";
import type { ScaleOptions } from "./options.ts";

/** What was measured. Seconds, MiB; `sinceStart` counts from the start of the process. */
export interface ScaleFigures {
  members: number;
  apps: number;
  replicas: number;
  serving: Moment;
  joined: Moment;
  ready: Moment;
  /** The last application's status says Available in every member; seconds since the first was created. */
  convergence: { seconds: number };
  available: Moment;
  /** Nothing has been written for {@link QUIET_MS}. */
  settled: Moment;
  peakRssMiB: number;
  /** Of the heap after the last collection, as far as the engine tells. */
  heapMiB: number;
  objects: number;
  objectsByResource: Record<string, number>;
  /** In {@link IDLE_MS} after everything is settled, leases apart. */
  idle: { seconds: number; writes: number; writesBy: Record<string, number>; cpuSeconds: number };
}

export interface Moment {
  sinceStart: number;
  rssMiB: number;
  /** Since the start of the process, its own and the kernel's on its behalf. */
  cpuSeconds: number;
}

const QUIET_MS = 3_000;
const IDLE_MS = 15_000;
const NAMESPACE = "default";

/** Measures one federation from its first cluster to its idleness. */
export async function measure(options: ScaleOptions, say: (text: string) => void): Promise<ScaleFigures> {
  const { members, apps, replicas, timeoutMs } = options;
  const moment = (what: string): Moment => {
    const now = momentNow();
    say(
      `${what} after ${now.sinceStart.toFixed(1)} s, ${Math.round(now.rssMiB)} MiB, ${now.cpuSeconds.toFixed(1)} s of CPU`,
    );
    return now;
  };
  await using federation = await ScaleFederation.start(members);
  const { hub } = federation;
  const clusters = [hub, ...federation.members];
  const serving = moment(`${members} members and the hub serve`);
  await federation.install();
  await federation.join();
  const joined = moment("all members have joined");
  const failed = federation.runManager();
  const within = <T>(step: Promise<T>, what: string): Promise<T> =>
    Promise.race([step, failed as Promise<never>, late(timeoutMs, what)]);

  await within(readyMembers(hub, members), "not all members became ready");
  const ready = moment("all members are ready");

  await federation.client.apply(PLACEMENTS, placement("everywhere").namespace(NAMESPACE).object());
  const begin = performance.now();
  const converged = availableEverywhere(hub, apps, members);
  await create(federation, apps, replicas);
  moment(`${apps} applications are created`);
  await within(converged, "not all applications became available everywhere");
  const available = moment("all applications are available in all members");
  const seconds = (performance.now() - begin) / 1_000;

  using counter = new WriteCounter(clusters);
  const isQuiet = await within(counter.quiet(QUIET_MS, timeoutMs), "the federation does not settle");
  if (!isQuiet) throw new Error(`the federation does not settle: ${JSON.stringify([...counter.writes])}`);
  const settled = moment("nothing is written any more");
  counter.writes.clear();
  const before = counter.total;
  await within(sleep(IDLE_MS), "");
  const after = moment("idle");
  const objectsByResource = countObjects(clusters);
  return {
    members,
    apps,
    replicas,
    serving,
    joined,
    ready,
    convergence: { seconds },
    available,
    settled,
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
    heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
    objects: Object.values(objectsByResource).reduce((sum, count) => sum + count, 0),
    objectsByResource,
    idle: {
      seconds: IDLE_MS / 1_000,
      writes: counter.total - before,
      writesBy: Object.fromEntries(counter.writes),
      cpuSeconds: after.cpuSeconds - settled.cpuSeconds,
    },
  };
}

/** A few at a time, as a person's script would. */
async function create(federation: ScaleFederation, count: number, replicas: number): Promise<void> {
  const waiting = Array.from({ length: count }, (_, index) => `app-${String(index).padStart(4, "0")}`);
  const createNext = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      await federation.client.create(DEMOAPPLICATIONS, application(name, replicas));
  };
  await Promise.all(Array.from({ length: 4 }, createNext));
}

function application(name: string, replicas: number) {
  return demoApplication(name)
    .namespace(NAMESPACE)
    .replica(replicas)
    .port(80, { name: "http", targetPort: 8080 })
    .object();
}

/** Resolves when so many members are ready at the same time. */
function readyMembers(hub: ScaleFederation["hub"], wanted: number): Promise<void> {
  return allAt(hub, { group: FEDERATION_GROUP, plural: "memberclusters" }, wanted, (object: MemberCluster) =>
    isTrue(object.status, "Ready"),
  );
}

function availableEverywhere(hub: ScaleFederation["hub"], wanted: number, members: number): Promise<void> {
  return allAt(
    hub,
    { group: PAAS_GROUP, plural: "demoapplications" },
    wanted,
    ({ metadata, status }: DemoApplication) => {
      if (status?.observedGeneration !== metadata.generation) return false;
      return isTrue(status, "Available") && status?.availableClusters === `${members}/${members}`;
    },
  );
}

/** Resolves when so many objects on the hub are as they should be, at the same time. */
async function allAt<T>(
  hub: ScaleFederation["hub"],
  resource: { group: string; plural: string },
  wanted: number,
  isRight: (object: T) => boolean,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const right = new Set<string>();
  using _following = follow(hub, resource, (object, gone) => {
    if (!gone && isRight(object as T)) right.add(object.metadata.name);
    else right.delete(object.metadata.name);
    if (right.size >= wanted) resolve();
  });
  await promise;
}

function isTrue(
  status: { conditions?: readonly { type: string; status: string }[] } | undefined,
  wanted: string,
): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === wanted && value === "True") === true;
}

async function late(ms: number, what: string): Promise<never> {
  await sleep(ms, undefined, { ref: false });
  throw new Error(`${what} within ${ms / 1_000} s`);
}

function momentNow(): Moment {
  const { user, system } = process.cpuUsage();
  return {
    sinceStart: performance.now() / 1_000,
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
    cpuSeconds: (user + system) / 1e6,
  };
}
