import { type Contact, defined, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import type { EventRecorder, Logger, Metrics, Recoveries } from "../../observability/index.ts";
import {
  type Client,
  type ClientOptions,
  type Clock,
  type ClusterConfig,
  createClient,
  isNotFound,
  Informer,
  requestToken,
  SECRETS,
} from "../../runtime/index.ts";
import type { HubAsMember } from "./clusterAccess.ts";
import { DEFAULT_TIMING, type ProbeTiming } from "./connection.ts";
import { type IdentityClaim, type MemberSecret, memberSecret, type TokenRequester } from "../credentials/index.ts";
import { MemberConnection, type MemberConnectionOptions } from "./memberConnection.ts";
import type { MemberSession, PoolListener } from "../types.ts";

export interface ClusterPoolOptions {
  hub: Client;
  hubLocal: HubAsMember;
  /** The only namespace that members' Secrets are read from. */
  systemNamespace: string;
  /** Allow kubeconfigs with exec credential plugins. */
  allowExec: boolean;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, "setMemberReady" | "forgetCluster" | "failed">;
  listener: PoolListener;
  recorder?: Pick<EventRecorder, "record"> | undefined;
  recoveries?: Recoveries | undefined;
  /** Asked before every write to a member. */
  guard?: ClientOptions["guard"];
  observe?: ClientOptions["observe"];
  /** Default: a real client with `guard` and `observe`. */
  clientFor?: (config: ClusterConfig, cluster: string) => Client;
  requestToken?: TokenRequester;
  /** Default: Math.random. */
  random?: () => number;
  timing?: Partial<ProbeTiming>;
  /** Takes the answer to a status write. */
  onStatusWritten?: (object: KubeObject) => void;
}

const UNKNOWN: Contact = { ok: false, reason: "ClusterUnknown", message: "there is no MemberCluster of that name" };

/**
 * The connections to all members, one for each MemberCluster, made anew when its Secret changes. They begin once
 * {@link run} has read the Secrets. A failure of a cluster is a value in its contact and status, never thrown.
 */
export class ClusterPool implements AsyncDisposable {
  readonly #options: ClusterPoolOptions;
  readonly #connectionOptions: MemberConnectionOptions;
  readonly #connections = new Map<string, MemberConnection>();
  readonly #closing = new Set<Promise<void>>();
  readonly #secrets: Informer<MemberSecret>;
  #state: "New" | "Running" | "Closed" = "New";

  constructor(options: ClusterPoolOptions) {
    this.#options = options;
    const { hub, systemNamespace, clock, logger, listener, guard, observe } = options;
    this.#secrets = new Informer<MemberSecret>({
      name: "member-secrets",
      client: hub,
      type: SECRETS,
      namespace: systemNamespace,
      // Helm keeps its releases in the same namespace, a megabyte each.
      fieldSelector: "type!=helm.sh/release.v1",
      transform: memberSecret,
      clock,
      logger,
    });
    const clientOptions = { clock, ...defined({ guard, observe }) };
    this.#connectionOptions = {
      hub,
      hubLocal: options.hubLocal,
      systemNamespace,
      allowExec: options.allowExec,
      clock,
      random: options.random ?? Math.random,
      timing: { ...DEFAULT_TIMING, ...options.timing },
      logger,
      recorder: options.recorder,
      recoveries: options.recoveries,
      listener,
      clientFor: options.clientFor ?? ((config, cluster) => createClient(config, { ...clientOptions, cluster })),
      requestToken: options.requestToken ?? requestToken,
      onStatusWritten: options.onStatusWritten ?? (() => undefined),
      onStatusFailed: () => options.metrics.failed("cluster"),
      secrets: {
        get: (name) => this.#secrets.get(`${systemNamespace}/${name}`),
        lookUp: (name, signal) => this.#lookUpSecret(name, signal),
      },
      claims: () => this.#claims(),
      claimChanged: (cluster) => this.#rejudge(cluster),
      contactChanged: (cluster, contact) => this.#contactChanged(cluster, contact),
    };
  }

  /** Idempotent. `owned`: this manager writes the MemberCluster's status and renews its token. */
  upsert(object: MemberCluster, owned = true): void {
    if (this.#state === "Closed") return;
    const { name, uid } = object.metadata;
    const known = this.#connections.get(name);
    if (known !== undefined && known.objectUid === uid) {
      known.update(object, owned);
      return;
    }
    // Deleted and created again unobserved: the new object may mean a different cluster.
    if (known !== undefined) this.remove(name);
    const connection = new MemberConnection(object, owned, this.#connectionOptions);
    this.#connections.set(name, connection);
    this.#contactChanged(name, connection.contact);
    if (this.#state === "Running") connection.start();
  }

  /** Called when the MemberCluster is gone. */
  remove(cluster: string): void {
    const connection = this.#connections.get(cluster);
    if (connection === undefined) return;
    this.#connections.delete(cluster);
    this.#close(connection);
    this.#options.listener.clusterRemoved(cluster);
    this.#options.metrics.forgetCluster(cluster);
    this.#rejudge(cluster);
  }

  contact(cluster: string): Contact {
    return this.#connections.get(cluster)?.contact ?? UNKNOWN;
  }

  session(cluster: string): MemberSession | undefined {
    return this.#connections.get(cluster)?.session;
  }

  /** Stays connected until the signal is aborted. Call it once. */
  async run(signal: AbortSignal): Promise<void> {
    const following = this.#secrets.run(signal);
    using _changes = this.#secrets.onEvent(({ object }) => this.#secretChanged(object.name));
    try {
      await this.#secrets.waitForSync(signal);
      this.#state = "Running";
      for (const connection of this.#connections.values()) connection.start();
      await following;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = "Closed";
    for (const connection of this.#connections.values()) this.#close(connection);
    this.#connections.clear();
    await Promise.all(this.#closing);
  }

  async #lookUpSecret(name: string, signal: AbortSignal): Promise<MemberSecret | undefined> {
    const { hub, systemNamespace } = this.#options;
    try {
      this.#secrets.observe(await hub.get(SECRETS, systemNamespace, name, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return this.#secrets.get(`${systemNamespace}/${name}`);
  }

  #secretChanged(name: string): void {
    for (const connection of this.#connections.values()) {
      if (connection.secretName === name) connection.reconfigure();
    }
  }

  #contactChanged(cluster: string, contact: Contact): void {
    this.#options.metrics.setMemberReady(cluster, contact.ok);
    this.#options.listener.contactChanged(cluster, contact);
  }

  *#claims(): Iterable<IdentityClaim> {
    for (const connection of this.#connections.values()) yield connection.claim;
  }

  #rejudge(except: string): void {
    for (const connection of [...this.#connections.values()]) {
      if (connection.cluster !== except) connection.rejudge();
    }
  }

  #close(connection: MemberConnection): void {
    connection.close();
    const closing = connection.closed().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
