/** Who does something, in the order in which one moment of the log names them. */
const ACTORS = ["user", "clock", "fault", "planner", "worker", "cluster", "status", "event"] as const;
export type Actor = (typeof ACTORS)[number];

interface Line {
  actor: Actor;
  /** Names of the clusters of workers and clusters. */
  of: string[];
  text: string;
  /** Lines that explain the first one. */
  more: string[];
  /** What the line speaks of: a later line of the same moment replaces this one. */
  about: string | undefined;
}

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * The lines of a play. Lines of one moment are sorted by actor, and those of one actor by their text: which of two
 * clusters comes first within a millisecond is no promise.
 */
export class PlayLog {
  /** Monotonic milliseconds of the last line. */
  lastAt = 0;
  readonly #now: () => number;
  readonly #lines: string[] = [];
  /** Monotonic and wall time of the beginning; undefined: nothing is logged yet. */
  #start: { monotonic: number; wall: number } | undefined;
  #moment: Line[] = [];
  #momentAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins the log; lines before are forgotten. */
  begin(wall: number): void {
    this.#lines.length = 0;
    this.#moment = [];
    this.lastAt = this.#now();
    this.#start = { monotonic: this.#now(), wall };
  }

  /** `of`: the cluster; `about`: of several lines of one moment about the same thing only the last counts. */
  add(actor: Actor, words: string | readonly string[], { of, about }: { of?: string; about?: string } = {}): void {
    const now = this.#now();
    if (now !== this.#momentAt) this.#flush();
    this.#momentAt = now;
    this.lastAt = now;
    const [text = "", ...more] = (typeof words === "string" ? [words] : words).map((line) => this.relative(line));
    if (about !== undefined) this.#moment = this.#moment.filter((line) => line.about !== about);
    this.#moment.push({ actor, of: of === undefined ? [] : [of], text, more, about });
  }

  /** An empty line before what the user does next. */
  paragraph(): void {
    this.#flush();
    if (this.#lines.length > 0) this.#lines.push("");
  }

  /** Time stamps of the text become times since the beginning. */
  relative(text: string): string {
    const { wall = 0 } = this.#start ?? {};
    return text.replaceAll(TIME, (time) => `T+${clockTime(Math.round((Date.parse(time) - wall) / 1_000) * 1_000)}`);
  }

  get text(): string {
    this.#flush();
    return this.#lines.join("\n");
  }

  #flush(): void {
    const moment = together(this.#moment.toSorted(compare));
    this.#moment = [];
    if (this.#start === undefined) return;
    let time = clockTime(this.#momentAt - this.#start.monotonic, 3);
    for (const { actor, of, text, more } of moment) {
      const who = `${actor} ${of.join(" ")}`.trim();
      this.#lines.push(`${time.padStart(9)}  ${who.padEnd(13)} ${text}`);
      for (const line of more) this.#lines.push(`${" ".repeat(25)}  ${line}`);
      time = "";
    }
  }
}

/** Lines of several clusters with the same words become one line. */
function together(lines: readonly Line[]): Line[] {
  const all = new Map<string, Line>();
  for (const line of lines) {
    const key = line.of.length === 0 ? `${all.size}` : JSON.stringify([line.actor, line.text, line.more]);
    const same = all.get(key);
    if (same === undefined) all.set(key, line);
    else same.of = [...new Set([...same.of, ...line.of])];
  }
  return [...all.values()];
}

function compare(one: Line, other: Line): number {
  const rank = ACTORS.indexOf(one.actor) - ACTORS.indexOf(other.actor);
  if (rank !== 0 || one.actor === "user") return rank;
  return one.of.join().localeCompare(other.of.join()) || one.text.localeCompare(other.text);
}

/** `m:ss`, with parts of the second if wanted. */
function clockTime(ms: number, digits = 0): string {
  const sign = ms < 0 ? "-" : "";
  const whole = Math.abs(ms);
  const seconds = ((whole % 60_000) / 1_000).toFixed(digits);
  return `${sign}${Math.floor(whole / 60_000)}:${seconds.padStart(digits === 0 ? 2 : 3 + digits, "0")}`;
}
