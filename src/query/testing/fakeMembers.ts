import type { LogOptions, MemberSource, MemberTarget, OpenLog } from "../members/index.ts";

/** What members say, by the test. */
export class FakeMembers implements MemberSource {
  /** Every request, as `part cluster/name`. */
  readonly asked: string[] = [];
  readonly options: LogOptions[] = [];
  /** Logs that were begun and not ended. */
  open = 0;
  /** Thrown by every request. */
  failure: Error | undefined;
  /** The pieces of every log. */
  pieces: (signal: AbortSignal) => AsyncIterable<string> = async function* () {
    yield "line 1\n";
    yield "line 2\n";
  };

  async pods(target: MemberTarget): ReturnType<MemberSource["pods"]> {
    this.#ask("pods", target);
    const pod = { name: "shop-1", phase: "Running", deleting: false, ready: true, restarts: 0, containers: [] };
    return { items: [pod], isWhole: true };
  }

  async events(target: MemberTarget): ReturnType<MemberSource["events"]> {
    this.#ask("events", target);
    return { items: [], isWhole: false };
  }

  async log(target: MemberTarget, options: LogOptions, signal: AbortSignal): Promise<OpenLog> {
    this.#ask("log", target);
    this.options.push(options);
    return { pod: "shop-1", container: "web", bytes: this.#bytes(signal) };
  }

  #ask(part: string, { cluster, object }: MemberTarget): void {
    this.asked.push(`${part} ${cluster}/${object.name}`);
    if (this.failure !== undefined) throw this.failure;
  }

  async *#bytes(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    this.open += 1;
    try {
      for await (const piece of this.pieces(signal)) yield Buffer.from(piece);
    } finally {
      this.open -= 1;
    }
  }
}

/** Never ends by itself. */
export async function* silent(signal: AbortSignal): AsyncGenerator<string> {
  yield "begun\n";
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  await promise;
}
