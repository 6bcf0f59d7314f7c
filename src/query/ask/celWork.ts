import { badRequest, QueryError } from "../types.ts";

/** Undefined if there is time to go on at once. */
export type Pause = () => Promise<void> | undefined;

/** Rows that an answer evaluates with CEL at once. More are read in turns, with rests. */
const MOST_AT_ONCE = 100_000;
const ROWS_BETWEEN_PAUSES = 16;
/** Work of one answer on CEL: a million rows, at some microseconds each. */
const BUDGET_MS = 10_000;
/** Work until a rest as long as the work: half of the time is for others. */
const SLICE_MS = 8;
/** Answers that wait for the one that is under way. */
const MOST_WAITING = 3;

export interface CelOptions {
  /** Milliseconds that never run backwards. */
  monotonic: () => number;
  rest: (ms: number) => Promise<void>;
}

/** One answer at a time evaluates CEL on many rows. */
export class CelTurns {
  readonly options: CelOptions;
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: CelOptions) {
    this.options = options;
  }

  /** @throws {QueryError} 429 if too many answers wait */
  async take(): Promise<Disposable> {
    if (this.#isTaken) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new QueryError(
          429,
          "TooManyRequests",
          `other queries evaluate cel on more than ${MOST_AT_ONCE} rows now; ask again in 10 s, or ${NARROW} as well`,
        );
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    this.#isTaken = true;
    return { [Symbol.dispose]: () => this.#pass() };
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

const NARROW = "filter by namespace, cluster, state or reason";

/** Bounds the work of one answer on CEL. */
export class CelWork implements Disposable {
  readonly #turns: CelTurns;
  readonly #pause: Pause;
  #turn: Disposable | undefined;
  #rows = 0;
  /** Rows at the last measurement. */
  #measured = 0;
  #untilPause = ROWS_BETWEEN_PAUSES;
  /** Start of the present stretch of work. */
  #since: number;
  #workedMs = 0;
  #unrestedMs = 0;

  constructor(turns: CelTurns, pause: Pause) {
    this.#turns = turns;
    this.#pause = pause;
    this.#since = turns.options.monotonic();
  }

  /** Counts an evaluation. */
  count(): void {
    this.#rows += 1;
  }

  /**
   * Undefined, or what to wait for before the next row.
   *
   * @throws {QueryError} 400 that says what to narrow, once the budget is used up
   */
  next(): Promise<void> | undefined {
    this.#untilPause -= 1;
    if (this.#untilPause > 0) return undefined;
    this.#untilPause = ROWS_BETWEEN_PAUSES;
    // The other filters have refused all rows since the last pause.
    if (this.#measured === this.#rows) return this.#resumed(this.#pause());
    this.#measure();
    if (this.#workedMs > BUDGET_MS) throw spent(this.#rows);
    const pause = this.#rows < MOST_AT_ONCE ? this.#pause() : this.#longPause();
    return this.#resumed(pause);
  }

  [Symbol.dispose](): void {
    this.#turn?.[Symbol.dispose]();
    this.#turn = undefined;
  }

  #measure(): void {
    const now = this.#turns.options.monotonic();
    const ms = now - this.#since;
    this.#since = now;
    this.#measured = this.#rows;
    this.#workedMs += ms;
    this.#unrestedMs += ms;
  }

  /** A pause is no work. */
  #resumed(pause: Promise<void> | undefined): Promise<void> | undefined {
    return pause?.then(() => void (this.#since = this.#turns.options.monotonic()));
  }

  #longPause(): Promise<void> | undefined {
    if (this.#turn === undefined) return this.#turns.take().then((turn) => void (this.#turn = turn));
    if (this.#unrestedMs < SLICE_MS) return this.#pause();
    const ms = this.#unrestedMs;
    this.#unrestedMs = 0;
    return this.#turns.options.rest(ms);
  }
}

function spent(rows: number): QueryError {
  const message = `cel has taken ${BUDGET_MS / 1000} s for ${rows} rows, and there are more; ${NARROW} as well, or make the expression shorter`;
  return badRequest(message);
}
