import type { Logger } from "../../observability/index.ts";
import { type Clock, ifFound, isConflict, isNotFound, linked, NotLeaderError, withSignal } from "../core/index.ts";
import { type LeaseClaim, LeaseRecord, leaseBody, releasedBody, renewTimeAfter } from "./lease.ts";
import { Reflector } from "../informer/index.ts";
import { LEASES, ServerHistory } from "../client/index.ts";
import type { Client } from "../types.ts";

export interface LeaderElectorOptions {
  /** Without a write guard that asks this elector. */
  client: Client;
  namespace: string;
  name: string;
  /** Must be unique to this process: a Lease with this identity counts as its own. */
  identity: string;
  /** Others take the Lease when they have seen no renewal for this long. Default 15 s. */
  leaseDurationMs?: number;
  /** The leader stops when its last successful renewal was sent this long ago. Default 10 s. */
  renewDeadlineMs?: number;
  /** Time between renewals, and between a candidate's reads of the Lease. Default 2 s. */
  retryPeriodMs?: number;
  clock: Clock;
  logger: Logger;
  onChange?: (leading: boolean) => void;
  /** Of the Lease, read at every write of the leader. */
  annotations?: () => Readonly<Record<string, string>> | undefined;
  random?: () => number;
}

export interface Leadership {
  /** Work of the leader. It should return soon after its signal is aborted. */
  lead: (signal: AbortSignal) => Promise<void>;
}

const RELEASE_TIMEOUT_MS = 2_000;

