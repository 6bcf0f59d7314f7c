import { type Contact, defined } from "../../apis/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import type {
  ClusterReport,
  ConnectionSettings,
  ConnectionSource,
  CredentialStore,
  Liveness,
} from "../../ports/index.ts";
import {
  type Client,
  type ClientOptions,
  type Clock,
  type ClusterConfig,
  createClient,
  NotLeaderError,
  requestToken,
} from "../../runtime/index.ts";
import type { HubAsMember } from "./clusterAccess.ts";
import { ClusterReporter } from "./clusterReporter.ts";
import { ConnectionsReader } from "./connectionsReader.ts";
import { DEFAULT_TIMING, type ProbeTiming } from "./connection.ts";
import { type IdentityClaim, type TokenRequester } from "../credentials/index.ts";
import { MemberConnection, type MemberConnectionOptions } from "./memberConnection.ts";
import type { MemberSession, PoolListener } from "../types.ts";

export interface ClusterPoolOptions {
  /** The clusters to connect. */
  connections: ConnectionSource;
  credentials: CredentialStore;
  reports: ClusterReport;
  /** Unique for this process. */
  identity: string;
  /** Signs of life between the two sides. Undefined: both are in this process. */
  liveness?: Liveness | undefined;
  /** The client for a cluster with `local: {}`. */
  hubLocal: HubAsMember;
  /** Allow kubeconfigs with exec credential plugins. */
  allowExec: boolean;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, "setMemberReady" | "forgetCluster">;
  listener: PoolListener;
  /** Asked before every write to a member. The client of `hubLocal` has a guard of its own. */
  guard?: (cluster: string) => void;
  observe?: ClientOptions["observe"];
  /** Default: a real client with `guard` and `observe`. */
  clientFor?: (config: ClusterConfig, cluster: string) => Client;
  requestToken?: TokenRequester;
  /** Default: Math.random. */
  random?: () => number;
  timing?: Partial<ProbeTiming>;
}

const UNKNOWN: Contact = { ok: false, reason: "ClusterUnknown", message: "there is no MemberCluster of that name" };

/**
 * The connections to all members, one for each cluster of the ConnectionSource, made anew when its Secret changes. They
 * begin once {@link run} has read the Secrets. A failure of a cluster is a value in its contact and status, never thrown.
 */
export class ClusterPool implements AsyncDisposable {
  readonly #options: ClusterPoolOptions;
  readonly #connectionOptions: MemberConnectionOptions;
  readonly #connections = new Map<string, { connection: MemberConnection; reporter: ClusterReporter }>();
  readonly #closing = new Set<Promise<void>>();
  readonly #reader: ConnectionsReader;
  /** Sessions of reports that were begun. */
  #sessions = 0;
  #state: "New" | "Running" | "Closed" = "New";

  constructor(options: ClusterPoolOptions) {
    this.#options = options;
    const { clock, logger, listener, credentials, random = Math.random } = options;
    this.#connectionOptions = {
      hubLocal: options.hubLocal,
      allowExec: options.allowExec,
      clock,
      random,
      timing: { ...DEFAULT_TIMING, ...options.timing },
      logger,
      listener,
      clientFor: options.clientFor ?? ((config, cluster) => this.#newClient(config, cluster)),
      requestToken: options.requestToken ?? requestToken,
      secrets: credentials,
      claims: () => this.#claims(),
      claimChanged: (cluster) => this.#rejudge(cluster),
      contactChanged: (cluster, contact) => this.#contactChanged(cluster, contact),
    };
    this.#reader = new ConnectionsReader({
      ...{ connections: options.connections, worker: options.identity, clock, random, logger },
      silentAfterMs: options.liveness?.silentAfterMs,
      set: (settings) => this.#set(settings),
      remove: (cluster) => this.#remove(cluster),
      connected: () => this.#connected(),
    });
    this.#reader.follow();
  }

  contact(cluster: string): Contact {
    return this.#connections.get(cluster)?.connection.contact ?? UNKNOWN;
  }

  session(cluster: string): MemberSession | undefined {
    return this.#connections.get(cluster)?.connection.session;
  }

  /** Stays connected until the signal is aborted. Call it once. */
  async run(signal: AbortSignal): Promise<void> {
    const { credentials } = this.#options;
    const following = credentials.run(signal);
    using _changes = credentials.onChange((name) => this.#secretChanged(name));
    try {
      await credentials.waitForSync(signal);
      this.#state = "Running";
      for (const { connection } of this.#connections.values()) connection.start();
      await following;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = "Closed";
    for (const known of this.#connections.values()) this.#close(known);
    this.#connections.clear();
    this.#reader[Symbol.dispose]();
    await Promise.all(this.#closing);
  }

  #set(settings: ConnectionSettings): void {
    const { cluster, uid } = settings;
    if (this.#state === "Closed") return;
    const known = this.#connections.get(cluster)?.connection;
    if (known !== undefined && known.objectUid === uid) {
      known.update(settings);
      return;
    }
    // Deleted and created again unobserved: the new object may mean a different cluster.
    if (known !== undefined) this.#remove(cluster);
    const reporter = this.#reporterOf(settings);
    const connection = new MemberConnection(settings, reporter, this.#connectionOptions);
    this.#connections.set(cluster, { connection, reporter });
    this.#contactChanged(cluster, connection.contact);
    if (this.#state === "Running") connection.start();
  }

  #reporterOf({ cluster, uid }: ConnectionSettings): ClusterReporter {
    const { reports, identity, liveness, clock, logger, random = Math.random } = this.#options;
    return new ClusterReporter({
      ...{ member: { cluster, uid }, reports, clock, logger, random, heartbeatMs: liveness?.heartbeatMs },
      session: () => ({ worker: identity, number: (this.#sessions += 1), epoch: this.#reader.epoch }),
    });
  }

  /** Called when the MemberCluster is gone. Its session has ended when this returns. */
  #remove(cluster: string): void {
    const known = this.#connections.get(cluster);
    if (known === undefined) return;
    this.#connections.delete(cluster);
    this.#close(known);
    this.#options.listener.clusterRemoved(cluster);
    this.#options.metrics.forgetCluster(cluster);
    this.#rejudge(cluster);
  }

  #secretChanged(name: string): void {
    for (const { connection } of this.#connections.values()) {
      if (connection.secretName === name) connection.reconfigure();
    }
  }

  #newClient(config: ClusterConfig, cluster: string): Client {
    const { clock, guard, observe } = this.#options;
    const guardOfCluster = (): void => {
      guard?.(cluster);
      if (!this.#reader.isLive) throw new NotLeaderError("the planner of this worker was not heard for too long");
    };
    return createClient(config, { clock, cluster, guard: guardOfCluster, ...defined({ observe }) });
  }

  #contactChanged(cluster: string, contact: Contact): void {
    this.#options.metrics.setMemberReady(cluster, contact.ok);
    this.#options.listener.contactChanged(cluster, contact);
  }

  *#connected(): Iterable<Pick<ConnectionSettings, "cluster" | "uid">> {
    for (const [cluster, { connection }] of this.#connections) yield { cluster, uid: connection.objectUid };
  }

  *#claims(): Iterable<IdentityClaim> {
    for (const { connection } of this.#connections.values()) yield connection.claim;
  }

  #rejudge(except: string): void {
    for (const { connection } of [...this.#connections.values()]) {
      if (connection.cluster !== except) connection.rejudge();
    }
  }

  #close({ connection, reporter }: { connection: MemberConnection; reporter: ClusterReporter }): void {
    connection.close();
    reporter[Symbol.dispose]();
    const closing = connection.closed().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
