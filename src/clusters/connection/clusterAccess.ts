import { shortMessage } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Client, type Clock, type ClusterConfig, Discovery, isMisbehaviour } from "../../runtime/index.ts";
import type { ProbeFailure } from "./connection.ts";
import { type MemberCredentials, ReplaceableCredentials } from "../credentials/index.ts";
import { takeInventory } from "./inventory.ts";
import type { MemberFindings } from "./memberStatus.ts";
import type { IdentityReading } from "./probe.ts";

const INVENTORY_INTERVAL_MS = 300_000;
const INVENTORY_RETRY_MS = 30_000;
/** A cluster that misbehaves costs as much at each reading, so it is read less and less often. */
const MOST_DOUBLINGS = 4;

/** The hub as a member of its own. The client is not the pool's to close. */
export interface HubAsMember {
  client: Client;
  discovery: Discovery;
  clusterUid: string;
}

interface AccessOptions {
  cluster: string;
  /** `spec.namespaces` of the MemberCluster. */
  namespaces: readonly string[] | undefined;
  clock: Clock;
  logger: Logger;
}

/** Where a client comes from. */
interface AccessSources {
  hubLocal: HubAsMember;
  clientFor: (config: ClusterConfig, cluster: string) => Client;
}

/** One client and what hangs on it, from one set of credentials to the next. */
export class ClusterAccess implements AsyncDisposable {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly local: boolean;
  /** The hub's own rights are narrow; and that the hub went back shows in its Lease. */
  readonly identity: IdentityReading;
  readonly #credentials: ReplaceableCredentials | undefined;
  readonly #options: AccessOptions;
  readonly #end = new AbortController();
  /** Monotonic milliseconds. */
  #inventoryDue = 0;
  #apis: string | undefined;
  #fault: ProbeFailure | undefined;
  /** Readings in a row in which the cluster misbehaved. */
  #faults = 0;

  private constructor(
    parts: { client: Client; discovery: Discovery; local: boolean; credentials: ReplaceableCredentials | undefined },
    options: AccessOptions,
  ) {
    this.client = parts.client;
    this.discovery = parts.discovery;
    this.local = parts.local;
    this.identity = { mayList: !parts.local };
    this.#credentials = parts.credentials;
    this.#options = options;
  }

  static open(
    given: Exclude<MemberCredentials, { kind: "Unusable" }>,
    { hubLocal, clientFor, ...options }: AccessOptions & AccessSources,
  ): ClusterAccess {
    if (given.kind === "Local") {
      const { client, discovery } = hubLocal;
      return new ClusterAccess({ client, discovery, local: true, credentials: undefined }, options);
    }
    const credentials = new ReplaceableCredentials(given.config.credentials);
    const client = clientFor({ ...given.config, credentials }, options.cluster);
    return new ClusterAccess(
      { client, discovery: new Discovery(client, options.clock), local: false, credentials },
      options,
    );
  }

  /** The only namespaces that the credentials reach; undefined: the whole cluster. */
  get namespaces(): readonly string[] | undefined {
    return this.#options.namespaces;
  }

  /** Aborted when this access is given up. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Goes on with the new token of the same subject. */
  renew(config: ClusterConfig): void {
    this.#credentials?.replace(config.credentials);
  }

  get inventoryIsDue(): boolean {
    return this.#options.clock.monotonic() >= this.#inventoryDue;
  }

  /** The cluster was away: what it offers may have changed. One that misbehaves is not read any sooner for that. */
  expireInventory(): void {
    if (this.#fault === undefined) this.#inventoryDue = 0;
  }

  /** Why the cluster counts as one without contact though it answers: what it offers was malformed, or without measure, when it was read last. */
  get fault(): ProbeFailure | undefined {
    return this.#fault;
  }

  /** Version, APIs and capacity; undefined when they cannot be read now, which is tried again soon. */
  async takeInventory(): Promise<MemberFindings | undefined> {
    const { clock, logger } = this.#options;
    this.#inventoryDue = clock.monotonic() + INVENTORY_INTERVAL_MS;
    try {
      const found = await takeInventory(this.client, { nodes: this.namespaces === undefined }, this.signal);
      const apis = found.apis?.join();
      if (this.#apis !== undefined && apis !== this.#apis) this.discovery.invalidate();
      this.#apis = apis;
      this.#fault = undefined;
      this.#faults = 0;
      return found;
    } catch (err) {
      if (this.signal.aborted) return undefined;
      if (isMisbehaviour(err)) {
        this.#fault = { reason: "ClusterUnreachable", message: shortMessage(err.message), abrupt: false };
        this.#faults += 1;
      }
      const doublings = Math.min(Math.max(0, this.#faults - 1), MOST_DOUBLINGS);
      this.#inventoryDue = clock.monotonic() + Math.min(INVENTORY_RETRY_MS * 2 ** doublings, INVENTORY_INTERVAL_MS);
      logger.info({ err, event_reason: "InventoryFailed" }, "version, APIs and capacity not read; trying again");
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error(`the connection to ${this.#options.cluster} was replaced or closed`));
    if (!this.local) await this.client[Symbol.asyncDispose]();
  }
}
