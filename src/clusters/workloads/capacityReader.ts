import { type KubeObject, shortMessage, renewCommand } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Clock,
  isApiError,
  isForbidden,
  isMisbehaviour,
  listPages,
  NODES,
  PODS,
  type ResourceType,
  systemClock,
  TimeSlice,
} from "../../runtime/index.ts";
import { HeadroomCount, type CapacityReading } from "../../scheduler/index.ts";
import type { MemberObject, MemberObjects } from "../model/index.ts";
import type { MemberSession } from "../types.ts";

export interface CapacityReaderOptions {
  session: MemberSession;
  objects: Pick<MemberObjects, "onChange">;
  clock: Clock;
  logger: Logger;
  /** Called after each reading, with the identical value when nothing has changed. */
  found: (reading: CapacityReading) => void;
}

const EVERY_MS = 60_000;
/** Until the pods of a changed workload are created and bound. */
const AFTER_CHANGE_MS = 5_000;
/** Between two readings. */
const LEAST_BETWEEN_MS = 10_000;
/** Pause as a multiple of the last reading's duration, so that reading takes a twentieth of the time at most. */
const PAUSE_FACTOR = 20;
/** After a forbidden read, whose permission may be granted later, or a misbehaving member, which is costly. */
const REFUSED_FOR_MS = 600_000;
/** A reading is valid so long when later ones fail. */
const KEPT_FOR_MS = 300_000;
const PAGE = 500;
/** For nodes and for pods. Kubernetes is designed for 5,000 nodes and 150,000 pods. */
const BOUNDS = { objects: 500_000, bytes: 8 * 2 ** 30 };
/** Longest duration of one list; 150,000 pods take a minute. */
const LONGEST_MS = 180_000;
/** Finished pods take no room on a node. */
const RUNNING = "status.phase!=Succeeded,status.phase!=Failed";

/**
 * Measures the free room on the nodes of a member, during one session and while it is wanted: once a minute, and soon
 * after Meridian has changed a workload. Reads page by page, keeps only sums, and watches nothing.
 */
export class CapacityReader {
  readonly #options: CapacityReaderOptions;
  #isWanted = false;
  #reading = false;
  #timer: { dueAt: number; timer: Disposable } | undefined;
  #lastEndedAt = Number.NEGATIVE_INFINITY;
  #lastReadingAt = Number.NEGATIVE_INFINITY;
  #pause = LEAST_BETWEEN_MS;
  #last: { text: string; reading: CapacityReading } | undefined;
  /** Hash last applied to each workload, by key. */
  readonly #hashes = new Map<string, string | undefined>();

  constructor(options: CapacityReaderOptions) {
    this.#options = options;
    const subscription = options.objects.onChange((object) => this.#consider(object));
    const end = (): void => {
      subscription[Symbol.dispose]();
      this.want(false);
    };
    options.session.signal.addEventListener("abort", end, { once: true });
  }

  want(isWanted: boolean): void {
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) {
      if (!this.#reading) this.#schedule(0);
      return;
    }
    this.#timer?.timer[Symbol.dispose]();
    this.#timer = undefined;
    this.#last = undefined;
    this.#hashes.clear();
  }

  /** A workload that Meridian has written may need a different amount of room. */
  #consider({ key, observed }: MemberObject): void {
    if (!this.#isWanted || observed?.health.replicas === undefined) {
      if (this.#hashes.delete(key)) this.#changed();
      return;
    }
    const before = this.#hashes.get(key);
    if (this.#hashes.has(key) && before === observed.hash) return;
    this.#hashes.set(key, observed.hash);
    this.#changed();
  }

  #changed(): void {
    if (this.#isWanted && !this.#reading) this.#schedule(AFTER_CHANGE_MS);
  }

  /** Not before the pause after the last reading is over. An earlier scheduled reading stays. */
  #schedule(ms: number): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const dueAt = Math.max(now + ms, this.#lastEndedAt + this.#pause);
    if (this.#timer !== undefined && this.#timer.dueAt <= dueAt) return;
    this.#timer?.timer[Symbol.dispose]();
    const timer = clock.after(Math.max(0, dueAt - now), () => {
      this.#timer = undefined;
      void this.#read();
    });
    this.#timer = { dueAt, timer };
  }

  async #read(): Promise<void> {
    const { session, clock, logger } = this.#options;
    this.#reading = true;
    const startedAt = clock.monotonic();
    let next = EVERY_MS;
    try {
      const reading = await readCapacity(session, TimeSlice.of(clock));
      this.#lastReadingAt = clock.monotonic();
      this.#report(reading);
    } catch (err) {
      if (session.signal.aborted) return;
      if (isForbidden(err) || isMisbehaviour(err)) next = REFUSED_FOR_MS;
      logger.debug({ cluster: session.cluster, err }, "the room on the nodes of a member could not be read");
      if (next === REFUSED_FOR_MS || clock.monotonic() - this.#lastReadingAt > KEPT_FOR_MS)
        this.#report(whyNot(session, err));
    } finally {
      this.#reading = false;
      this.#lastEndedAt = clock.monotonic();
      this.#pause = Math.max(LEAST_BETWEEN_MS, PAUSE_FACTOR * (this.#lastEndedAt - startedAt));
      if (this.#isWanted) this.#schedule(next);
    }
  }

  #report(reading: CapacityReading): void {
    if (!this.#isWanted) return;
    const text = JSON.stringify(reading);
    if (text !== this.#last?.text) this.#last = { text, reading };
    this.#options.found(this.#last.reading);
  }
}

type Readable = Pick<MemberSession, "cluster" | "client" | "namespaces" | "signal">;

/** Rejects with the client's errors. */
async function readCapacity(member: Readable, slice: TimeSlice): Promise<CapacityReading> {
  if (member.namespaces !== undefined)
    return {
      reason: "RoomUnknown",
      message: "the cluster was joined for some namespaces only, and shows no nodes",
      remedy: `join it for all of its namespaces: run \`${renewCommand(member.cluster, "--namespaces '*'")}\``,
    };
  const count = new HeadroomCount();
  await each(member, NODES, {}, (node) => count.addNode(node));
  await each(member, PODS, { fieldSelector: RUNNING }, (pod) => count.addPod(pod));
  const steps = count.steps();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return { room: value };
    await slice.pause();
  }
}

/** For a command that reads once: a failure is a result with a reason. Rejects only when the signal aborts. */
export async function capacityNow(member: Readable): Promise<CapacityReading> {
  try {
    return await readCapacity(member, TimeSlice.of(systemClock));
  } catch (error) {
    member.signal.throwIfAborted();
    return whyNot(member, error);
  }
}

async function each(
  { client, signal }: Readable,
  type: ResourceType,
  selected: { fieldSelector?: string },
  take: (one: KubeObject) => void,
): Promise<void> {
  const selection = { client, type, ...selected, bounds: BOUNDS };
  for await (const { items } of listPages(selection, { limit: PAGE, longestMs: LONGEST_MS, signal }))
    for (const item of items) take(item);
}

function whyNot({ cluster }: Readable, error: unknown): CapacityReading {
  if (isForbidden(error))
    return {
      reason: "RoomUnknown",
      message: "Meridian's account may not list the nodes and pods of the cluster",
      remedy: `let it list nodes and pods: run \`${renewCommand(cluster)}\``,
    };
  const said = isApiError(error) ? error.apiMessage : error instanceof Error ? error.message : String(error);
  return { reason: "RoomUnknown", message: shortMessage(`its nodes and pods could not be read: ${said}`) };
}
