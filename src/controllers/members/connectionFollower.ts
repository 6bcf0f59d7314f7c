import { sameValue } from "../../apis/index.ts";
import type { ConnectionAnswer, ConnectionChange, ConnectionSettings, ConnectionTaker } from "../../ports/index.ts";
import { type Clock, every } from "../../runtime/index.ts";

export interface ConnectionFollowerOptions {
  taker: ConnectionTaker;
  epoch: number;
  clock: Pick<Clock, "after">;
  /** Milliseconds between two signs of life. Undefined: the worker is in this process. */
  heartbeatMs: number | undefined;
  /** Connections that the worker may still have from an earlier stream: UID by the name of the cluster. */
  held: ReadonlyMap<string, string | undefined>;
  /** The worker may hold fewer clusters than before. */
  released: () => void;
}

/** One stream of settings, and what its worker holds. */
export class ConnectionFollower {
  readonly #options: ConnectionFollowerOptions;
  /** What the worker was sent last, by the name of the cluster. */
  readonly #sent = new Map<string, ConnectionSettings>();
  /** UID by the name of the cluster, for connections whose end was not answered yet. */
  readonly #leaving: Map<string, string | undefined>;
  /** The worker has no other connections than those that it was sent. A worker in this process never had any. */
  #isSettled: boolean;
  #isComplete = false;
  #seq = 0;
  #heartbeat: Disposable | undefined;

  constructor(options: ConnectionFollowerOptions) {
    this.#options = options;
    this.#leaving = new Map(options.held);
    this.#isSettled = options.heartbeatMs === undefined;
  }

  /** Sends what is known of the set. {@link complete} follows, now or later. */
  begin(settings: Iterable<ConnectionSettings>): void {
    this.#send({ kind: "Start", epoch: this.#options.epoch });
    for (const one of settings) this.set(one);
    this.#beat();
  }

  /** Every MemberCluster of the hub is in the set, or was removed. */
  complete(): void {
    this.#isComplete = true;
    this.#send({ kind: "End" });
  }

  /** Sends the settings if they differ from those that were sent last. */
  set(settings: ConnectionSettings): void {
    const { cluster } = settings;
    if (sameValue(this.#sent.get(cluster), settings)) return;
    this.#sent.set(cluster, settings);
    this.#leaving.delete(cluster);
    this.#send({ kind: "Set", settings });
  }

  remove(cluster: string): void {
    const settings = this.#sent.get(cluster);
    if (settings === undefined) return;
    const { uid } = settings;
    this.#sent.delete(cluster);
    this.#leaving.set(cluster, uid);
    this.#send({ kind: "Remove", cluster, uid });
  }

  /** True while the worker may still write to a cluster that was removed. */
  holds(cluster: string): boolean {
    return !this.#isSettled || this.#leaving.has(cluster);
  }

  /** UIDs of all clusters that the worker may be connected to, by name. */
  held(): Map<string, string | undefined> {
    const held = new Map(this.#leaving);
    for (const [cluster, { uid }] of this.#sent) held.set(cluster, uid);
    return held;
  }

  take(answer: ConnectionAnswer): void {
    if (answer.kind === "Complete") this.#isSettled = true;
    else if (this.#leaving.has(answer.cluster) && this.#leaving.get(answer.cluster) === answer.uid)
      this.#leaving.delete(answer.cluster);
    this.#options.released();
  }

  /** Another stream of the worker takes the place of this one. */
  leave(): void {
    this.#heartbeat?.[Symbol.dispose]();
  }

  /** The worker has no connection any more. */
  end(): void {
    this.leave();
    this.#leaving.clear();
    this.#sent.clear();
    this.#isSettled = true;
    this.#options.released();
  }

  /** An order without an answer is repeated with each sign of life: the answer may be lost. */
  #beat(): void {
    const { clock, heartbeatMs } = this.#options;
    if (heartbeatMs === undefined) return;
    this.#heartbeat = every(clock, heartbeatMs, () => {
      for (const [cluster, uid] of this.#leaving) this.#send({ kind: "Remove", cluster, uid });
      if (this.#isComplete && !this.#isSettled) this.#send({ kind: "End" });
      this.#send({ kind: "Heartbeat" });
    });
  }

  #send(change: ConnectionChange): void {
    const seq = this.#seq;
    this.#seq += 1;
    this.#options.taker.take({ ...change, seq });
  }
}
