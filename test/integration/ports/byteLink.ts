import type { Ports } from "../../../src/controllers/index.ts";
import {
  decodeAnswer,
  decodeReport,
  decodeRequest,
  decodeSession,
  decodeWork,
  encode,
  type Report,
  type ReportAnswer,
  type WorkMessage,
} from "../../../src/ports/index.ts";
import { connectionBytes, valueOf } from "../../../src/ports/testing/connectionBytes.ts";
import type { Clock } from "../../../src/runtime/index.ts";

/** What the network does to a message. Fractions of 1. */
export interface Faults {
  /** Between 0 and 1. */
  random: () => number;
  clock: Pick<Clock, "after">;
  /** Longest delay of a message, milliseconds. Two messages of one stream may overtake each other. */
  delayMs: number;
  doubled: number;
  lost: number;
}

/** Ports whose messages cross a line as bytes. Without faults a message arrives at once. */
export function byteLink({ source, sink, reports, connections }: Ports, faults?: Faults): Ports {
  return {
    source: {
      async *assignment(cluster, request, signal) {
        const asked = valueOf(decodeRequest(encode(request)));
        const messages = bytes(source.assignment(cluster, asked, signal));
        for await (const text of faults === undefined ? messages : disturbed(messages, faults, signal))
          yield valueOf(decodeWork(text));
      },
    },
    sink: {
      open(cluster, session, answer) {
        const back = (text: string): void => answer(valueOf<ReportAnswer>(decodeAnswer(text)));
        const opened = valueOf(decodeSession(encode(session)));
        const channel = sink.open(cluster, opened, (given) => carry(encode(given), back, faults));
        const take = (text: string): void => channel.send(valueOf<Report>(decodeReport(text)));
        return {
          send: (report) => carry(encode(report), take, faults),
          [Symbol.dispose]: () => channel[Symbol.dispose](),
        };
      },
    },
    ...connectionBytes({ connections, reports }, (text, take) => carry(text, take, faults)),
  };
}

async function* bytes(messages: AsyncIterable<WorkMessage>): AsyncIterable<string> {
  for await (const message of messages) yield encode(message);
}

/** Delivers the text once, twice or never, now or later. */
function carry(text: string, take: (text: string) => void, faults: Faults | undefined): void {
  if (faults === undefined) {
    take(text);
    return;
  }
  const { random, clock, delayMs, doubled, lost } = faults;
  if (random() < lost) return;
  for (let times = random() < doubled ? 2 : 1; times > 0; times -= 1) clock.after(random() * delayMs, () => take(text));
}

async function* disturbed(texts: AsyncIterable<string>, faults: Faults, signal: AbortSignal): AsyncIterable<string> {
  const arrived: string[] = [];
  let wake = Promise.withResolvers<void>();
  let failure: { error: unknown } | undefined;
  const reading = (async () => {
    try {
      for await (const text of texts) carry(text, (given) => wake.resolve(void arrived.push(given)), faults);
    } catch (error) {
      failure = { error };
    }
    wake.resolve();
  })();
  const stop = (): void => wake.resolve();
  signal.addEventListener("abort", stop, { once: true });
  let ended = false;
  void reading.then(() => {
    ended = true;
    wake.resolve();
  });
  while (!signal.aborted) {
    const next = arrived.shift();
    if (next !== undefined) yield next;
    else if (failure !== undefined) throw failure.error;
    else if (ended) return;
    else {
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  }
}
