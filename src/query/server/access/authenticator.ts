import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { Clock } from "../../../runtime/index.ts";
import { type ClientTrust, isSignedBy, NO_CLIENT_TRUST } from "./clientTrust.ts";
import { RequestError } from "../answers/index.ts";
import type { Reviewer } from "./reviewer.ts";
import type { TokenBuckets } from "./tokenBuckets.ts";
import { isAnonymousUser, type User, userOf } from "./user.ts";

/** Who asks. `again` answers later, too: undefined once the proof does not hold any more. */
export interface Proof {
  user: User;
  /** The user's own token. Absent: he proved himself by a certificate, or a proxy did. */
  token?: string;
  again: () => Promise<User | undefined>;
}

export interface AuthenticatorOptions {
  reviewer: Pick<Reviewer, "userOf" | "knows">;
  clock: Clock;
  /** For tokens that the hub has to review, by address of the sender. */
  strangers: TokenBuckets;
  /** User name of this manager on the hub. Its replicas may ask in the name of others. */
  self: () => string | undefined;
}

const LONGEST_TOKEN = 16_384;
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const IMPERSONATE = "impersonate-";

/**
 * Finds out who sends a request: an API server in front of this one, the holder of a client certificate, or of a token.
 * Names in headers count only if the connection's certificate proves the sender, or the sender is a replica.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  trust: ClientTrust = NO_CLIENT_TRUST;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws {RequestError} 401 without a proof, 403 for a name that the sender may not take */
  async prove(request: IncomingMessage): Promise<Proof> {
    const proof = this.#byCertificate(request) ?? (await this.#byToken(request));
    if (proof === undefined)
      throw new RequestError(401, "name yourself: send a bearer token of the hub, or use a client certificate");
    return this.#asImpersonated(request, proof);
  }

  #byCertificate(request: IncomingMessage): Proof | undefined {
    const { socket } = request;
    if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return undefined;
    const find = (): User | undefined => this.#certified(certificate, request);
    const user = find();
    return user && { user, again: async () => find() };
  }

  #certified(certificate: X509Certificate, { headersDistinct: headers }: IncomingMessage): User | undefined {
    const { clientRoots, proxy } = this.trust;
    const now = this.#options.clock.now();
    const { CN: commonName, O: organizations = [] } = certificate.toLegacyObject().subject as unknown as Subject;
    if (typeof commonName !== "string" || commonName === "") return undefined;
    const isProxy =
      proxy !== undefined &&
      isSignedBy(certificate, proxy.roots, now) &&
      (proxy.allowedNames.length === 0 || proxy.allowedNames.includes(commonName));
    if (isProxy) {
      const name = proxy.usernameHeaders.flatMap((header) => headers[header] ?? []).find((value) => value !== "");
      if (name !== undefined) {
        const groups = proxy.groupHeaders.flatMap((header) => headers[header] ?? []);
        return known(userOf(name, { groups, extra: extraIn(headers, proxy.extraPrefixes) }));
      }
    }
    if (!isSignedBy(certificate, clientRoots, now)) return undefined;
    return known(userOf(commonName, { groups: [organizations].flat() }));
  }

  async #byToken(request: IncomingMessage): Promise<Proof | undefined> {
    const { reviewer, strangers } = this.#options;
    const [, token] = BEARER.exec(request.headers.authorization ?? "") ?? [];
    if (token === undefined || token.length > LONGEST_TOKEN) return undefined;
    if (!reviewer.knows(token)) strangers.take(request.socket.remoteAddress ?? "");
    const again = async (): Promise<User | undefined> => reviewer.userOf(token);
    const user = await again();
    return user && { user, token, again };
  }

  /** A replica that passes a request on says for whom. Nobody else may. */
  #asImpersonated({ headersDistinct: headers }: IncomingMessage, proof: Proof): Proof {
    if (!Object.keys(headers).some((name) => name.startsWith(IMPERSONATE))) return proof;
    const self = this.#options.self();
    const [name = "", ...more] = headers["impersonate-user"] ?? [];
    if (self === undefined || proof.user.name !== self || name === "" || more.length > 0)
      throw new RequestError(403, "queries are answered with your own rights only; leave out the Impersonate headers");
    const [uid] = headers["impersonate-uid"] ?? [];
    const groups = headers["impersonate-group"] ?? [];
    const extra = extraIn(headers, ["impersonate-extra-"]);
    const user = userOf(name, { groups, extra, ...(uid === undefined ? {} : { uid }) });
    if (isAnonymousUser(user)) throw new RequestError(401, "anonymous queries are not answered; name yourself");
    return { user, again: async () => ((await proof.again()) === undefined ? undefined : user) };
  }
}

interface Subject {
  CN?: string | string[];
  O?: string | string[];
}

function known(user: User): User | undefined {
  return isAnonymousUser(user) ? undefined : user;
}

/** Keys are percent-encoded in names of headers. */
function extraIn(headers: NodeJS.Dict<string[]>, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const prefix = prefixes.find((one) => name.startsWith(one) && name.length > one.length);
    if (prefix !== undefined) extra[decoded(name.slice(prefix.length))] = values;
  }
  return extra;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Headers with which a replica names the user of a request that it passes on. */
export function impersonationOf({ name, uid, groups, extra }: User): [string, string][] {
  return [
    ["impersonate-user", name],
    ...(uid === undefined ? [] : [["impersonate-uid", uid] as [string, string]]),
    ...groups.map((group): [string, string] => ["impersonate-group", group]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value): [string, string] => [`impersonate-extra-${encodeURIComponent(key)}`, value]),
    ),
  ];
}
