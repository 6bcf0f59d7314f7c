import type { Logger } from "../../observability/index.ts";
import {
  type ConnectionAnswer,
  type ConnectionMessage,
  type ConnectionSettings,
  type ConnectionSource,
  type ConnectionStream,
  InOrder,
  PROTOCOL_VERSION,
} from "../../ports/index.ts";
import { backoffDelay, type Clock } from "../../runtime/index.ts";

export interface ConnectionsReaderOptions {
  connections: ConnectionSource;
  /** Unique for this worker. */
  worker: string;
  clock: Pick<Clock, "after" | "monotonic">;
  /** Between 0 and 1, for jitter. */
  random: () => number;
  logger: Logger;
  /** Milliseconds without a message after which the stream is asked for again. Undefined: it is in this process. */
  silentAfterMs: number | undefined;
  /** The cluster is to be connected with these settings. */
  set: (settings: ConnectionSettings) => void;
  /** The cluster is not to be connected. The connection has ended when the call returns. */
  remove: (cluster: string) => void;
  /** The clusters that are connected. */
  connected: () => Iterable<Pick<ConnectionSettings, "cluster" | "uid">>;
}

const FOLLOW_AGAIN = { baseMs: 200, capMs: 30_000 };

/** Follows the settings of all connections, in one stream after another. A lost stream changes no connection. */
export class ConnectionsReader implements Disposable {
  readonly #options: ConnectionsReaderOptions;
  #stream: ConnectionStream | undefined;
  /** Answers that were given before the stream had a way back. */
  #unsent: ConnectionAnswer[] = [];
  /** Number of the stream. What comes of an earlier stream is not read. */
  #number = 0;
  #order = new InOrder<ConnectionMessage>();
  /** Clusters that were named since the stream began, until its end marker. */
  #named: Set<string> | undefined;
  #epoch = 0;
  /** Monotonic time of the last message. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #retry: Disposable | undefined;
  #silence: Disposable | undefined;
  #hasEnded = false;

  constructor(options: ConnectionsReaderOptions) {
    this.#options = options;
  }

  /** Term of the planner that sent the settings. */
  get epoch(): number {
    return this.#epoch;
  }

  /** False when the planner was not heard for so long that it may count this worker as lost: nothing may be written then. */
  get isLive(): boolean {
    const { silentAfterMs, clock } = this.#options;
    return silentAfterMs === undefined || clock.monotonic() - this.#heardAt < silentAfterMs;
  }

  follow(): void {
    this.#number += 1;
    this.#order = new InOrder();
    const number = this.#number;
    this.#awaitMessage();
    const { connections, worker } = this.#options;
    const stream = connections.follow(
      { version: PROTOCOL_VERSION, worker },
      {
        take: (message) => {
          if (number === this.#number) this.#take(message);
        },
        ended: (why) => {
          if (number === this.#number) this.#followAgain(why);
        },
      },
    );
    if (number !== this.#number) return;
    this.#stream = stream;
    for (const answer of this.#unsent.splice(0)) stream.send(answer);
  }

  /** Every connection has ended. */
  [Symbol.dispose](): void {
    this.#hasEnded = true;
    const stream = this.#stream;
    this.#leave();
    stream?.[Symbol.dispose]();
    this.#retry?.[Symbol.dispose]();
  }

  #take(message: ConnectionMessage): void {
    const ready = this.#order.take(message);
    if (ready === "Gap" || (message.kind === "Heartbeat" && this.#order.isStuck())) {
      this.#followAgain("messages were lost");
      return;
    }
    this.#heardAt = this.#options.clock.monotonic();
    this.#awaitMessage();
    for (const next of ready) this.#apply(next);
  }

  #apply(message: ConnectionMessage): void {
    switch (message.kind) {
      case "Start":
        this.#epoch = message.epoch;
        this.#named = new Set();
        return;
      case "Set":
        this.#named?.add(message.settings.cluster);
        this.#options.set(message.settings);
        return;
      case "Remove":
        this.#named?.delete(message.cluster);
        this.#remove(message.cluster, message.uid);
        return;
      case "End":
        this.#failures = 0;
        for (const { cluster, uid } of [...this.#options.connected()])
          if (this.#named?.has(cluster) === false) this.#remove(cluster, uid);
        this.#named = undefined;
        this.#answer({ kind: "Complete" });
        return;
      case "Heartbeat":
        return;
    }
  }

  #remove(cluster: string, uid: string | undefined): void {
    this.#options.remove(cluster);
    this.#answer({ kind: "Removed", cluster, uid });
  }

  #answer(answer: ConnectionAnswer): void {
    if (this.#stream === undefined) this.#unsent.push(answer);
    else this.#stream.send(answer);
  }

  #awaitMessage(): void {
    const { silentAfterMs, clock } = this.#options;
    this.#silence?.[Symbol.dispose]();
    if (silentAfterMs === undefined) return;
    this.#silence = clock.after(silentAfterMs, () => this.#followAgain("the planner is silent"));
  }

  #followAgain(why: string): void {
    this.#leave();
    if (this.#hasEnded || this.#retry !== undefined) return;
    const { clock, random, logger } = this.#options;
    logger.info({ why, event_reason: "ConnectionsLost" }, "the settings of the connections are asked for again");
    this.#failures += 1;
    this.#retry = clock.after(backoffDelay(this.#failures, { ...FOLLOW_AGAIN, random }), () => {
      this.#retry = undefined;
      this.follow();
    });
  }

  #leave(): void {
    this.#number += 1;
    this.#silence?.[Symbol.dispose]();
    this.#stream = undefined;
  }
}
