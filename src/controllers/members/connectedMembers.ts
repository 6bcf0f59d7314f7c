import type { MemberCluster } from "../../apis/index.ts";
import type {
  ClusterReport,
  ClusterReportChannel,
  ConnectionChange,
  ConnectionSettings,
  ConnectionSource,
} from "../../ports/index.ts";
import { MemberReport, type MemberReportOptions } from "./memberReport.ts";

/** For a MemberCluster that is gone. */
const NOBODY: ClusterReportChannel = { send: () => undefined, recordIdentity: async () => "NotOwner" };

/**
 * The hub's side of the connections: says which MemberClusters are to be connected, and takes the reports about them.
 * The reports are written until this is disposed.
 */
export class ConnectedMembers implements ConnectionSource, ClusterReport, AsyncDisposable {
  readonly #options: MemberReportOptions;
  readonly #reports = new Map<string, MemberReport>();
  readonly #takers = new Set<(change: ConnectionChange) => void>();
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  constructor({ hub, clock, logger, events, recoveries, onWritten, onFailed }: MemberReportOptions) {
    this.#options = { hub, clock, logger, events, recoveries, onWritten, onFailed };
  }

  /** Idempotent. `owned`: this manager writes the MemberCluster's status and renews its token. */
  upsert(object: MemberCluster, owned: boolean): void {
    if (this.#closed) return;
    const report = this.#reportOf(object, owned);
    report.take(object, owned);
    this.#deliver({ set: report.settings });
    report.changed();
  }

  /** The cluster has no session any more when this returns. */
  remove(cluster: string): void {
    const report = this.#reports.get(cluster);
    if (report === undefined) return;
    this.#reports.delete(cluster);
    this.#deliver({ remove: cluster });
    this.#end(report);
  }

  follow(taker: (change: ConnectionChange) => void): Disposable {
    // The same function may follow twice.
    const own = (change: ConnectionChange): void => taker(change);
    for (const report of [...this.#reports.values()]) own({ set: report.settings });
    this.#takers.add(own);
    return { [Symbol.dispose]: () => void this.#takers.delete(own) };
  }

  open({ cluster, uid }: Pick<ConnectionSettings, "cluster" | "uid">): ClusterReportChannel {
    const report = this.#reports.get(cluster);
    return report !== undefined && report.objectUid === uid ? report : NOBODY;
  }

  /** Ends every report, and waits for the running writes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const report of this.#reports.values()) this.#end(report);
    this.#reports.clear();
    await Promise.all(this.#ending);
  }

  #reportOf(object: MemberCluster, owned: boolean): MemberReport {
    const { name, uid } = object.metadata;
    const known = this.#reports.get(name);
    if (known !== undefined && known.objectUid === uid) return known;
    // Deleted and created again unobserved: reports about the old object do not count for the new one.
    if (known !== undefined) this.#end(known);
    const report = new MemberReport(object, owned, this.#options);
    this.#reports.set(name, report);
    return report;
  }

  #deliver(change: ConnectionChange): void {
    for (const taker of this.#takers) taker(change);
  }

  #end(report: MemberReport): void {
    report[Symbol.dispose]();
    const ending = report.settled().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
