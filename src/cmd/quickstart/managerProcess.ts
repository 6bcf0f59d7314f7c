import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { PAAS_GROUP } from "../../apis/index.ts";
import { createLogger, type LogLevel, Metrics } from "../../observability/index.ts";
import { runManager } from "../manager/index.ts";
import type { ManagerOptions } from "../manager/verb.ts";

/** Reports the manager's findings at once, because a terminal cannot wait for a scrape. */
class WatchedMetrics extends Metrics {
  readonly available = new Set<string>();
  readonly reached = new Set<string>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    super();
    this.#changed = changed;
  }

  override setObjectState(key: string, kind: string, state: string): void {
    super.setObjectState(key, kind, state);
    if (state === "Available") this.available.add(key);
    else this.available.delete(key);
    this.#changed();
  }

  override setMemberReady(cluster: string, ready: boolean): void {
    super.setMemberReady(cluster, ready);
    if (ready) this.reached.add(cluster);
    else this.reached.delete(cluster);
    this.#changed();
  }
}

export interface ManagerOfQuickstart extends AsyncDisposable {
  /** Rejects when the manager cannot continue; resolves after disposal. */
  readonly ended: Promise<void>;
  /** True if this manager itself has found that. */
  isAvailable(namespace: string, name: string): boolean;
  isReached(cluster: string): boolean;
}

/** Runs the manager in this process, with its log in a file. `changed` is called after each finding. */
export function startManager(
  options: Omit<ManagerOptions, "logLevel"> & { logLevel: LogLevel; logFile: string },
  changed: () => void,
): ManagerOfQuickstart {
  const { logFile, ...rest } = options;
  const log = createWriteStream(logFile, { flags: "a", mode: 0o600 });
  const stop = new AbortController();
  const metrics = new WatchedMetrics(changed);
  const logger = createLogger({ level: rest.logLevel, destination: { write: (line: string) => void log.write(line) } });
  const run = async (): Promise<void> => {
    await runManager(rest, stop.signal, { logger, metrics });
    if (!stop.signal.aborted) throw new Error(`the manager ended by itself; its log is ${logFile}`);
  };
  // A full disk must not end the quickstart; only log lines are lost.
  log.on("error", () => undefined);
  const ended = run();
  // Callers that wait for `ended` see the rejection; disposal has to continue anyway.
  ended.catch(() => undefined);
  return {
    ended,
    isAvailable: (namespace, name) => metrics.available.has(`${PAAS_GROUP}/DemoApplication/${namespace}/${name}`),
    isReached: (cluster) => metrics.reached.has(cluster),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended.catch(() => undefined);
      if (log.destroyed) return;
      log.end();
      await once(log, "close");
    },
  };
}
