import {
  FEDERATION_API_VERSION,
  type KubeObject,
  type MemberCluster,
  type MemberClusterStatus,
} from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  backoffDelay,
  type Client,
  type Clock,
  compareResourceVersions,
  isNotFound,
  MEMBERCLUSTERS,
  NotLeaderError,
} from "../../runtime/index.ts";
import { computeMemberStatus, type MemberStatusInput } from "./memberStatus.ts";

const RETRY = { baseMs: 1_000, capMs: 30_000, jitter: 0 };

export interface StatusWriterOptions {
  cluster: string;
  hub: Client;
  clock: Clock;
  logger: Logger;
  /** Undefined when another manager writes the status. */
  input: () => Omit<MemberStatusInput, "previous"> | undefined;
  onWritten: (object: KubeObject) => void;
  /** Called when a write was refused or got no answer. */
  onFailed: () => void;
}

/** Writes the status of one MemberCluster when it has changed, one write at a time, with retries. */
export class MemberStatusWriter implements Disposable {
  readonly #options: StatusWriterOptions;
  readonly #stop = new AbortController();
  #status: MemberClusterStatus | undefined;
  #resourceVersion = "0";
  #asked = false;
  #failures = 0;
  #writing: Promise<void> = Promise.resolve();
  #pumping = false;
  #retry: Disposable | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Newest known, from an informer or our own last write. */
  get status(): MemberClusterStatus | undefined {
    return this.#status;
  }

  /** Ignores an object that is older than our last write. */
  take(object: MemberCluster): void {
    const { resourceVersion = "0" } = object.metadata;
    if (compareResourceVersions(resourceVersion, this.#resourceVersion) < 0) return;
    this.#resourceVersion = resourceVersion;
    this.#status = object.status;
  }

  /** Called when an input of the status has changed. */
  request(): void {
    this.#asked = true;
    if (this.#pumping || this.#retry !== undefined || this.#stop.signal.aborted) return;
    this.#pumping = true;
    void this.#pump();
  }

  /** Writes now if the status has changed. Rejects when the write fails. */
  writeNow(): Promise<void> {
    const turn = this.#writing.then(() => this.#apply());
    this.#writing = turn.catch((error: unknown) => {
      if (!this.#stop.signal.aborted && !isNotFound(error) && !(error instanceof NotLeaderError))
        this.#options.onFailed();
    });
    return turn;
  }

  get disposed(): boolean {
    return this.#stop.signal.aborted;
  }

  [Symbol.dispose](): void {
    this.#retry?.[Symbol.dispose]();
    this.#stop.abort(new Error("this MemberCluster is not followed any more"));
  }

  /** Resolves when no request is under way. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #pump(): Promise<void> {
    try {
      while (this.#asked && !this.#stop.signal.aborted) {
        this.#asked = false;
        await this.writeNow();
        this.#failures = 0;
      }
    } catch (err) {
      this.#failed(err);
    } finally {
      // In the same turn as the last check of `asked`, so that no request is lost between the two.
      this.#pumping = false;
    }
  }

  #failed(err: unknown): void {
    // The MemberCluster was deleted, or is no longer followed.
    if (this.#stop.signal.aborted || isNotFound(err)) return;
    const { cluster, clock, logger } = this.#options;
    // NotLeaderError: nothing was sent, and the Lease may still be renewed.
    if (!(err instanceof NotLeaderError))
      logger.warn(
        { err, cluster, event_reason: "StatusNotWritten" },
        "status of the MemberCluster not written; trying again",
      );
    this.#failures += 1;
    this.#retry = clock.after(backoffDelay(this.#failures, RETRY), () => {
      this.#retry = undefined;
      this.request();
    });
  }

  async #apply(): Promise<void> {
    const { cluster, hub, clock, input, onWritten } = this.#options;
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const found = input();
    if (found === undefined) return;
    const status = computeMemberStatus({ ...found, previous: this.#status }, clock.now());
    if (status === undefined || status === this.#status) return;
    const answer = await hub.applyStatus(
      MEMBERCLUSTERS,
      { apiVersion: FEDERATION_API_VERSION, kind: "MemberCluster", metadata: { name: cluster }, status },
      { force: true, signal },
    );
    this.take(answer as unknown as MemberCluster);
    onWritten(answer);
  }
}
