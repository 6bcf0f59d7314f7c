import type { Dispatcher } from "undici";
import { TransportError } from "../core/index.ts";

export interface ResponseHead {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface Answer extends ResponseHead {
  body: string;
  /** Gives the bytes back to the budget. Safe to call again. */
  release: () => void;
}

/** For the unread bytes of one server. */
export class ByteBudget {
  readonly #most: number;
  #kept = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** False beyond the limit; the bytes count even then, until they are given back. */
  take(bytes: number): boolean {
    this.#kept += bytes;
    return this.#kept <= this.#most;
  }

  giveBack(bytes: number): void {
    this.#kept -= bytes;
  }
}

type Controller = Dispatcher.DispatchController;

/** Unread bytes at which a stream pauses, so that the server waits. */
const HIGH_WATER_MARK = 1 << 20;

/** An object in etcd has up to 9 MiB as JSON. A longer page of a list is requested again with fewer objects. */
const LONGEST_ANSWER = 16 << 20;
/** Most bytes of an error answer. */
const LONGEST_REFUSAL = 256 << 10;
/** Read even if other answers have used up the budget. */
const SMALL_ANSWER = 1 << 20;

export interface Sending {
  signal?: AbortSignal | undefined;
  budget: ByteBudget;
  /** From the head of the answer to its end, for an answer that is read as a whole. */
  longestMs?: number;
  /** Called before the first byte is sent. If it throws, nothing is sent. */
  beforeSend?: (() => void) | undefined;
}

/** Both ways to read an answer: handles the caller's signal, and settles once. */
abstract class Exchange implements Dispatcher.DispatchHandler {
  protected controller: Controller | undefined;
  #over: Error | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #beforeSend: (() => void) | undefined;
  readonly #onAbort = (): void => this.abort(this.#signal?.reason as Error);

  constructor({ signal, beforeSend }: Sending) {
    this.#signal = signal;
    this.#beforeSend = beforeSend;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** A request that still waits for its connection is not sent. */
  abort(reason: Error): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.failed(reason);
    this.release();
    this.controller?.abort(asError(reason));
  }

  protected release(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  protected get isOver(): boolean {
    return this.#over !== undefined;
  }

  protected abstract failed(error: Error): void;
  protected abstract started(head: ResponseHead): void;
  abstract onResponseData(controller: Controller, chunk: Buffer): void;
  protected abstract ended(): void;

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    if (this.#over !== undefined) {
      controller.abort(asError(this.#over));
      return;
    }
    try {
      this.#beforeSend?.();
    } catch (error) {
      this.abort(error as Error);
    }
  }

  onResponseStart(_controller: Controller, status: number, headers: ResponseHead["headers"]): void {
    if (status >= 200) this.started({ status, headers });
  }

  onResponseEnd(): void {
    if (this.#over !== undefined) return;
    this.#over = finished;
    this.release();
    this.ended();
  }

  /** Successful, without the rest of the answer. */
  protected endEarly(): void {
    this.onResponseEnd();
    this.controller?.abort(finished);
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.release();
    this.failed(error);
  }
}

const finished = new Error("the exchange is over");

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new TransportError("Aborted", "the request was given up", reason);
}

class WholeAnswer extends Exchange {
  #chunks: Buffer[] = [];
  readonly #budget: ByteBudget;
  readonly #longestMs: number;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  #head: ResponseHead = { status: 0, headers: {} };
  #size = 0;
  #since = 0;

  constructor(sending: Sending, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    super(sending);
    this.#budget = sending.budget;
    this.#longestMs = sending.longestMs ?? Number.POSITIVE_INFINITY;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  protected override started(head: ResponseHead): void {
    this.#head = head;
    this.#since = performance.now();
  }

  override onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.isOver) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const isKept = this.#budget.take(chunk.length);
    if (!isKept && this.#size > SMALL_ANSWER)
      this.abort(new TransportError("TooLarge", "the server sends more at once than is kept of its answers"));
    else if (this.#head.status >= 400) {
      if (this.#size > LONGEST_REFUSAL) this.endEarly();
    } else if (this.#size > LONGEST_ANSWER)
      this.abort(new TransportError("TooLarge", `the server sent an answer of more than ${LONGEST_ANSWER >> 20} MiB`));
    if (performance.now() - this.#since > this.#longestMs)
      this.abort(new TransportError("TooSlow", `the answer was not complete after ${this.#longestMs / 1000} s`));
  }

  protected override ended(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#resolve({ ...this.#head, body: bytes.toString("utf8"), release: () => this.#giveBack() });
  }

  #giveBack(): void {
    this.#budget.giveBack(this.#size);
    this.#size = 0;
  }

  protected override failed(error: Error): void {
    this.#chunks = [];
    this.#giveBack();
    this.#reject(error);
  }
}

/** Reads the whole answer. Rejects with undici's error or the signal's reason. */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  sending: Sending,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (sending.signal?.aborted === true) reject(sending.signal.reason as Error);
    else dispatcher.dispatch(options, new WholeAnswer(sending, resolve, reject));
  });
}

/** Body of an answer, as it arrives, for one reader. */
export interface BodyReader {
  /** Undefined at the end. Rejects when the connection breaks. */
  read(): Promise<Buffer | undefined>;
  /** Safe to call at any time, and again. */
  close(): void;
}

class StreamedAnswer extends Exchange implements BodyReader {
  readonly #resolve: (answer: ResponseHead & { body: BodyReader }) => void;
  readonly #reject: (error: Error) => void;
  #chunks: Buffer[] = [];
  #size = 0;
  #paused = false;
  #end = false;
  #error: Error | undefined;
  #waiting: { resolve: (chunk: Buffer | undefined) => void; reject: (error: Error) => void } | undefined;

  constructor(
    sending: Sending,
    resolve: (answer: ResponseHead & { body: BodyReader }) => void,
    reject: (error: Error) => void,
  ) {
    super(sending);
    this.#resolve = resolve;
    this.#reject = reject;
  }

  protected override started(head: ResponseHead): void {
    this.#resolve({ ...head, body: this });
  }

  override onResponseData(_controller: Controller, chunk: Buffer): void {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > HIGH_WATER_MARK && !this.#paused) {
      this.#paused = true;
      this.controller?.pause();
    }
  }

  protected override ended(): void {
    this.#end = true;
    this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  }

  protected override failed(error: Error): void {
    this.#error = error;
    this.#reject(error);
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  read(): Promise<Buffer | undefined> {
    const chunks = this.#chunks;
    if (chunks.length > 0) {
      this.#chunks = [];
      this.#size = 0;
      if (this.#paused) {
        this.#paused = false;
        this.controller?.resume();
      }
      const [first] = chunks;
      return Promise.resolve(chunks.length === 1 ? first : Buffer.concat(chunks));
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#end) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  close(): void {
    this.abort(closedByReader);
  }
}

const closedByReader = new TransportError("Aborted", "the stream was closed by its reader");

/** Resolves as soon as the head of the answer has arrived. */
export function openStream(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  sending: Sending,
): Promise<ResponseHead & { body: BodyReader }> {
  return new Promise((resolve, reject) => {
    if (sending.signal?.aborted === true) reject(sending.signal.reason as Error);
    else dispatcher.dispatch(options, new StreamedAnswer(sending, resolve, reject));
  });
}
