import { FEDERATION_GROUP, timestamp } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { CredentialStore, TokenRenewal } from "../../ports/index.ts";
import { backoffDelay, type Client, type Clock, type requestToken } from "../../runtime/index.ts";
import { type KubeconfigCredentials, withToken } from "./credentials.ts";
import type { TokenClaims } from "./jwt.ts";

/**
 * Renews the tokens that `meridian join` made, by their own right, at 80 % of their lifetime. The clocks of hub and member
 * may differ: the lifetime is the difference of the claims `exp` and `iat`, counted from the time when this process
 * got the token.
 */

export const TOKEN_EXPIRES_AT_ANNOTATION = `${FEDERATION_GROUP}/token-expires-at`;
/** By the clock of the process that wrote the annotation. */
export const TOKEN_ISSUED_AT_ANNOTATION = `${FEDERATION_GROUP}/token-issued-at`;
/** `namespace/name` of the service account on the member. Without the annotation nothing is renewed. */
export const SERVICE_ACCOUNT_ANNOTATION = `${FEDERATION_GROUP}/service-account`;

const RENEW_AFTER = 0.8;
/** A timestamp in the future by less than this fraction of the lifetime is accepted. */
const AHEAD = 0.1;
/** The shortest lifetime that an API server grants. */
const SHORTEST_LIFE_S = 600;
const RETRY = { baseMs: 10_000, capMs: 300_000 };

export interface RenewalPlan {
  serviceAccount: { namespace: string; name: string };
  /** Epoch milliseconds; for display only. */
  expiresAt: number;
  renewAt: number;
  issuedAt: number;
  lifeMs: number;
  /** To request. */
  lifeSeconds: number;
}

/** Undefined when `meridian join` did not make the token. */
export function renewalPlan(
  annotations: Record<string, string>,
  claims: TokenClaims | undefined,
): RenewalPlan | undefined {
  const [namespace, name, ...rest] = (annotations[SERVICE_ACCOUNT_ANNOTATION] ?? "").split("/");
  if (namespace === undefined || namespace === "" || name === undefined || name === "" || rest.length > 0)
    return undefined;
  const expiresAt = parseTime(annotations[TOKEN_EXPIRES_AT_ANNOTATION]) ?? claims?.expiresAt;
  const issuedAt = parseTime(annotations[TOKEN_ISSUED_AT_ANNOTATION]) ?? claims?.issuedAt;
  if (expiresAt === undefined || issuedAt === undefined) return undefined;
  const lifeMs = lifeOf(claims) ?? expiresAt - issuedAt;
  if (lifeMs <= 0) return undefined;
  return {
    serviceAccount: { namespace, name },
    expiresAt,
    renewAt: Math.round(issuedAt + lifeMs * RENEW_AFTER),
    issuedAt,
    lifeMs,
    lifeSeconds: Math.max(SHORTEST_LIFE_S, Math.round(lifeMs / 1000)),
  };
}

/** By the claims: the member's clock set both times. */
function lifeOf(claims: TokenClaims | undefined): number | undefined {
  if (claims?.expiresAt === undefined || claims.issuedAt === undefined) return undefined;
  const lifeMs = claims.expiresAt - claims.issuedAt;
  return lifeMs > 0 ? lifeMs : undefined;
}

/**
 * Milliseconds until the renewal of a token that this process did not request itself. The age of one from the future
 * is unknown, so it is renewed at once.
 */
export function renewIn({ issuedAt, lifeMs }: RenewalPlan, now: number): number {
  const age = now - issuedAt;
  if (age < -lifeMs * AHEAD) return 0;
  return Math.max(0, lifeMs * RENEW_AFTER - Math.max(0, age));
}

