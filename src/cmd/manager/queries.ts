import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import { defined } from "../../apis/index.ts";
import type { ClusterPool } from "../../clusters/index.ts";
import type { PlannerView } from "../../controllers/index.ts";
import type { DashboardFiles } from "../../dashboard/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import {
  Engine,
  Feed,
  type FeedOptions,
  followClientTrust,
  FullObjects,
  Leader,
  LEADER_ADDRESS,
  type LeaderTrust,
  MemberReads,
  QueryServer,
  QueryTls,
  type ReadableKind,
  Table,
} from "../../query/index.ts";
import { type Client, type ClusterConfig, systemClock, TimeSlice } from "../../runtime/index.ts";
import type { WebhookCertificates } from "../../webhooks/index.ts";
import { isOfThisMachine, LOCAL_ADDRESS } from "../asking/index.ts";
import type { QueryFlagsGiven } from "./queryFlags.ts";

export interface QueriesOptions {
  flags: QueryFlagsGiven;
  client: Client;
  config: ClusterConfig;
  hub: HubCache;
  /** Namespace and name of the Lease. Absent: no other manager is asked. */
  lease?: { namespace: string; name: string };
  /** Address on which the TLS port listens; all when absent. */
  host?: string;
  logger: Logger;
  metrics: Metrics;
  /** The files of the dashboard. Absent: there is no dashboard. */
  page?: Pick<DashboardFiles, "handle">;
}

/** What a term of a leader adds to the planner's tables. */
export interface TermOptions {
  pool: () => Pick<ClusterPool, "session" | "contact"> | undefined;
  /** Told of each transition; see {@link FeedOptions}. */
  changed: FeedOptions["changed"];
}

const WHO_AM_I = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const ASK_AGAIN_MS = 30_000;

/** The query API of one manager: on the port of the metrics, and with TLS on a port of its own. */
export class Queries implements AsyncDisposable {
  readonly #options: QueriesOptions;
  readonly #logger: Logger;
  readonly #server: QueryServer;
  readonly #leader: Leader | undefined;
  readonly #tls: QueryTls | undefined;
  readonly #end = new AbortController();
  readonly #work: Promise<void>[] = [];
  #self: string | undefined;
  #trust: LeaderTrust | undefined;
  /** Of the port of the metrics, if only this machine reaches it. */
  #local: string | undefined;

  constructor(options: QueriesOptions) {
    this.#options = options;
    const { client, config, hub, lease, metrics, flags, host } = options;
    const logger = options.logger.child({ component: "queries" });
    this.#logger = logger;
    const clock = systemClock;
    this.#leader =
      lease &&
      new Leader({
        ...{ client, clock, logger, namespace: lease.namespace, leaseName: lease.name },
        trust: () => this.#trust,
        authorization: () => config.credentials.authorization(),
      });
    this.#server = new QueryServer({
      ...{ client, clock, logger },
      kinds: () => readableKinds(hub),
      self: () => this.#self,
      observe: (call) => metrics.observeQuery(call),
      ...defined({ leader: this.#leader }),
    });
    if (flags.port === undefined) return;
    const tls = new QueryTls({ port: flags.port, ...defined({ host }), take: (...call) => this.take(...call), logger });
    this.#tls = tls;
    this.#work.push(
      followClientTrust(
        { client, clock, logger },
        (trust) => {
          this.#server.trust(trust);
          tls.trust(trust.bundle);
        },
        this.#end.signal,
      ),
      this.#findSelf(),
    );
  }

  take(request: IncomingMessage, response: ServerResponse): boolean {
    return this.#server.take(request, response) || this.#options.page?.handle(request, response) === true;
  }

  /** Serves with the certificate of the webhooks, and trusts other replicas that have one of the same authority. */
  async show({ serving, bundle, serverName }: WebhookCertificates): Promise<void> {
    this.#trust = bundle === undefined ? undefined : { ca: bundle, serverName };
    await this.#tls?.show(serving);
  }

  /** The port of the metrics is open, on this address. */
  opened({ host = "", port }: { host?: string | undefined; port: number }): void {
    const address = `http://${inAddress(host)}:${port}`;
    if (URL.canParse(address) && isOfThisMachine(new URL(address))) this.#local = address;
  }

  /** For the Lease, while this manager leads. */
  annotations(): Record<string, string> | undefined {
    const host = this.#options.flags.advertiseHost;
    const port = this.#tls?.port;
    const known = {
      ...(host === undefined || port === undefined ? {} : { [LEADER_ADDRESS]: `https://${inAddress(host)}:${port}` }),
      ...defined({ [LOCAL_ADDRESS]: this.#local }),
    };
    return Object.keys(known).length === 0 ? undefined : known;
  }

  /** Answers from the planner's tables until disposed of, and with what the members of the pool say if that is wanted. */
  lead(view: PlannerView, { pool, changed }: TermOptions): Disposable {
    const term = new DisposableStack();
    const table = new Table({ now: () => systemClock.now() });
    const slice = TimeSlice.of(systemClock);
    const engine = new Engine({
      table,
      now: () => systemClock.now(),
      random: Math.random,
      randomId: randomUUID,
      pause: () => slice.pause(),
      monotonic: () => systemClock.monotonic(),
      rest: (ms) => systemClock.sleep(ms),
    });
    const { hub } = this.#options;
    const feed = term.use(
      new Feed({ table, hub, view, clock: systemClock, logger: this.#logger, ...defined({ changed }) }),
    );
    const full = new FullObjects({ table, hub, view, clock: systemClock });
    const members = new MemberReads({
      view,
      sessionOf: (cluster) => pool()?.session(cluster),
      contactOf: (cluster) => pool()?.contact(cluster) ?? { ok: false },
    });
    const sources = { full, ...(this.#options.flags.members === true ? { members } : {}) };
    const over = new AbortController();
    term.defer(() => over.abort(new Error("the term is over")));
    const signal = AbortSignal.any([over.signal, this.#end.signal]);
    // A half-filled table would look like a fleet in which objects are missing.
    const begin = async (): Promise<void> => {
      await hub.waitForSync(signal);
      await feed.caughtUp();
      if (!signal.aborted) term.use(this.#server.lead(engine, { ...sources, read: () => feed.read() }));
    };
    begin().catch((error: unknown) => {
      if (!signal.aborted) this.#logger.error({ err: error }, "queries are not answered");
    });
    return term;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the manager ends"));
    await this.#server[Symbol.asyncDispose]();
    await this.#tls?.[Symbol.asyncDispose]();
    await this.#leader?.[Symbol.asyncDispose]();
    await Promise.all(this.#work);
  }

  /** The user name by which a leader knows its replicas. */
  async #findSelf(): Promise<void> {
    const { signal } = this.#end;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    while (this.#self === undefined && !signal.aborted) {
      try {
        const answer = (await this.#options.client.raw("POST", WHO_AM_I, { body, signal })) as {
          status?: { userInfo?: { username?: string } };
        };
        this.#self = answer.status?.userInfo?.username;
      } catch (error) {
        if (!signal.aborted) this.#logger.warn({ err: error }, "cannot find out this manager's own user name");
      }
      if (this.#self === undefined) await systemClock.sleep(ASK_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}

function inAddress(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function* readableKinds(hub: HubCache): Iterable<ReadableKind> {
  for (const { type } of hub.kinds)
    yield { kindKey: `${type.group}/${type.kind}`, group: type.group, resource: type.plural };
}
