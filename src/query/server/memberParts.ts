import type { ServerResponse } from "node:http";
import { defined, QUERY_GROUP } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock, every } from "../../runtime/index.ts";
import { type MemberFailure, MemberReadError, type MemberSource, type MemberTarget } from "../members/index.ts";
import { type QueryEngine, QueryError } from "../types.ts";
import { send, RequestError, API_VERSION, type MemberPart, PART_KINDS, rowKeyOf } from "./answers/index.ts";
import {
  type Proof,
  Places,
  type Reviewer,
  type Scopes,
  type BucketLimits,
  TokenBuckets,
  type User,
} from "./access/index.ts";
import { writeTo } from "./watches/index.ts";
import { LONGEST_FOLLOWED_S, type LogRequest, logRequestOf, noParameters } from "./logRequests.ts";

export interface MemberLimits {
  /** Requests of one user. */
  requests: BucketLimits;
  /** At once. */
  ofUser: number;
  ofMember: number;
  all: number;
  /** Of one log. */
  bytes: number;
}

export interface MemberPartsOptions {
  scopes: Scopes;
  reviewer: Pick<Reviewer, "mayGet">;
  clock: Clock;
  logger: Logger;
  limits: MemberLimits;
}

export interface MemberCall {
  part: MemberPart;
  namespace: string | undefined;
  /** Of the row. */
  name: string;
  parameters: URLSearchParams;
  response: ServerResponse;
  proof: Proof;
  engine: QueryEngine;
  source: MemberSource;
  /** Aborted at the end of the term. */
  signal: AbortSignal;
}

/** What a request comes to, for the audit. */
interface Trail {
  bytes: number;
  pod?: string;
  container?: string;
}

/** From the request to the first byte of a log, and to the whole of another answer. */
const ANSWER_MS = 30_000;
/** For a log that is not followed. */
const WHOLE_LOG_MS = 120_000;
/** Together with the reviews' cache: a lost right or token ends a log after 15 seconds at most. */
const REVIEW_MS = 5_000;
/** A container may say nothing for long. */
const SILENCE_MS = 900_000;

const CODES: Readonly<Record<MemberFailure, 400 | 404 | 503>> = {
  BadRequest: 400,
  NotFound: 404,
  Unreachable: 503,
  NotGranted: 503,
};

/**
 * Answers with what members say of placed objects. A reader needs the right to list the object on the hub, and `get` on
 * the subresource in the namespace of the object. Both are reviewed before anything is looked up.
 */
export class MemberParts {
  readonly #options: MemberPartsOptions;
  readonly #requests: TokenBuckets;
  readonly #places: Places;

  constructor(options: MemberPartsOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.#requests = new TokenBuckets(limits.requests, () => clock.monotonic());
    const each = { user: limits.ofUser, member: limits.ofMember };
    this.#places = new Places("reads of members", { all: limits.all, each });
  }

  async answer(call: MemberCall): Promise<void> {
    const { clock, logger } = this.#options;
    const { part, namespace, name, proof, response } = call;
    const started = clock.monotonic();
    const trail: Trail = { bytes: 0 };
    let code = 500;
    try {
      await this.#answer(call, trail);
      code = response.statusCode;
    } catch (error) {
      const failure = error instanceof MemberReadError ? new RequestError(CODES[error.failure], error.message) : error;
      if (failure instanceof RequestError) code = failure.code;
      if (failure instanceof QueryError) code = failure.status;
      throw failure;
    } finally {
      const what = { part, object: name.slice(0, 512), ...defined({ namespace }), user: proof.user.name };
      const facts = { event_reason: "MemberRead", ...what, code, ...trail, ms: clock.monotonic() - started };
      // The one line of the audit. The content is in no log.
      logger.info(facts, "a user asked for data of a member");
    }
  }

