import { TransportError } from "../../../src/runtime/index.ts";
import type { Incoming, Outgoing } from "../../../src/sandbox/index.ts";

/** What stands in the place of a network between clients and a sandbox cluster in the same process. */
export interface Wire {
  answer(request: Incoming): Promise<Reply>;
}

/** An answer whose stream can also break off. */
export type Reply =
  | Exclude<Outgoing, { kind: "Stream" }>
  | { kind: "Stream"; headers: Record<string, string | string[]>; begin: (line: Line) => Promise<Disposable> };

/** The text of a stream, line by line, from the server to its one reader. */
export class Line implements AsyncIterable<string> {
  #texts: string[] = [];
  #over: { error: Error | undefined } | undefined;
  #wake = Promise.withResolvers<void>();

  send(text: Buffer): void {
    if (this.#over !== undefined) return;
    this.#texts.push(text.toString());
    this.#wake.resolve();
  }

  /** The server ends it; what came before is still read. */
  end(): void {
    this.#over ??= { error: undefined };
    this.#wake.resolve();
  }

  /** It breaks: nothing more is read. */
  cut(error: Error = new TransportError("ConnectionReset", "connection reset")): void {
    this.#texts = [];
    this.#over = { error };
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const text = this.#texts.shift();
      if (text !== undefined) yield text;
      else if (this.#over?.error !== undefined) throw this.#over.error;
      else if (this.#over !== undefined) return;
      else {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
      }
    }
  }
}
