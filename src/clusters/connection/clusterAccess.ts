import { shortMessage } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { ClusterFindings } from "../../ports/index.ts";
import { type Client, type Clock, type ClusterConfig, Discovery, isMisbehaviour } from "../../runtime/index.ts";
import type { ProbeFailure } from "./connection.ts";
import { type MemberCredentials, ReplaceableCredentials } from "../credentials/index.ts";
import { takeInventory } from "./inventory.ts";
import type { IdentityReading } from "./probe.ts";

const INVENTORY_INTERVAL_MS = 300_000;
const INVENTORY_RETRY_MS = 30_000;
/** Doublings of the retry delay for a misbehaving cluster, which is costly to read. */
const MOST_DOUBLINGS = 4;

/** The hub as its own member. The pool must not close this client. */
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
  hubLocal: HubAsMember;
  clientFor: (config: ClusterConfig, cluster: string) => Client;
}

/** One client with its discovery and inventory, for one set of credentials. */
export class ClusterAccess implements AsyncDisposable {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly local: boolean;
  /** The hub itself is not listed: its account has few permissions, and its Lease shows when it went back in time. */
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

  constructor(given: Exclude<MemberCredentials, { kind: "Unusable" }>, options: AccessOptions) {
    const { cluster, clock, hubLocal, clientFor } = options;
    this.#options = options;
    this.local = given.kind === "Local";
    this.identity = { mayList: !this.local };
    if (given.kind === "Local") {
      this.client = hubLocal.client;
      this.discovery = hubLocal.discovery;
      return;
    }
    this.#credentials = new ReplaceableCredentials(given.config.credentials);
    this.client = clientFor({ ...given.config, credentials: this.#credentials }, cluster);
    this.discovery = new Discovery(this.client, clock);
  }

  /** Undefined: the credentials reach the whole cluster. */
  get namespaces(): readonly string[] | undefined {
    return this.#options.namespaces;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Continues with a new token of the same subject. */
  renew(config: ClusterConfig): void {
    this.#credentials?.replace(config.credentials);
  }

  get inventoryIsDue(): boolean {
    return this.#options.clock.monotonic() >= this.#inventoryDue;
  }

  /** Makes the inventory due after lost contact. A misbehaving cluster keeps its retry delay. */
  expireInventory(): void {
    if (this.#fault === undefined) this.#inventoryDue = 0;
  }

  /** Set when the last inventory was malformed or too large: the cluster counts as without contact. */
  get fault(): ProbeFailure | undefined {
    return this.#fault;
  }

  /** Reads version, APIs and capacity. Undefined when that failed; the read is retried soon then. */
  async takeInventory(): Promise<ClusterFindings | undefined> {
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