  async #answer(call: MemberCall, trail: Trail): Promise<void> {
    const { part, parameters, proof, response, source, signal } = call;
    const log = part === "log" ? logRequestOf(parameters) : noParameters(part, parameters);
    const target = await this.#allowed(call, proof.user);
    this.#requests.take(proof.user.name);
    using _place = this.#places.take({ user: proof.user.name, member: target.cluster });
    const gone = new AbortController();
    response.once("close", () => gone.abort(new Error("the reader has gone")));
    if (response.destroyed) return;
    const ended = AbortSignal.any([signal, gone.signal]);
    if (log !== undefined) return await this.#log(call, { target, log, ended, trail });
    const late = new AbortController();
    using _timer = this.#options.clock.after(ANSWER_MS, () => late.abort(tooLate(target.cluster)));
    const within = AbortSignal.any([ended, late.signal]);
    const { items, isWhole } =
      part === "pods" ? await source.pods(target, within) : await source.events(target, within);
    const metadata = isWhole ? {} : { annotations: { [`${QUERY_GROUP}/incomplete`]: "true" } };
    send(response, { apiVersion: API_VERSION, kind: PART_KINDS[part], metadata, items });
  }

  /** The answer does not depend on what there is, unless the user has both rights. */
  async #allowed({ part, namespace, name, engine }: Omit<MemberCall, "proof">, user: User): Promise<MemberTarget> {
    const { scopes, reviewer } = this.#options;
    const key = rowKeyOf("placedobjects", namespace, name);
    const resource = { group: QUERY_GROUP, resource: "placedobjects", subresource: part, ...defined({ namespace }) };
    if (!(await reviewer.mayGet(user, resource)))
      throw new RequestError(
        403,
        `you may not get placedobjects/${part}${namespace === undefined ? "" : ` in namespace ${namespace}`}; ask an administrator of the hub for it`,
      );
    const { cluster } = engine.get("placedobjects", key, await scopes.ofRow(user, key, engine));
    if (!("object" in key)) throw new RequestError(404, "there is no such placed object");
    return { object: key.object, cluster };
  }

  async #log(
    call: MemberCall,
    { target, log, ended, trail }: { target: MemberTarget; log: LogRequest; ended: AbortSignal; trail: Trail },
  ): Promise<void> {
    const { response, source } = call;
    const { clock, limits } = this.#options;
    const end = new AbortController();
    using timers = new DisposableStack();
    const within = AbortSignal.any([ended, end.signal]);
    const isLate = (): void => end.abort(tooLate(target.cluster));
    const { follow, timeoutMs, ...rest } = log;
    const options = { ...rest, follow, idleTimeoutMs: follow ? SILENCE_MS : ANSWER_MS };
    const found = timers.use(clock.after(ANSWER_MS, isLate));
    const { pod, container, bytes } = await source.log(target, options, within);
    Object.assign(trail, { pod, container });
    found[Symbol.dispose]();
    // A container may have said nothing yet: a reader who follows it waits for its first line.
    const first = timers.use(clock.after(ANSWER_MS, follow ? () => begin(response) : isLate));
    const lastsMs = timeoutMs ?? (follow ? LONGEST_FOLLOWED_S * 1_000 : WHOLE_LOG_MS);
    const isOver = (): void => end.abort(new Over(`, after ${lastsMs / 1000} s; ask again with sinceTime`));
    timers.use(clock.after(lastsMs, isOver));
    timers.use(every(clock, REVIEW_MS, () => void this.#review(call, end)));
    try {
      // Nothing is sent before the member has answered: until then, a failure has a code of its own.
      let piece = await bytes.next();
      first[Symbol.dispose]();
      begin(response);
      for (; piece.done !== true; piece = await bytes.next()) {
        const left = limits.bytes - trail.bytes;
        const part = piece.value.subarray(0, left);
        trail.bytes += part.length;
        await writeTo(response, part, { clock, late: () => TOO_SLOW, signal: within });
        within.throwIfAborted();
        if (piece.value.length < left) continue;
        response.write(remark(`, after ${limits.bytes} bytes; ask for fewer lines`));
        break;
      }
    } catch (error) {
      const { reason } = end.signal;
      if (!response.headersSent && !(reason instanceof Over)) throw error;
      begin(response);
      // More words would wait for the same reader.
      if (error === TOO_SLOW) response.destroy();
      else if (!within.aborted) response.write("\n[the member broke off the log]\n");
      else response.write(remark(reason instanceof Over ? reason.message : NO_LEADER));
    } finally {
      await bytes.return();
    }
    response.end();
  }

  /** Ends the log of a user who has lost the right, or whose token has. */
  async #review(call: MemberCall, end: AbortController): Promise<void> {
    try {
      const user = await call.proof.again();
      if (user === undefined) end.abort(new Over(NO_RIGHT));
      else await this.#allowed(call, user);
    } catch (error) {
      // The hub may be away for a moment; a right that was refused is lost.
      if (error instanceof QueryError || (error instanceof RequestError && error.code === 403))
        end.abort(new Over(NO_RIGHT));
    }
  }
}

const TOO_SLOW = new Error("the reader takes nothing");
/** The end of a log that the manager ends; the message follows "the log ends here". */
class Over extends Error {}

const NO_RIGHT = ": the token or the right to read it has ended, or the object is gone";
const NO_LEADER = ": this manager stops or leads no longer; ask again";

/** With `timestamps`, a line without a time is the manager's own. */
function remark(why: string): string {
  return `\n[the log ends here${why}]\n`;
}

function tooLate(cluster: string): MemberReadError {
  return new MemberReadError(
    "Unreachable",
    `cluster ${cluster} did not answer in ${ANSWER_MS / 1000} s; ask again later`,
  );
}

/** A browser must take the log for nothing but text. */
function begin(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
  response.flushHeaders();
}
