import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { QUERY_GROUP } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Client, type Clock, ifFound, LEASES } from "../../runtime/index.ts";
import { impersonationOf, type Proof } from "./access/index.ts";
import { RequestError } from "./answers/index.ts";

/** Annotation of the Lease: where the leader's query API listens, as `https://host:port`. */
export const LEADER_ADDRESS = `${QUERY_GROUP}/leader-address`;
/** Marks requests that a replica has passed on, so that none is passed on twice. */
export const PASSED_ON = "x-meridian-passed-on";

/** How the leader proves itself. Whoever may write Leases could name any address. */
export interface LeaderTrust {
  /** PEM. */
  ca: string;
  /** In the leader's certificate. */
  serverName: string;
}

export interface LeaderOptions {
  client: Client;
  namespace: string;
  leaseName: string;
  /** Undefined while there is no certificate: nothing is passed on. */
  trust: () => LeaderTrust | undefined;
  /** This manager's own Authorization header on the hub. Undefined: it has no token. */
  authorization: () => Promise<string | undefined>;
  clock: Clock;
  logger: Logger;
}

const ADDRESS_MS = 2_000;
const CONNECT_WITHIN_MS = 2_000;
/** Headers that the leader needs to answer. */
const PASSED_HEADERS = ["accept", "last-event-id"];
const ANSWERED_HEADERS = ["content-type", "retry-after", "cache-control", "www-authenticate", "warning"];

/** Passes requests of a follower on to the leader, in the name of their user. */
export class Leader implements AsyncDisposable {
  readonly #options: LeaderOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256, maxCachedSessions: 0 });
  #address: { value: Promise<URL | undefined>; until: number } | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  /**
   * Writes the leader's answer. Resolves with its code, or undefined if there is no leader who can be asked: then nothing
   * is written.
   */
  async pass(request: IncomingMessage, response: ServerResponse, proof: Proof): Promise<number | undefined> {
    if (request.headers[PASSED_ON] !== undefined) return undefined;
    const trust = this.#options.trust();
    const [address, headers] = await Promise.all([this.#addressNow(), this.#headersFor(request, proof)]);
    if (trust === undefined || address === undefined || headers === undefined) return undefined;
    try {
      const whole = ["host", address.host, ...headers];
      return await this.#exchange({ address, trust, headers: whole, path: request.url ?? "/" }, response);
    } catch (error) {
      this.#address = undefined;
      this.#options.logger.warn({ err: error, address: address.origin }, "the leader does not answer queries");
      if (response.headersSent) throw error;
      return undefined;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }

  #exchange(
    { address, trust, headers, path }: { address: URL; trust: LeaderTrust; headers: string[]; path: string },
    response: ServerResponse,
  ): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const passed = httpsRequest(
      {
        ...{ agent: this.#agent, method: "GET", host: address.hostname, port: address.port, path, headers },
        ...{ ca: trust.ca, servername: trust.serverName, minVersion: "TLSv1.2", rejectUnauthorized: true },
      },
      (answer) => {
        connecting[Symbol.dispose]();
        const code = answer.statusCode ?? 502;
        const kept = ANSWERED_HEADERS.flatMap((name) => {
          const value = answer.headers[name];
          return value === undefined ? [] : [[name, value] as const];
        });
        response.writeHead(code, { ...Object.fromEntries(kept), "x-content-type-options": "nosniff" });
        response.flushHeaders();
        answer.pipe(response);
        answer.once("error", (error) => {
          response.destroy();
          reject(error);
        });
        response.once("finish", () => resolve(code));
      },
    );
    const connecting = this.#options.clock.after(CONNECT_WITHIN_MS, () =>
      passed.destroy(new Error(`no answer in ${CONNECT_WITHIN_MS} ms`)),
    );
    passed.once("error", reject);
    // A reader who goes ends the request to the leader, too.
    response.once("close", () => {
      passed.destroy();
      resolve(response.statusCode);
    });
    passed.end();
    return promise.finally(() => connecting[Symbol.dispose]());
  }

  /** A user's own token goes on as it is. For other users this manager vouches, with its own token. */
  async #headersFor({ headers }: IncomingMessage, { user, token }: Proof): Promise<string[] | undefined> {
    const authorization = token === undefined ? await this.#options.authorization() : `Bearer ${token}`;
    if (authorization === undefined) return undefined;
    const passed = PASSED_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [name, value] : [];
    });
    const named = token === undefined ? impersonationOf(user).flat() : [];
    return [...passed, ...named, "authorization", authorization, PASSED_ON, "1"];
  }

  #addressNow(): Promise<URL | undefined> {
    const { clock, logger } = this.#options;
    const now = clock.monotonic();
    if (this.#address !== undefined && this.#address.until > now) return this.#address.value;
    const value = this.#readAddress().catch((error: unknown) => {
      logger.warn({ err: error, lease: this.#options.leaseName }, "cannot read the Lease to find the leader");
      return undefined;
    });
    this.#address = { value, until: now + ADDRESS_MS };
    return value;
  }

  async #readAddress(): Promise<URL | undefined> {
    const { client, namespace, leaseName } = this.#options;
    const lease = await ifFound(client.get(LEASES, namespace, leaseName));
    const holder = (lease?.["spec"] as { holderIdentity?: string } | undefined)?.holderIdentity ?? "";
    const text = lease?.metadata.annotations?.[LEADER_ADDRESS] ?? "";
    if (holder === "" || !URL.canParse(text)) return undefined;
    const address = new URL(text);
    return address.protocol === "https:" && address.pathname === "/" && address.username === "" ? address : undefined;
  }
}

export function noLeader(): RequestError {
  return new RequestError(503, "the manager that leads cannot be asked now; ask again in 5 s", 5);
}
