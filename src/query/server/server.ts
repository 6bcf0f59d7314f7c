import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { defined } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { Client, Clock } from "../../runtime/index.ts";
import type { ListAnswer, Query, QueryEngine, Resource } from "../types.ts";
import {
  EVERY_CLUSTER,
  refuse,
  send,
  sendList,
  documentAt,
  internalError,
  RequestError,
  statusOf,
  formatOf,
  rowBody,
  type Representation,
  rowKeyOf,
  isGettable,
} from "./answers/index.ts";
import {
  Authenticator,
  type Proof,
  type ClientTrust,
  Places,
  Reviewer,
  type ReadableKind,
  type ReviewedScope,
  Scopes,
  type BucketLimits,
  TokenBuckets,
  type User,
} from "./access/index.ts";
import { askedWatches } from "./askedWatches.ts";
import { type Leader, noLeader } from "./leader.ts";
import { type MemberLimits, MemberParts } from "./memberParts.ts";
import { Parts, type PartSources } from "./parts.ts";
import { askedBy, checkRequest, checkWay, parametersOf, routeOf } from "./requests.ts";
import { ManyWatches, type NamedWatch, Stream } from "./watches/index.ts";

export interface QueryServerOptions {
  client: Client;
  clock: Clock;
  logger: Logger;
  /** Kinds as the hub serves them now. */
  kinds: () => Iterable<ReadableKind>;
  /** User name of this manager on the hub, once known. */
  self?: () => string | undefined;
  /** Undefined: the only manager. */
  leader?: Pick<Leader, "pass">;
  observe?: (call: { resource: string; code: number; ms: number; isWatch: boolean }) => void;
  limits?: Partial<QueryLimits>;
}

export interface QueryLimits {
  /** Requests of one user. */
  requests: BucketLimits;
  /** Requests with tokens that the hub has to review, from one address. */
  strangers: BucketLimits;
  watchesOfUser: number;
  watches: number;
  /** Whole objects that one user reads: they cost more than rows. */
  full: BucketLimits;
  members: MemberLimits;
}

const LIMITS: QueryLimits = {
  requests: { perSecond: 20, burst: 50 },
  strangers: { perSecond: 50, burst: 100 },
  // Some pages of the dashboard, with six watches each.
  watchesOfUser: 60,
  watches: 1_000,
  full: { perSecond: 2, burst: 10 },
  members: { requests: { perSecond: 2, burst: 20 }, ofUser: 5, ofMember: 8, all: 100, bytes: 8 << 20 },
};

/** Answers requests of the query API. Any number of HTTP servers may hand requests over. */
export class QueryServer implements AsyncDisposable {
  readonly #options: QueryServerOptions;
  readonly #limits: QueryLimits;
  readonly #scopes: Scopes;
  readonly #authenticator: Authenticator;
  readonly #requests: TokenBuckets;
  readonly #end = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #parts: Parts;
  readonly #watches: Places;
  /** While this manager leads. */
  #term: Term | undefined;

