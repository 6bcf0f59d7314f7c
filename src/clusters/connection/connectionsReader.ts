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
import type { Clock } from "../../runtime/index.ts";
import { Reopening } from "../reopening.ts";

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
  readonly #reopening: Reopening;
  #silence: Disposable | undefined;
  #hasEnded = false;

  constructor(options: ConnectionsReaderOptions) {
    this.#options = options;
    const { clock, random } = options;
    this.#reopening = new Reopening({ clock, random, open: () => this.follow() });
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
    this.#reopening[Symbol.dispose]();
  }

  #take(message: ConnectionMessage): void {
    const ready = this.#order.take(message, message.kind === "Heartbeat");
    if (ready === "Gap") {
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
        this.#reopening.succeeded();
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
    if (this.#hasEnded || this.#reopening.isPending) return;
    const { logger } = this.#options;
    logger.info({ why, event_reason: "ConnectionsLost" }, "the settings of the connections are asked for again");
    this.#reopening.afterFailure();
  }

  #leave(): void {
    this.#number += 1;
    this.#silence?.[Symbol.dispose]();
    this.#stream = undefined;
  }
}
