import PQueue from "p-queue";
import type { MemberLoad } from "../../observability/index.ts";
import { type Clock, type KeyClass, KeyOrder, TimeSlice } from "../../runtime/index.ts";

export interface LaneQueueOptions {
  clock: Clock;
  limit: number;
  /** Works on an object whose turn it is. */
  work: (key: string) => Promise<void>;
  /** Considers an object that has changed while it was worked on. */
  enqueue: (key: string) => void;
  /** Called after each turn and at the end of a pause: {@link LaneQueue.regulate} follows. */
  regulate: () => void;
  /** Called when the queue gets work that can be done now, or has none left. */
  working: (working: boolean) => void;
}

/** The objects of one member that wait for a request, in their order, and those with a request under way. */
export class LaneQueue {
  readonly #options: LaneQueueOptions;
  readonly #queue: PQueue;
  readonly #slice: TimeSlice;
  readonly #order = new KeyOrder();
  /** With the start of the wait in monotonic milliseconds; the longest wait is the first. */
  readonly #waiting = new Map<string, number>();
  readonly #running = new Set<string>();
  /** Keys of the objects that changed while they were worked on. */
  readonly #again = new Set<string>();
  #pause: Disposable | undefined;
  #working = false;

  constructor(options: LaneQueueOptions) {
    this.#options = options;
    this.#slice = TimeSlice.of(options.clock);
    this.#queue = new PQueue({ concurrency: options.limit, autoStart: false });
  }

  stageOf(key: string): "InQueue" | "InWrite" | undefined {
    return this.#running.has(key) ? "InWrite" : this.#waiting.has(key) ? "InQueue" : undefined;
  }

  get load(): Pick<MemberLoad, "queued" | "oldestMs"> {
    const now = this.#options.clock.monotonic();
    const [oldest = now] = this.#waiting.values();
    return { queued: this.#waiting.size, oldestMs: now - oldest };
  }

  add(key: string, of: KeyClass): void {
    if (!this.#waiting.has(key)) this.#waiting.set(key, this.#options.clock.monotonic());
    this.#order.add(key, of);
    this.#reportWorking();
    void this.#queue.add(() => this.#process());
  }

  /** Moves a waiting object of the backlog up when it has changed. */
  moveUp(key: string, of: KeyClass): void {
    this.#order.add(key, of);
  }

  /** Considers the object again at the end of its turn. */
  again(key: string): void {
    this.#again.add(key);
  }

  /** A request for the object is under way until the result is disposed of. */
  begin(key: string): Disposable {
    this.#running.add(key);
    return { [Symbol.dispose]: () => void this.#running.delete(key) };
  }

  /** `until`: monotonic milliseconds until which the queue is paused; undefined if an event ends the pause. */
  regulate(limit: number, pause: { until?: number | undefined } | undefined): void {
    const { clock, regulate } = this.#options;
    if (this.#queue.concurrency !== limit) this.#queue.concurrency = limit;
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    if (pause === undefined) this.#queue.start();
    else this.#queue.pause();
    this.#reportWorking();
    if (pause?.until === undefined) return;
    this.#pause = clock.after(Math.max(1, pause.until - clock.monotonic()), regulate);
  }

  /** Drops the waiting objects. Resolves when no turn is under way. */
  async close(): Promise<void> {
    this.#queue.clear();
    this.#waiting.clear();
    this.#order.clear();
    await this.#queue.onPendingZero();
    this.#pause?.[Symbol.dispose]();
    this.#reportWorking();
  }

  /** Works on the object whose turn it is: changes go before the backlog. */
  async #process(): Promise<void> {
    const { work, enqueue, regulate } = this.#options;
    const pause = this.#slice.pause();
    if (pause !== undefined) await pause;
    const key = this.#order.take()?.key;
    if (key === undefined) return;
    this.#waiting.delete(key);
    await work(key);
    if (this.#again.delete(key)) enqueue(key);
    this.#reportWorking();
    regulate();
  }

  #reportWorking(): void {
    const working = this.#running.size > 0 || (this.#waiting.size > 0 && !this.#queue.isPaused);
    if (working === this.#working) return;
    this.#working = working;
    this.#options.working(working);
  }
}