  constructor(options: QueryServerOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    const { client, clock, kinds } = options;
    const secret = randomBytes(32);
    const digest = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
    const now = (): number => clock.monotonic();
    const reviewer = new Reviewer({ client, clock, digest });
    this.#scopes = new Scopes({ reviewer, kinds });
    this.#requests = new TokenBuckets(this.#limits.requests, now);
    const strangers = new TokenBuckets(this.#limits.strangers, now);
    const self = options.self ?? (() => undefined);
    const { full, members: limits, watches, watchesOfUser } = this.#limits;
    this.#watches = new Places("watches", { all: watches, each: { user: watchesOfUser } });
    const members = new MemberParts({ scopes: this.#scopes, reviewer, clock, logger: options.logger, limits });
    this.#parts = new Parts({ scopes: this.#scopes, now, full, members });
    this.#authenticator = new Authenticator({ reviewer, clock, strangers, self });
  }

  /** Client certificates that count from now on. */
  trust(trust: ClientTrust): void {
    this.#authenticator.trust = trust;
  }

  /** Answers from this engine until disposed of: the term of a leader. */
  lead(engine: QueryEngine, sources: TermSources = {}): Disposable {
    const over = new AbortController();
    const term = { engine, sources, signal: AbortSignal.any([over.signal, this.#end.signal]) };
    this.#term = term;
    return {
      [Symbol.dispose]: () => {
        if (this.#term === term) this.#term = undefined;
        over.abort();
      },
    };
  }

  /** Takes a request of the query API. False: the path is not one of it, and nothing was done. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    if (!isOurs(path)) return false;
    const call: Call = { request, response, path, resource: "other", isWatch: false };
    // A write to a reader who has just gone would end the process.
    response.on("error", () => undefined);
    const running = this.#serve(call).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return true;
  }

  /** Ends the watches. Resolves when every request is answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#running);
  }

  async #serve(call: Call): Promise<void> {
    const { clock, logger, observe } = this.#options;
    const { response } = call;
    const started = clock.monotonic();
    try {
      await this.#answer(call);
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined) logger.error({ err: error, resource: call.resource }, "a query failed");
      if (response.headersSent) response.destroy();
      else refuse(response, status ?? internalError());
    }
    const { resource, isWatch } = call;
    const code = response.statusCode;
    observe?.({ resource, code, ms: clock.monotonic() - started, isWatch });
    logger.debug({ resource, code, user: call.user?.name, watch: isWatch }, "query answered");
  }

  async #answer(call: Call): Promise<void> {
    const { request, response, path } = call;
    const { socket } = request;
    checkWay({ isEncrypted: socket instanceof TLSSocket, ...defined({ remoteAddress: socket.remoteAddress }) });
    checkRequest(request);
    const proof = await this.#authenticator.prove(request);
    call.user = proof.user;
    this.#requests.take(proof.user.name);
    const route = routeOf(path);
    if (route === undefined) throw new RequestError(404, "there is no such path; see the discovery documents");
    if (route.to === "Document") {
      call.resource = "discovery";
      send(response, documentAt(route.path));
      return;
    }
    call.resource = route.to === "Watches" ? "watches" : route.resource;
    const term = this.#term;
    const parameters = parametersOf(request.url);
    if (route.to === "Part") {
      if (term === undefined) return await this.#passOn(call, proof);
      // The row is read once. A log that goes on for long needs no rows that are kept up to date.
      (await term.sources.read?.())?.[Symbol.dispose]();
      return await this.#parts.answer({ request, response, proof, parameters, route, ...term });
    }
    const format = formatOf(request.headers.accept);
    if (route.to === "Watches") {
      if (format !== "EventStream") throw new RequestError(406, "several watches are text/event-stream; accept that");
      call.isWatch = true;
      const watches = askedWatches(parameters);
      return term === undefined ? await this.#passOn(call, proof) : await this.#watchMany(call, proof, watches, term);
    }
    const { query, manner } = askedBy(route, parameters, lastEventIdOf(request));
    const how: Representation = {
      ...{ resource: route.resource, format, include: manner.include },
      now: () => this.#options.clock.now(),
    };
    const isWatch = route.name === undefined && (manner.isWatch || format === "EventStream");
    call.isWatch = isWatch;
    if (term === undefined)
      return await this.#passOn(call, proof, route.name === undefined && !isWatch ? how : undefined);
    using _reader = await term.sources.read?.();
    if (route.name !== undefined) return await this.#get({ ...call, proof, how, ...route, name: route.name }, term);
    if (isWatch) {
      using _place = this.#watches.take({ user: proof.user.name });
      const scope = await this.#scopeFor(proof, query, term.engine);
      const { clock, logger } = this.#options;
      const stream = new Stream({ ...term, scopes: this.#scopes, proof, query, manner, how, response, clock, logger });
      return await stream.run(scope);
    }
    const scope = await this.#scopeFor(proof, query, term.engine);
    sendList(response, how, await term.engine.list(query, scope));
  }

  async #watchMany({ response }: Call, proof: Proof, watches: readonly NamedWatch[], term: Term): Promise<void> {
    using _reader = await term.sources.read?.();
    using places = new DisposableStack();
    for (const _watch of watches) places.use(this.#watches.take({ user: proof.user.name }));
    const { clock, logger } = this.#options;
    const scopeFor = (query: Query): Promise<ReviewedScope> => this.#scopeFor(proof, query, term.engine);
    const outside = { scopes: this.#scopes, scopeFor, clock, now: () => clock.now(), logger };
    await new ManyWatches({ ...term, ...outside, watches, proof, response }).run();
  }

  async #get({ response, proof, how, namespace, name }: GetCall, { engine }: Term): Promise<void> {
    const { resource } = how;
    if (!isGettable(resource)) throw new RequestError(404, `a row of ${resource} cannot be read alone`);
    const key = rowKeyOf(resource, namespace, name);
    send(response, rowBody(how, engine.get(resource, key, await this.#scopes.ofRow(proof.user, key, engine))));
  }

  /**
   * Whoever names namespaces where he may read nothing is told so, whether or not there is anything. The kind in the
   * filter has no say in this: the kinds that are known tell what others place.
   */
  async #scopeFor({ user }: Proof, { filter, resource }: Query, engine: QueryEngine): Promise<ReviewedScope> {
    const scope = await this.#scopes.of(user, filter, engine);
    const { namespace } = filter;
    if (namespace === undefined || !scope.isEmpty || resource === "fleetclusters") return scope;
    const ofEveryKind = filter.kind === undefined ? scope : await this.#scopes.of(user, { namespace }, engine);
    if (!ofEveryKind.isEmpty) return scope;
    throw new RequestError(
      403,
      `you may not list federated objects in ${namesOf(namespace)}; ask an administrator of the hub for it`,
    );
  }

  /** A list that nobody can answer says so in `partial`; other requests fail. */
  async #passOn({ request, response }: Call, proof: Proof, list?: Representation): Promise<void> {
    const code = await this.#options.leader?.pass(request, response, proof);
    if (code !== undefined) return;
    if (list === undefined) throw noLeader();
    const answer: ListAnswer = {
      items: [],
      totals: { count: 0, ready: 0, desired: 0 },
      partial: [{ cluster: EVERY_CLUSTER, reason: "LeaderUnreachable" }],
      resourceVersion: "0",
    };
    sendList(response, list, answer);
  }
}

/** What a leader answers from besides its engine. */
export interface TermSources extends PartSources {
  /** Brings the rows up to date, and keeps them so until disposed of. */
  read?: () => Promise<Disposable>;
}

interface Term {
  engine: QueryEngine;
  sources: TermSources;
  signal: AbortSignal;
}

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  /** For metrics and logs. */
  resource: Resource | "discovery" | "watches" | "other";
  isWatch: boolean;
  user?: User;
}

interface GetCall extends Pick<Call, "response"> {
  proof: Proof;
  how: Representation;
  namespace?: string;
  name: string;
}

function isOurs(path: string): boolean {
  return path === "/apis" || path.startsWith("/apis/") || path === "/openapi/v3" || path.startsWith("/openapi/v3/");
}

function lastEventIdOf({ headers }: IncomingMessage): string | undefined {
  const value = headers["last-event-id"];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function namesOf(names: readonly string[]): string {
  return names.length > 3 ? `those ${names.length} namespaces` : names.map((name) => name.slice(0, 63)).join(", ");
}
