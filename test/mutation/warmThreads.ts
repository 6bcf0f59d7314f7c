import {
  type PoolOptions,
  type PoolRunnerInitializer,
  type PoolWorker,
  ThreadsPoolWorker,
  type WorkerRequest,
} from "vitest/node";

/**
 * Threads that outlive a run of vitest: to start one and to load packages into it costs three times what the tests of a change cost.
 * `fresh.ts` sees to it that each run loads the modules of the project anew.
 */
export const warmThreads: PoolRunnerInitializer = {
  name: "warm-threads",
  createPoolWorker: (options) => new WarmThread(options),
};

interface Thread {
  worker: ThreadsPoolWorker;
  runs: number;
}

/** After so many runs a thread has gathered enough of what vitest never lets go of. */
const MOST_RUNS = 100;
const idle: Thread[] = [];

type Listener = (...args: unknown[]) => void;

class WarmThread implements PoolWorker {
  readonly name = "warm-threads";
  readonly #options: PoolOptions;
  readonly #listeners: [event: string, listener: Listener][] = [];
  #thread: Thread | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#thread = idle.pop();
    if (this.#thread !== undefined) return;
    const worker = new ThreadsPoolWorker(this.#options);
    await worker.start();
    this.#thread = { worker, runs: 0 };
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#thread?.worker.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#thread?.worker.off(event, listener);
  }

  send(message: WorkerRequest): void {
    if (message.type !== "stop") return this.#thread?.worker.send(message);
    // The thread is not to end: it only has to look so.
    for (const [event, listener] of this.#listeners) {
      if (event === "message") listener({ type: "stopped", __vitest_worker_response__: true });
    }
  }

  deserialize(message: unknown): unknown {
    return message;
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread === undefined) return;
    for (const [event, listener] of this.#listeners) thread.worker.off(event, listener);
    thread.runs += 1;
    if (thread.runs < MOST_RUNS) idle.push(thread);
    else await thread.worker.stop();
  }
}
