import { systemClock } from "../../runtime/index.ts";
import { causesOf, causeTable, type EndedReport, type StatusReport } from "../view/index.ts";
import { changesOf, formatBlock, type LiveContent } from "./block.ts";
import { rowsOf } from "./rows.ts";
import type { Screen } from "./screen.ts";

export interface LiveSource {
  report(): StatusReport;
  ended(): readonly EndedReport[];
  onChange(handler: () => void): Disposable;
}

export interface LiveTableOptions {
  screen: Screen;
  source: LiveSource;
  /** Clusters in the order of their rows; other clusters follow by name. */
  clusters?: readonly string[];
  causes?: boolean;
  onShow?: () => void;
}

const MARGIN = 2;
/** Ages in the table change every second. */
const REDRAW_MS = 1_000;
/** Changes come in bursts; a person needs no shorter interval. */
const DEBOUNCE_MS = 50;

/** The table of all applications on all clusters; without a terminal, one line for each change. */
export class LiveTable {
  readonly #options: LiveTableOptions;
  readonly #listeners = new Set<() => void>();
  #content: LiveContent | undefined;
  #debounced: Disposable | undefined;
  #running = false;

  constructor(options: LiveTableOptions) {
    this.#options = options;
  }

  /** Shows the present state and every later change, until disposed. Keeps the process alive. */
  start(): Disposable {
    const stack = new DisposableStack();
    this.#running = true;
    stack.defer(() => {
      this.#running = false;
      this.#debounced?.[Symbol.dispose]();
    });
    stack.use(this.#options.source.onChange(() => this.refresh()));
    const timer = setInterval(() => this.#draw(), REDRAW_MS);
    stack.defer(() => clearInterval(timer));
    this.refresh();
    return stack;
  }

  refresh(): void {
    if (!this.#running || this.#debounced !== undefined) return;
    this.#debounced = systemClock.after(DEBOUNCE_MS, () => {
      this.#debounced = undefined;
      this.#show();
    });
  }

  /** Resolves with an empty list when nothing is missing, or after `timeoutMs` with the missing items. */
  until(missing: (report: StatusReport) => string[], timeoutMs: number, signal: AbortSignal): Promise<string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const lacking = (): string[] => missing(this.#options.source.report());
    const check = (): void => {
      if (lacking().length === 0) resolve([]);
    };
    const onAbort = (): void => reject(signal.reason as Error);
    const timer = systemClock.after(timeoutMs, () => resolve(lacking()));
    this.#listeners.add(check);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    check();
    return promise.finally(() => {
      timer[Symbol.dispose]();
      this.#listeners.delete(check);
      signal.removeEventListener("abort", onAbort);
    });
  }

  #show(): void {
    const { screen, source, clusters = [], onShow } = this.#options;
    onShow?.();
    const report = source.report();
    const causes = this.#options.causes === true ? causesOf(report) : [];
    const content = { causes, rows: rowsOf(report, clusters), ended: source.ended() };
    if (screen.size === undefined) this.#print(content);
    this.#content = content;
    this.#draw();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Prints the causes at the start as a table, as `status` does. */
  #print(content: LiveContent): void {
    const { screen } = this.#options;
    const { causes } = content;
    const now = systemClock.now();
    const isFirst = this.#content === undefined;
    if (isFirst && causes.length > 0)
      screen.print(`${causeTable(causes, { color: screen.color, now, wide: false })}\n`);
    const before = this.#content ?? { causes, rows: [], ended: [] };
    for (const line of changesOf(before, content, now)) screen.step(line);
  }

  #draw(): void {
    const { screen } = this.#options;
    const { size } = screen;
    if (size === undefined || this.#content === undefined) return;
    const block = formatBlock(this.#content, {
      color: screen.color,
      now: systemClock.now(),
      columns: size.columns,
      lines: size.rows - MARGIN,
    });
    screen.draw(block.length === 0 ? [] : ["", ...block]);
  }
}