function parseTime(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

export type TokenRequester = typeof requestToken;

export interface TokenRenewerOptions {
  cluster: string;
  secrets: Pick<CredentialStore, "renew">;
  clock: Clock;
  random: () => number;
  logger: Logger;
  requestToken: TokenRequester;
  /** Called after every attempt. */
  onOutcome: (outcome: TokenRenewal) => void;
}

interface Followed {
  credentials: KubeconfigCredentials;
  client: Client;
  plan: RenewalPlan;
  /** Monotonic milliseconds. */
  renewAt: number;
}

/** Renews the token of one cluster before it expires. */
export class TokenRenewer implements Disposable {
  readonly #options: TokenRenewerOptions;
  readonly #stop = new AbortController();
  #followed: Followed | undefined;
  /** Last token that this process received, and when it was requested. */
  #received: { token: string; at: number } | undefined;
  #timer: Disposable | undefined;
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(options: TokenRenewerOptions) {
    this.#options = options;
  }

  /** Undefined stops the renewal. */
  follow(credentials: KubeconfigCredentials | undefined, client: Client | undefined): void {
    const plan =
      credentials === undefined ? undefined : renewalPlan(credentials.secret.annotations, credentials.claims);
    const before = this.#followed;
    const isSameToken = before !== undefined && credentials?.token === before.credentials.token;
    if (!isSameToken) this.#failures = 0;
    this.#followed =
      credentials === undefined || client === undefined || plan === undefined
        ? undefined
        : { credentials, client, plan, renewAt: isSameToken ? before.renewAt : this.#renewAt(credentials, plan) };
    this.#schedule();
  }

  /** Called when the member answers again. */
  retry(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#followed = undefined;
    this.#timer?.[Symbol.dispose]();
    this.#stop.abort(new Error("the renewal of this token has ended"));
  }

  /** Resolves when no request is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** The age counts from our own request; for other tokens only the timestamps tell it. */
  #renewAt({ token }: KubeconfigCredentials, plan: RenewalPlan): number {
    const { clock } = this.#options;
    if (token !== undefined && token === this.#received?.token) return this.#received.at + plan.lifeMs * RENEW_AFTER;
    return clock.monotonic() + renewIn(plan, clock.now());
  }

  #schedule(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const renewAt = this.#followed?.renewAt;
    if (renewAt === undefined || this.#stop.signal.aborted || this.#running !== undefined) return;
    const { clock, random } = this.#options;
    const backoff = this.#failures === 0 ? 0 : backoffDelay(this.#failures, { ...RETRY, random });
    this.#timer = clock.after(Math.max(renewAt - clock.monotonic(), backoff, 0), () => {
      this.#running = this.#renew().finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
    });
  }

  async #renew(): Promise<void> {
    const followed = this.#followed;
    if (followed === undefined) return;
    const { cluster, logger, onOutcome } = this.#options;
    try {
      const expiresAt = await this.#exchange(followed);
      if (expiresAt === undefined) {
        this.#failures += 1;
        return;
      }
      logger.info({ cluster, expiresAt }, "token renewed");
      onOutcome({ renewed: true, expiresAt });
    } catch (err) {
      if (this.#stop.signal.aborted) return;
      this.#failures += 1;
      const message = err instanceof Error ? err.message : String(err);
      logger.warn({ err, cluster, event_reason: "TokenNotRenewed" }, "token not renewed; trying again");
      onOutcome({ renewed: false, message });
    }
  }

  /** Undefined: another writer changed the Secret. Its event brings the new version. */
  async #exchange({ credentials, client, plan }: Followed): Promise<string | undefined> {
    const { secrets, clock, requestToken } = this.#options;
    const { signal } = this.#stop;
    const { secret, key } = credentials;
    const issuedAt = clock.now();
    const askedAt = clock.monotonic();
    const { namespace, name: serviceAccount } = plan.serviceAccount;
    const requested = await requestToken(client, {
      namespace,
      serviceAccount,
      expirationSeconds: plan.lifeSeconds,
      signal,
    });
    this.#received = { token: requested.token, at: askedAt };
    const before = Buffer.from(secret.data[key] ?? "", "base64").toString("utf8");
    const after = withToken(before, requested.token);
    const expiresAt = timestamp(requested.expiresAt);
    const renewed = {
      name: secret.name,
      resourceVersion: secret.resourceVersion,
      annotations: { [TOKEN_ISSUED_AT_ANNOTATION]: timestamp(issuedAt), [TOKEN_EXPIRES_AT_ANNOTATION]: expiresAt },
      data: { [key]: Buffer.from(after, "utf8").toString("base64") },
    };
    if ((await secrets.renew(renewed, signal)) === "Conflict") return undefined;
    // These credentials are outdated until the Secret's event arrives.
    if (this.#followed?.credentials === credentials) this.#followed = undefined;
    return expiresAt;
  }
}
