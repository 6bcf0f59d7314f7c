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
import { RoomCount, type RoomReading } from "../../scheduler/index.ts";
import { type MemberObject } from "../model/index.ts";
import type { MemberSession } from "../types.ts";

export interface RoomReaderOptions {
  session: MemberSession;
  clock: Clock;
  logger: Logger;
  /** Called after each reading; where nothing has changed, with the same value as before. */
  found: (reading: RoomReading) => void;
}

const EVERY_MS = 60_000;
/** Pods of what Meridian has changed are made, and bound to nodes, by then. */
const AFTER_CHANGE_MS = 5_000;
/** Between two readings, whatever happens. */
const LEAST_BETWEEN_MS = 10_000;
/** A member that takes long to answer is read less often: a twentieth of the time at most. */
const PAUSE_FACTOR = 20;
/** Whoever may not read nodes now may be allowed to later; and a member that misbehaves costs as much each time. */
const REFUSED_FOR_MS = 600_000;
/** What was read once counts for so long, though it cannot be read any more. */
const KEPT_FOR_MS = 300_000;
/** Per page: a large member's list is never in memory as a whole. */
const PAGE = 500;
/** Of the nodes, and of the pods: Kubernetes is made for 5,000 and 150,000. */
const BOUNDS = { objects: 500_000, bytes: 8 * 2 ** 30 };
/** A list of so many pods takes a minute. */
const LONGEST_MS = 180_000;
/** What the nodes do not keep room for. */
const RUNNING = "status.phase!=Succeeded,status.phase!=Failed";

/**
 * Measures how much room the nodes of a member have, during one session and while somebody asks for it: once a minute, and soon after Meridian itself
 * has changed a workload there. Nodes and pods are listed page by page, and of each page only sums are kept; nothing is watched.
 */
export class RoomReader {
  readonly #options: RoomReaderOptions;
  #isWanted = false;
  #reading = false;
  #timer: { dueAt: number; timer: Disposable } | undefined;
  #lastEndedAt = Number.NEGATIVE_INFINITY;
  #lastRoomAt = Number.NEGATIVE_INFINITY;
  #pause = LEAST_BETWEEN_MS;
  #told: { text: string; reading: RoomReading } | undefined;
  /** What was applied to workloads last, by their keys. */
  readonly #hashes = new Map<string, string | undefined>();

  constructor(options: RoomReaderOptions) {
    this.#options = options;
    options.session.signal.addEventListener("abort", () => this.want(false), { once: true });
  }

  /** Somebody asks for the room, or nobody does any more. */
  want(isWanted: boolean): void {
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) {
      if (!this.#reading) this.#schedule(0);
      return;
    }
    this.#timer?.timer[Symbol.dispose]();
    this.#timer = undefined;
    this.#told = undefined;
    this.#hashes.clear();
  }

  /** Considers a member object that has changed: when Meridian has written a workload, its pods take up another room. */
  consider({ key, observed }: MemberObject): void {
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

  /** Not later than that, and not before the pause since the last reading is over. */
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
      const reading = await readRoom(session, TimeSlice.of(clock));
      this.#lastRoomAt = clock.monotonic();
      this.#tell(reading);
    } catch (err) {
      if (session.signal.aborted) return;
      if (isForbidden(err) || isMisbehaviour(err)) next = REFUSED_FOR_MS;
      logger.debug({ cluster: session.cluster, err }, "the room on the nodes of a member could not be read");
      if (next === REFUSED_FOR_MS || clock.monotonic() - this.#lastRoomAt > KEPT_FOR_MS)
        this.#tell(whyNot(session, err));
    } finally {
      this.#reading = false;
      this.#lastEndedAt = clock.monotonic();
      this.#pause = Math.max(LEAST_BETWEEN_MS, PAUSE_FACTOR * (this.#lastEndedAt - startedAt));
      if (this.#isWanted) this.#schedule(next);
    }
  }

  #tell(reading: RoomReading): void {
    if (!this.#isWanted) return;
    const text = JSON.stringify(reading);
    if (text !== this.#told?.text) this.#told = { text, reading };
    this.#options.found(this.#told.reading);
  }
}

/** What a reading needs of a member. */
type Readable = Pick<MemberSession, "cluster" | "client" | "namespaces" | "signal">;

/** Reads the room on the nodes of a member once. Rejects with what the client rejects with. */
async function readRoom(member: Readable, slice: TimeSlice): Promise<RoomReading> {
  if (member.namespaces !== undefined)
    return {
      reason: "RoomUnknown",
      message: "the cluster was joined for some namespaces only, and shows no nodes",
      remedy: `join it for all of its namespaces: run \`${renewCommand(member.cluster, "--namespaces '*'")}\``,
    };
  const count = new RoomCount();
  await each(member, NODES, {}, (node) => count.addNode(node));
  await each(member, PODS, { fieldSelector: RUNNING }, (pod) => count.addPod(pod));
  const steps = count.steps();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return { room: value };
    await slice.pause();
  }
}

/** As {@link readRoom}, for a command that asks once: what cannot be read is an answer. Rejects only when the signal aborts. */
export async function roomNow(member: Readable): Promise<RoomReading> {
  try {
    return await readRoom(member, TimeSlice.of(systemClock));
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

function whyNot({ cluster }: Readable, error: unknown): RoomReading {
  if (isForbidden(error))
    return {
      reason: "RoomUnknown",
      message: "Meridian's account may not list the nodes and pods of the cluster",
      remedy: `let it list nodes and pods: run \`${renewCommand(cluster)}\``,
    };
  const said = isApiError(error) ? error.apiMessage : error instanceof Error ? error.message : String(error);
  return { reason: "RoomUnknown", message: shortMessage(`its nodes and pods could not be read: ${said}`) };
}
