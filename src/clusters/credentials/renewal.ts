import { FEDERATION_GROUP, timestamp } from "../../apis/index.ts";
import { backoffDelay, type Client, type Clock, isConflict, type requestToken, SECRETS } from "../../runtime/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type KubeconfigCredentials, withToken } from "./credentials.ts";
import type { TokenClaims } from "./jwt.ts";

/**
 * Renews the tokens that `meridian join` made, at 80 % of their life and with the token itself, so that no cluster needs a
 * controller for it and no credential lives for ever. The new kubeconfig goes into the Secret that the old one came from.
 *
 * The clocks of hub and member may differ: how long a token lives is what the member says of it (`exp` less `iat`), and that is counted
 * from when this process got the token.
 */

export const TOKEN_EXPIRES_AT_ANNOTATION = `${FEDERATION_GROUP}/token-expires-at`;
/** When the hub got the token, by the clock of whoever wrote it there. */
export const TOKEN_ISSUED_AT_ANNOTATION = `${FEDERATION_GROUP}/token-issued-at`;
/** `namespace/name` of the service account on the member. A Secret without it is not Meridian's to renew. */
export const SERVICE_ACCOUNT_ANNOTATION = `${FEDERATION_GROUP}/service-account`;

/** The part of its life after which a token is renewed. */
const RENEW_AFTER = 0.8;
/** A time stamp that is ahead by less than this part of the life does no harm: the renewal comes before the end all the same. */
const AHEAD = 0.1;
/** The shortest life that an API server grants. */
const SHORTEST_LIFE_S = 600;
const RETRY = { baseMs: 10_000, capMs: 300_000 };

export interface RenewalPlan {
  serviceAccount: { namespace: string; name: string };
  /** Epoch milliseconds, as it was written down: for people. */
  expiresAt: number;
  renewAt: number;
  issuedAt: number;
  lifeMs: number;
  /** To ask for. */
  lifeSeconds: number;
}

/** When to renew, from what was written down and from the token itself; undefined when it is not a token of join's. */
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

/** Both times by the clock of the member that issued it. */
function lifeOf(claims: TokenClaims | undefined): number | undefined {
  if (claims?.expiresAt === undefined || claims.issuedAt === undefined) return undefined;
  const lifeMs = claims.expiresAt - claims.issuedAt;
  return lifeMs > 0 ? lifeMs : undefined;
}

/**
 * In how many milliseconds a token is to be renewed that was found now, at `now` of the wall clock, and that this process did not ask for
 * itself. A time stamp from the future says that clocks differ, and nothing of the token's age: then at once.
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

/** Asks the member for a token of that service account. */
export type TokenRequester = typeof requestToken;

export interface TokenRenewerOptions {
  cluster: string;
  hub: Client;
  systemNamespace: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  requestToken: TokenRequester;
  /** Called with every attempt; for Events. */
  onOutcome: (outcome: { renewed: true; expiresAt: string } | { renewed: false; message: string }) => void;
}

interface Followed {
  credentials: KubeconfigCredentials;
  client: Client;
  plan: RenewalPlan;
  /** Monotonic milliseconds. */
  renewAt: number;
}

/** Keeps the token of one cluster alive. */
export class TokenRenewer implements Disposable {
  readonly #options: TokenRenewerOptions;
  readonly #stop = new AbortController();
  #followed: Followed | undefined;
  /** The last token that was asked for, and when; the Secret brings it. */
  #received: { token: string; at: number } | undefined;
  #timer: Disposable | undefined;
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(options: TokenRenewerOptions) {
    this.#options = options;
  }

  /** Renews these credentials in time. Undefined: there is nothing to renew. */
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

  /** The member answers again: a renewal that is overdue is tried at once. */
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

  /** A token that this process asked for is as old as that; of another one only time stamps speak. */
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
      logger.info({ cluster, expiresAt }, "token renewed");
      onOutcome({ renewed: true, expiresAt });
    } catch (err) {
      if (this.#stop.signal.aborted) return;
      this.#failures += 1;
      // Somebody else wrote the Secret; its event brings the new one.
      if (isConflict(err)) return;
      const message = err instanceof Error ? err.message : String(err);
      logger.warn({ err, cluster, event_reason: "TokenNotRenewed" }, "token not renewed; trying again");
      onOutcome({ renewed: false, message });
    }
  }

  async #exchange({ credentials, client, plan }: Followed): Promise<string> {
    const { hub, systemNamespace, clock, requestToken } = this.#options;
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
    await hub.patch(
      SECRETS,
      systemNamespace,
      secret.name,
      "application/merge-patch+json",
      {
        metadata: {
          resourceVersion: secret.resourceVersion,
          annotations: { [TOKEN_ISSUED_AT_ANNOTATION]: timestamp(issuedAt), [TOKEN_EXPIRES_AT_ANNOTATION]: expiresAt },
        },
        data: { [key]: Buffer.from(after, "utf8").toString("base64") },
      },
      { signal },
    );
    // Until the Secret's event arrives these credentials are the past: do not renew them again.
    if (this.#followed?.credentials === credentials) this.#followed = undefined;
    return expiresAt;
  }
}
