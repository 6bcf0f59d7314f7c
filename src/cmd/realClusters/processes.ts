import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface ProcessOptions {
  name: string;
  command: string;
  args: string[];
  /** Both output streams are appended. */
  logFile: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** In a process group of its own, which Ctrl-C in the terminal does not reach. */
  detached?: boolean;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process that ends with this process at the latest. */
export class ManagedProcess implements AsyncDisposable {
  readonly name: string;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  /** Set after the process has ended. */
  exit: Exit | undefined;
  readonly #child: ChildProcess;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.logFile = options.logFile;
    const log = openSync(options.logFile, "a");
    this.#child = spawn(options.command, options.args, {
      stdio: ["ignore", log, log],
      cwd: options.cwd,
      env: options.env ?? process.env,
      detached: options.detached ?? false,
    });
    closeSync(log);
    const { pid } = this.#child;
    if (pid !== undefined) reaper().send(`+pid ${pid}`);
    this.exited = new Promise<Exit>((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("exit", (code, signal) => {
        if (pid !== undefined) reaper().send(`-pid ${pid}`);
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
    // Nobody has to wait for `exited`.
    this.exited.catch(() => undefined);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.name} could not be started`);
    return this.#child.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills the process after `graceMs`. */
  async stop(graceMs = 5000): Promise<Exit> {
    if (this.exit !== undefined) return this.exit;
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), graceMs);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  async kill(): Promise<Exit> {
    if (this.exit !== undefined) return this.exit;
    this.signal("SIGKILL");
    return this.exited;
  }

  /** The end of the process aborts the signal, with the last lines of the log. */
  async whileRunning<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ended = new AbortController();
    let done = false;
    const over = async (cause?: unknown): Promise<void> => {
      if (done) return;
      const tail = await this.logTail().catch(() => "it wrote no log");
      ended.abort(new Error(`${this.name} ended:\n${tail}`, { cause }));
    };
    void this.exited.then(() => over(), over);
    try {
      return await work(ended.signal);
    } finally {
      done = true;
    }
  }

  async log(): Promise<string> {
    return readFile(this.logFile, "utf8");
  }

  async logTail(lines = 30): Promise<string> {
    return (await this.log()).trimEnd().split("\n").slice(-lines).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/**
 * A loopback port outside the kernel's range for outgoing connections: it is still free when a stopped server starts
 * again.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    if (!taken.has(port) && (await isFree(port))) {
      taken.add(port);
      return port;
    }
  }
  throw new Error("no free port between 12000 and 30000");
}

const taken = new Set<number>();

export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

/** Removed on disposal, or when this process ends. */
export async function temporaryFolder(prefix: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  reaper().send(`+dir ${path}`);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      reaper().send(`-dir ${path}`);
    },
  };
}

class Reaper {
  readonly #child: ChildProcess;

  constructor() {
    // In the built program the script lies beside the bundle.
    const name = import.meta.url.endsWith(".ts") ? "reaper.ts" : "reaper.js";
    const script = fileURLToPath(new URL(name, import.meta.url));
    // Signals to the terminal's process group must not end the reaper.
    this.#child = spawn(process.execPath, [script], { stdio: ["pipe", "ignore", "inherit"], detached: true });
    this.#child.unref();
    const stdin = this.#child.stdin as unknown as { unref?: () => void } | null;
    stdin?.unref?.();
  }

  send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}

let theReaper: Reaper | undefined;

function reaper(): Reaper {
  theReaper ??= new Reaper();
  return theReaper;
}
