import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { eventually } from "../envtest/index.ts";

export interface Surroundings {
  /** Where the reader is. */
  folder: string;
  /** Of every terminal that is opened. */
  env: NodeJS.ProcessEnv;
}

/** What a command answered. */
export interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** How long a command of a page may take. */
const PATIENCE_MS = 120_000;

/** Bash ends with this process in whatever way: its standard input closes then. */
const SESSION = `
shopt -s expand_aliases
while read -r script; do
  . "$script" </dev/null >"$script.out" 2>"$script.err" 3>&-
  echo "$?" >&3
done`;

/** A command in the foreground, with the process group that Ctrl-C goes to. It is killed when standard input closes. */
const FOREGROUND = `
set -m
eval "$1" </dev/null 3>&- &
job=$!
echo "$job" >&3
{ read -r; kill -KILL -- "-$job"; } 2>/dev/null &
guard=$!
wait "$job"
code=$?
kill -KILL -- "-$guard" 2>/dev/null
exit "$code"`;

/** The terminal in which a reader types one command after the other: variables and aliases stay. */
export class Terminal implements AsyncDisposable {
  readonly #surroundings: Surroundings;
  readonly #scratch: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #count = 0;

  /** Scripts and outputs go to `scratch`. */
  constructor(surroundings: Surroundings, scratch: string) {
    this.#surroundings = surroundings;
    this.#scratch = scratch;
    this.#child = start(surroundings, ["-c", SESSION], "ignore");
    this.#answers = linesOf(this.#child)[Symbol.asyncIterator]();
  }

  async type(command: string): Promise<Said> {
    const script = join(this.#scratch, `command-${this.#count++}`);
    await writeFile(script, `${command}\n`);
    this.#child.stdin?.write(`${script}\n`);
    const timer = setTimeout(() => this.#signal("SIGKILL"), PATIENCE_MS);
    const answer = await this.#answers.next();
    clearTimeout(timer);
    const [stdout, stderr] = await Promise.all(["out", "err"].map((end) => readFile(`${script}.${end}`, "utf8")));
    const said = { stdout: stdout ?? "", stderr: stderr ?? "" };
    if (answer.done === true) throw new Error(`the shell ended at ${command}\n${said.stderr}${said.stdout}`);
    return { code: Number(answer.value), ...said };
  }

  /** Another terminal in the same folder, where nothing was exported, for a command that stays in the foreground. */
  open(command: string): Foreground {
    return new Foreground(this.#surroundings, join(this.#scratch, `terminal-${this.#count++}`), command);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, "close");
    this.#signal("SIGKILL");
    await closed;
  }

  /** To the shell and what it runs at the moment. */
  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }
}

/** A command that runs until the reader ends it. */
export class Foreground implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #command: string;
  readonly #job: Promise<number>;
  readonly #exited: Promise<number>;
  #output = "";
  #ended = false;

  constructor(surroundings: Surroundings, name: string, command: string) {
    this.#command = command;
    this.#child = start(surroundings, ["-c", FOREGROUND, name, command], "pipe");
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => (this.#output += chunk));
    }
    this.#job = linesOf(this.#child)
      [Symbol.asyncIterator]()
      .next()
      .then(({ value }) => Number(value));
    this.#exited = once(this.#child, "exit").then(([code]) => {
      this.#ended = true;
      return (code as number | null) ?? 128;
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Until its output has that. */
  async until(pattern: RegExp, timeout = 60_000): Promise<void> {
    const over = new AbortController();
    void this.#exited.then((code) => over.abort(new Error(`${this.#command} ended with ${code}:\n${this.#tail}`)));
    await eventually(
      () => {
        if (!pattern.test(this.#output)) throw new Error(`${this.#command} never said ${pattern}:\n${this.#tail}`);
      },
      { timeout, signal: over.signal },
    );
  }

  /** Ctrl-C; resolves with the exit code. */
  async interrupt(): Promise<number> {
    if (!this.#ended) process.kill(-(await this.#job), "SIGINT");
    return this.#exited;
  }

  /** Its exit code, when it ends by itself. */
  get exited(): Promise<number> {
    return this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#child.stdin?.end();
    await this.#exited;
  }

  get #tail(): string {
    return this.#output.split("\n").slice(-40).join("\n");
  }
}

/** Bash in a process group of its own. */
function start({ folder, env }: Surroundings, args: string[], output: "ignore" | "pipe"): ChildProcess {
  const stdio = ["pipe", output, output, "pipe"] as const;
  return spawn("bash", ["--noprofile", "--norc", ...args], { cwd: folder, env, stdio: [...stdio], detached: true });
}

/** What it says on descriptor 3. */
function linesOf(child: ChildProcess): Interface {
  return createInterface({ input: child.stdio[3] as NodeJS.ReadableStream });
}
