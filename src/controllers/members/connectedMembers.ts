import type { MemberCluster } from "../../apis/index.ts";
import {
  type ClusterAnswer,
  type ClusterReport,
  type ClusterReportChannel,
  type ConnectionRequest,
  type ConnectionSettings,
  type ConnectionSource,
  type ConnectionStream,
  type ConnectionTaker,
  type Liveness,
  otherVersion,
  PROTOCOL_VERSION,
  type ReportSession,
} from "../../ports/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { ClusterSessions } from "./clusterSessions.ts";
import { ConnectionFollower } from "./connectionFollower.ts";
import { MemberReport, type MemberReportOptions } from "./memberReport.ts";

export interface ConnectedMembersOptions extends MemberReportOptions {
  /** Term of this planner. */
  epoch: number;
  /** Signs of life between the two sides. Undefined: both are in this process. */
  liveness?: Liveness | undefined;
}

/**
 * The hub's side of the connections: says which MemberClusters are to be connected, and takes the reports about them.
 * The reports are written until this is disposed.
 */
export class ConnectedMembers implements ConnectionSource, ClusterReport, AsyncDisposable {
  /** The last worker has ended its connection to a removed cluster. */
  readonly released = new Emitter<string>();
  readonly #options: ConnectedMembersOptions;
  readonly #reports = new Map<string, MemberReport>();
  readonly #sessions: ClusterSessions;
  /** By the name of the worker. */
  readonly #followers = new Map<string, ConnectionFollower>();
  readonly #ending = new Set<Promise<void>>();
  /** MemberClusters of the hub that were neither set nor removed in this term; undefined before {@link begin}. */
  #undecided: Set<string> | undefined;
  /** Removed clusters that were not released yet. */
  readonly #leaving = new Set<string>();
  /** When every worker of an earlier term has come back or has stopped to write; undefined from then on. */
  #settling: Disposable | undefined;
  #closed = false;

  constructor(options: ConnectedMembersOptions) {
    const { epoch, clock, liveness } = options;
    this.#options = options;
    this.#sessions = new ClusterSessions({ epoch, clock, silentAfterMs: liveness?.silentAfterMs });
    if (liveness !== undefined) this.#settling = clock.after(liveness.silentAfterMs, () => this.#settle());
  }

  /** The hub is known, with MemberClusters of these names: the set is complete when each was set or removed. */
  begin(names: Iterable<string>): void {
    this.#undecided = new Set(names);
    if (this.#isComplete) this.#complete();
  }

  /** Idempotent. `owned`: this manager writes the MemberCluster's status and renews its token. */
  upsert(object: MemberCluster, owned: boolean): void {
    if (this.#closed) return;
    const report = this.#reportOf(object, owned);
    report.take(object, owned);
    for (const follower of this.#followers.values()) follower.set(report.settings);
    report.changed();
    this.#decided(object.metadata.name);
  }

  /** Ends the connection. False while a worker may still write to the cluster: see {@link released}. */
  remove(cluster: string): boolean {
    const report = this.#reports.get(cluster);
    if (report !== undefined) {
      this.#reports.delete(cluster);
      for (const follower of this.#followers.values()) follower.remove(cluster);
      this.#end(cluster, report);
    }
    this.#decided(cluster);
    const isHeld = this.#isHeld(cluster);
    if (isHeld) this.#leaving.add(cluster);
    return !isHeld;
  }

  follow({ version, worker }: ConnectionRequest, taker: ConnectionTaker): ConnectionStream {
    if (version !== PROTOCOL_VERSION) {
      taker.ended(otherVersion(version));
      return { send: () => undefined, [Symbol.dispose]: () => undefined };
    }
    const { epoch, clock, liveness } = this.#options;
    const before = this.#followers.get(worker);
    before?.leave();
    const follower = new ConnectionFollower({
      held: before?.held() ?? new Map<string, string | undefined>(),
      ...{ taker, epoch, clock, heartbeatMs: liveness?.heartbeatMs },
      released: () => this.#release(),
    });
    this.#followers.set(worker, follower);
    follower.begin([...this.#reports.values()].map(({ settings }) => settings));
    if (this.#isComplete) follower.complete();
    const isPresent = (): boolean => this.#followers.get(worker) === follower;
    return {
      send: (answer) => {
        if (isPresent()) follower.take(answer);
      },
      [Symbol.dispose]: () => {
        if (!isPresent()) return;
        this.#followers.delete(worker);
        follower.end();
      },
    };
  }

  open(
    { cluster, uid }: Pick<ConnectionSettings, "cluster" | "uid">,
    session: ReportSession,
    answer: (answer: ClusterAnswer) => void,
  ): ClusterReportChannel {
    const report = this.#reports.get(cluster);
    return this.#sessions.open(cluster, report?.objectUid === uid ? report : undefined, session, answer);
  }

  /** Ends every report, and waits for the running writes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#settling?.[Symbol.dispose]();
    this.#sessions[Symbol.dispose]();
    for (const [cluster, report] of this.#reports) this.#end(cluster, report);
    this.#reports.clear();
    await Promise.all(this.#ending);
  }

  get #isComplete(): boolean {
    return this.#undecided?.size === 0;
  }

  #decided(cluster: string): void {
    if (this.#undecided?.delete(cluster) === true && this.#isComplete) this.#complete();
  }

  #complete(): void {
    for (const follower of this.#followers.values()) follower.complete();
  }

  #settle(): void {
    this.#settling = undefined;
    this.#release();
  }

  #release(): void {
    for (const cluster of [...this.#leaving]) {
      if (this.#isHeld(cluster)) continue;
      this.#leaving.delete(cluster);
      this.released.emit(cluster);
    }
  }

  #isHeld(cluster: string): boolean {
    if (this.#settling !== undefined) return true;
    return [...this.#followers.values()].some((follower) => follower.holds(cluster));
  }

  #reportOf(object: MemberCluster, owned: boolean): MemberReport {
    const { name, uid } = object.metadata;
    const known = this.#reports.get(name);
    if (known !== undefined && known.objectUid === uid) return known;
    // Deleted and created again unobserved: reports about the old object do not count for the new one.
    if (known !== undefined) this.#end(name, known);
    const report = new MemberReport(object, owned, this.#options);
    this.#reports.set(name, report);
    return report;
  }

  #end(cluster: string, report: MemberReport): void {
    this.#sessions.end(cluster);
    report[Symbol.dispose]();
    const ending = report.settled().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
