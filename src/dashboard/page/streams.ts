import {
  type Connection,
  EventStreamReader,
  retryDelay,
  type RowEvent,
  SILENT_MS,
  watchEventOf,
} from "../model/index.ts";
import { AnswerError, type Client, type WatchAddress } from "./client.ts";
import { Turns } from "./turns.ts";

/** A page that nobody sees leaves its connection to others. */
const HIDDEN_MS = 30_000;
/** Why an attempt ends that has not failed. */
const AGAIN = Symbol("again");

/** One query whose rows come by the connection. */
export interface Followed {
  /** The first rows are all there. */
  readonly isComplete: boolean;
  /** There is no use in another try. */
  readonly isRefused: boolean;
  /** What the next connection asks for. */
  begin(): WatchAddress;
  /**
   * `version`: after which the next connection can go on.
   *
   * @throws {AnswerError} if the connection has to begin anew
   */
  take(change: RowEvent<unknown>, version: string | undefined): void;
}

/**
 * The one connection of the page for all of its rows: a browser has six for each server, and all tabs share them. The
 * connection comes back after a break, and rests while the page is hidden.
 */
export class Streams implements Disposable {
  readonly #client: Client;
  readonly #changed: () => void;
  readonly #end = new AbortController();
  readonly #turns = new Turns();
  readonly #lives = new Map<string, Followed>();
  #names = 0;
  #connection: Connection = { is: "Connecting", since: Date.now() };
  #attempt: AbortController | undefined;
  #failures = 0;
  #isResting = false;
  #isTurnOver = false;
  #wake: (() => void) | undefined;

  constructor(client: Client, changed: () => void) {
    this.#client = client;
    this.#changed = changed;
    this.#restWhileHidden();
    void this.#run();
  }

  get connection(): Connection {
    return this.#connection;
  }

  add(live: Followed): void {
    this.#names += 1;
    this.#lives.set(`w${this.#names}`, live);
    this.#again();
  }

  remove(live: Followed): void {
    for (const [name, one] of this.#lives) if (one === live) this.#lives.delete(name);
    this.#again();
  }

  /** Does not wait for the next try. */
  retry(): void {
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    this.#wake?.();
  }

  /** Asks again, with what is wanted now. */
  #again(): void {
    this.#attempt?.abort(AGAIN);
    this.#wake?.();
  }

  #restWhileHidden(): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChange = (): void => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          this.#isResting = true;
          this.#again();
        }, HIDDEN_MS);
      } else if (this.#isResting) {
        this.#isResting = false;
        this.#again();
      }
    };
    document.addEventListener("visibilitychange", onChange, { signal: this.#end.signal });
    if (document.hidden) onChange();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    // The first rows are asked for together.
    await Promise.resolve();
    while (!signal.aborted) {
      this.#attempt = new AbortController();
      const attempt = AbortSignal.any([signal, this.#attempt.signal]);
      try {
        if (this.#isResting || this.#wanted().length === 0) {
          if (this.#isResting) this.#connection = { is: "Connecting", since: Date.now() };
          await this.#woken();
          continue;
        }
        await this.#turns.take(attempt, (over) => this.#read(attempt, over));
        // A server that stops ends its watches in order.
        if (this.#wanted().length > 0) await this.#pause("the server ended the connection", 0);
      } catch (error) {
        if (signal.aborted) return;
        if (this.#attempt.signal.reason === AGAIN) continue;
        if (await this.#fails(error)) return;
      }
    }
  }

  #wanted(): [string, Followed][] {
    return [...this.#lives].filter(([, { isRefused }]) => !isRefused);
  }

  async #read(attempt: AbortSignal, over: AbortSignal): Promise<void> {
    const silent = new AbortController();
    const signal = AbortSignal.any([attempt, silent.signal]);
    let silence = setTimeout(() => silent.abort(), SILENT_MS);
    this.#isTurnOver = false;
    const onOver = (): void => {
      this.#isTurnOver = true;
      this.#yieldTurn();
    };
    over.addEventListener("abort", onOver, { once: true });
    try {
      const watches: Record<string, WatchAddress> = {};
      for (const [name, live] of this.#wanted()) watches[name] = live.begin();
      const body = await this.#client.watch(watches, signal);
      // A stream that goes on is silent until something changes.
      this.#hears();
      const reader = new EventStreamReader();
      const decoder = new TextDecoder();
      for await (const bytes of body) {
        clearTimeout(silence);
        silence = setTimeout(() => silent.abort(), SILENT_MS);
        this.#failures = 0;
        this.#take(reader, decoder.decode(bytes, { stream: true }));
        if (this.#isTurnOver) this.#yieldTurn();
      }
    } catch (error) {
      if (silent.signal.aborted) throw new Error("the connection is silent", { cause: error });
      throw error;
    } finally {
      clearTimeout(silence);
      over.removeEventListener("abort", onOver);
    }
  }

  /** Not among the first rows, which would have to begin anew. */
  #yieldTurn(): void {
    if (this.#wanted().every(([, { isComplete }]) => isComplete)) this.#attempt?.abort(AGAIN);
  }

  #take(reader: EventStreamReader, text: string): void {
    for (const event of reader.push(text)) {
      const told = watchEventOf(event);
      if (told !== undefined) this.#lives.get(told.watch)?.take(told.change, told.version);
    }
    this.#hears();
  }

  #hears(): void {
    this.#connection = { is: "Live", heardAt: Date.now() };
    this.#changed();
  }

  /** True: there is no use in another try. */
  async #fails(error: unknown): Promise<boolean> {
    const code = error instanceof AnswerError ? error.code : 0;
    const message = error instanceof Error ? error.message : String(error);
    if (code === 401 || code === 403 || code === 400) {
      this.#connection = code === 401 ? { is: "SignedOut", message } : { is: "Refused", message };
      this.#changed();
      return true;
    }
    this.#failures += 1;
    await this.#pause(message, error instanceof AnswerError ? error.retryAfterSeconds : 0);
    return false;
  }

  async #pause(message: string, retryAfterSeconds: number): Promise<void> {
    const now = Date.now();
    const wait = retryDelay(Math.max(this.#failures, 1), Math.random(), retryAfterSeconds);
    const since = this.#connection.is === "Lost" ? this.#connection.since : now;
    this.#connection = { is: "Lost", since, retryAt: now + wait, message };
    this.#changed();
    await this.#woken(wait);
  }

  /** Until there is a reason to go on, or some time has passed. */
  async #woken(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