/**
 * Holds a Lease so that at most one of several processes leads.
 *
 * Only elapsed local time counts, so clocks may disagree. The leader counts from when it *sent* its last renewal, the
 * others from when they *saw* it, and they wait longer: a leader that was paused or cut off stops first. The difference
 * also covers a write that passed the guard and was then delayed on the network.
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  readonly #random: () => number;
  readonly #record: LeaseRecord;
  /** Time when the last successful renewal was sent, on both clocks; undefined while the Lease is not held. */
  #renewed: { monotonic: number; wall: number } | undefined;
  #renewTime: number | undefined;
  #epoch = 0;
  #wake: (() => void) | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
    this.#random = options.random ?? Math.random;
    if (this.#renewDeadlineMs >= this.#leaseDurationMs)
      throw new RangeError("renewDeadlineMs must be less than leaseDurationMs");
    if (this.#retryPeriodMs >= this.#renewDeadlineMs)
      throw new RangeError("retryPeriodMs must be less than renewDeadlineMs");
    this.#record = new LeaseRecord(options.clock, this.#leaseDurationMs);
  }

  /** True if this process leads. The wall clock counts too: the monotonic one stands still while a machine sleeps. */
  isHeld(): boolean {
    return this.#renewed !== undefined && this.#leftMs(this.#renewed) > 0;
  }

  /** Throws {@link NotLeaderError} unless the Lease is held: the guard of every write. */
  assertHeld(): void {
    if (!this.isHeld())
      throw new NotLeaderError(
        `Lease ${this.#options.namespace}/${this.#options.name} is not held by ${this.#options.identity}`,
      );
  }

  /**
   * Number of the present term: greater than that of every earlier leader. By the wall clock, since a Lease may be
   * deleted, and by the start of the previous term, since clocks differ.
   */
  get epoch(): number {
    return this.#epoch;
  }

  /** Last known holder of the Lease. */
  get holder(): string | undefined {
    return this.#record.holder;
  }

  /**
   * Takes part in the election until the signal is aborted or `lead` ends by itself, and then releases the Lease.
   * After a lost Lease, `lead` is called again when it is won again.
   */
  async run({ lead }: Leadership, signal: AbortSignal): Promise<void> {
    while (await this.#acquire(signal)) {
      if (await this.#hold(lead, signal)) return;
    }
  }

  /** Waits for the Lease. False when the signal was aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const watching = new AbortController();
    using _link = linked(signal, watching);
    const watch = this.#watchLease(watching.signal);
    try {
      while (!signal.aborted) {
        const changed = this.#nextChange(signal);
        if (await this.#tryAcquire(signal)) return true;
        const retry = this.#retryPeriodMs * (0.8 + 0.4 * this.#random());
        const free = this.#record.freeInMs(this.#options.identity);
        const wait = free > 0 ? Math.min(retry, Math.ceil(free)) : retry;
        using _timer = this.#options.clock.after(wait, () => this.#wake?.());
        await changed;
      }
      return false;
    } finally {
      watching.abort(new Error("the election is over"));
      await watch;
    }
  }

  /** Resolves when the Lease becomes free, when the next read is due, or when the signal is aborted. */
  #nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => {
      signal.removeEventListener("abort", wake);
      resolve();
    };
    signal.addEventListener("abort", wake, { once: true });
    this.#wake = wake;
    return promise;
  }

  /** Wakes a candidate at once when the leader releases the Lease. */
  async #watchLease(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, clock, logger } = this.#options;
    const reflector = new Reflector({
      client,
      type: LEASES,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      clock,
      logger,
      random: this.#random,
    });
    for await (const event of reflector.watch(signal)) {
      if (event.type !== "Changed" && event.type !== "Deleted") continue;
      if (event.object.metadata.name !== name) continue;
      if (event.type === "Changed") this.#record.observe(event.object);
      // Wakes only for a released or deleted Lease. Waking for our own writes could cause retries without a pause.
      if (event.type === "Deleted" || this.#record.holder === "") this.#wake?.();
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name, identity, logger } = this.#options;
    try {
      return await this.#within(this.#retryPeriodMs * 2, signal, async (attempt) => {
        const before = this.#record.holder;
        const lease = await ifFound(client.get(LEASES, namespace, name, { signal: attempt }));
        if (lease !== undefined) this.#record.observe(lease);
        if (this.#record.holder !== before && this.#record.holder !== undefined)
          logger.info({ lease: name, holder: this.#record.holder }, "leader is");
        if (this.#record.freeInMs(identity) > 0) return false;
        const exists = lease !== undefined;
        await this.#write(exists, this.#record.acquiredBy(identity, exists), attempt);
        return true;
      });
    } catch (error) {
      if (signal.aborted) return false;
      // Another process was faster, or the server went back: the known version of the Lease is void.
      if (isConflict(error)) this.#record.distrust();
      else logger.debug({ lease: name, err: error }, "could not read the Lease");
      return false;
    }
  }

  /** Leads until the Lease is lost (false) or the work is over (true). */
  async #hold(lead: Leadership["lead"], signal: AbortSignal): Promise<boolean> {
    const { logger, name, identity, onChange } = this.#options;
    const leading = new AbortController();
    const renewing = new AbortController();
    using _link = linked(signal, leading);
    this.#epoch = Math.max(Math.floor(this.#options.clock.now()), this.#record.acquiredAt + 1, this.#epoch + 1);
    logger.info({ lease: name, identity, transitions: this.#record.transitions }, "became the leader");
    onChange?.(true);
    let lost = false;
    const renewal = this.#renewUntilLost(renewing.signal).then((wasLost) => {
      if (!wasLost) return;
      lost = true;
      logger.error({ lease: name, identity, holder: this.#record.holder, event_reason: "LeaseLost" }, "lost the Lease");
      leading.abort(new NotLeaderError(`lost the Lease ${name}`));
    });
    try {
      await lead(leading.signal);
      return !lost || signal.aborted;
    } catch (error) {
      if (!leading.signal.aborted) throw error;
      if (error !== leading.signal.reason)
        logger.warn({ lease: name, err: error }, "the leader's work ended with an error");
      return !lost || signal.aborted;
    } finally {
      renewing.abort(new Error("the work is over"));
      await renewal;
      const held = this.isHeld();
      this.#renewed = undefined;
      onChange?.(false);
      if (held) await this.#release();
    }
  }

  /** Renews until aborted (false), or until the Lease was taken or the deadline passed (true). */
  async #renewUntilLost(signal: AbortSignal): Promise<boolean> {
    const { clock, logger, name } = this.#options;
    while (!signal.aborted) {
      const left = this.#leftMonotonicMs();
      if (left <= 0) return true;
      try {
        await clock.sleep(Math.min(this.#retryPeriodMs, Math.ceil(left)), signal);
        const stillLeft = this.#leftMonotonicMs();
        if (stillLeft <= 0) return true;
        await this.#within(Math.min(stillLeft, this.#renewDeadlineMs / 2), signal, (attempt) => this.#renew(attempt));
      } catch (error) {
        if (signal.aborted) return false;
        if (error instanceof NotLeaderError) {
          this.#renewed = undefined;
          return true;
        }
        logger.warn(
          { lease: name, err: error, heldForMs: Math.round(this.#leftMonotonicMs()) },
          "could not renew the Lease",
        );
      }
    }
    return false;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, identity } = this.#options;
    try {
      await this.#write(true, this.#record.renewedBy(identity), signal);
    } catch (error) {
      if (isNotFound(error)) throw new NotLeaderError(`the Lease ${name} was deleted`, { cause: error });
      if (!isConflict(error)) throw error;
      // The Lease was written by another candidate, or by an earlier renewal of our own whose answer was lost.
      this.#record.distrust();
      this.#record.observe(await client.get(LEASES, namespace, name, { signal }));
      if (this.#record.holder !== identity)
        throw new NotLeaderError(`${this.#record.holder || "somebody"} took the Lease ${name}`, { cause: error });
      await this.#write(true, this.#record.renewedBy(identity), signal);
    }
  }

  /** The time of the renewal is the time before the request. */
  async #write(exists: boolean, claim: LeaseClaim, signal: AbortSignal): Promise<void> {
    const { client, namespace, name, clock, annotations } = this.#options;
    const sent = { monotonic: clock.monotonic(), wall: clock.now() };
    this.#renewTime = renewTimeAfter(sent.wall, this.#renewTime);
    const body = leaseBody(namespace, name, claim, this.#leaseDurationMs, this.#renewTime, annotations?.());
    // The version of this write is the version of the server.
    const tellVersion = ServerHistory.of(client).expect();
    const answer = exists
      ? await client.patch(LEASES, namespace, name, "application/merge-patch+json", body, { signal })
      : await client.create(LEASES, body, { signal });
    this.#record.observe(answer);
    tellVersion(answer.metadata.resourceVersion);
    // An aborted renewal must not revive a leadership that was given up.
    signal.throwIfAborted();
    this.#renewed = sent;
  }

  async #release(): Promise<void> {
    const { logger, name } = this.#options;
    try {
      await this.#within(RELEASE_TIMEOUT_MS, undefined, (signal) => this.#giveBack(signal));
      logger.info({ lease: name }, "gave the Lease back");
    } catch (error) {
      logger.warn({ lease: name, err: error }, "could not give the Lease back; it ends by itself");
    }
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, identity, clock } = this.#options;
    for (;;) {
      try {
        const body = releasedBody(this.#record.resourceVersion, clock.now());
        this.#record.observe(
          await client.patch(LEASES, namespace, name, "application/merge-patch+json", body, { signal }),
        );
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
      // The last renewal was aborted, but reached the server all the same.
      this.#record.distrust();
      this.#record.observe(await client.get(LEASES, namespace, name, { signal }));
      if (this.#record.holder !== identity) return;
    }
  }

  /** Runs `call` with a signal that is aborted after `ms` or with `outer`. The wait ends with the abort. */
  async #within<R>(ms: number, outer: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const attempt = new AbortController();
    using _link = outer === undefined ? undefined : linked(outer, attempt);
    using _timer = this.#options.clock.after(ms, () =>
      attempt.abort(new Error(`no answer within ${Math.round(ms)} ms`)),
    );
    attempt.signal.throwIfAborted();
    return await withSignal(call(attempt.signal), attempt.signal);
  }

  #leftMonotonicMs(): number {
    return this.#renewed === undefined
      ? 0
      : this.#renewed.monotonic + this.#renewDeadlineMs - this.#options.clock.monotonic();
  }

  #leftMs(renewed: { monotonic: number; wall: number }): number {
    return Math.min(this.#leftMonotonicMs(), renewed.wall + this.#renewDeadlineMs - this.#options.clock.now());
  }
}
