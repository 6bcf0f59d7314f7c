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
  #isRunning = false;
  /** The run has been cancelled; what the thread still has to tell of it is waited for. */
  #isStopping = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#thread = idle.pop();
    if (this.#thread === undefined) {
      const worker = new ThreadsPoolWorker(this.#options);
      await worker.start();
      this.#thread = { worker, runs: 0 };
    }
    this.#thread.worker.on("message", this.#answered);
  }

  readonly #answered = (answer: { type?: string }): void => {
    if (answer.type !== "testfileFinished") return;
    this.#isRunning = false;
    if (this.#isStopping) this.#seemStopped();
  };

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#thread?.worker.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#thread?.worker.off(event, listener);
  }

  send(message: WorkerRequest): void {
    if (message.type === "stop") {
      this.#isStopping = true;
      if (!this.#isRunning) this.#seemStopped();
      return;
    }
    if (message.type === "run" || message.type === "collect") this.#isRunning = true;
    this.#thread?.worker.send(message);
  }

  /** The thread is not to end: it only has to look so. */
  #seemStopped(): void {
    this.#isStopping = false;
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
    thread.worker.off("message", this.#answered);
    thread.runs += 1;
    // Whoever gave a thread the next run in the midst of this one would mix the two.
    if (thread.runs < MOST_RUNS && !this.#isRunning) idle.push(thread);
    else await thread.worker.stop();
  }
}
