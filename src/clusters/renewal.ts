import { FEDERATION_GROUP, timestamp } from "../apis/index.ts";
import { backoffDelay, type Client, type Clock, isConflict, type requestToken, SECRETS } from "../runtime/index.ts";
import type { Logger } from "../observability/index.ts";
import { type KubeconfigCredentials, withToken } from "./credentials.ts";
import type { TokenClaims } from "./jwt.ts";

/**
 * Renews the tokens that `meridian join` made, at 80 % of their life and with the token itself, so that no cluster needs a
 * controller for it and no credential lives for ever. The new kubeconfig goes into the Secret that the old one came from.
 */

export const TOKEN_EXPIRES_AT_ANNOTATION = `${FEDERATION_GROUP}/token-expires-at`;
export const TOKEN_ISSUED_AT_ANNOTATION = `${FEDERATION_GROUP}/token-issued-at`;
/** `namespace/name` of the service account on the member. A Secret without it is not Meridian's to renew. */
export const SERVICE_ACCOUNT_ANNOTATION = `${FEDERATION_GROUP}/service-account`;

/** The part of its life after which a token is renewed. */
const RENEW_AFTER = 0.8;
/** The shortest life that an API server grants. */
const SHORTEST_LIFE_S = 600;
const RETRY = { baseMs: 10_000, capMs: 300_000 };

export interface RenewalPlan {
  serviceAccount: { namespace: string; name: string };
  /** Epoch milliseconds. */
  expiresAt: number;
  renewAt: number;
  lifeSeconds: number;
}

/** When to renew, from what join wrote down and else from the token itself; undefined when it is not a token of join's. */
export function renewalPlan(
  annotations: Record<string, string>,
  claims: TokenClaims | undefined,
): RenewalPlan | undefined {
  const [namespace, name, ...rest] = (annotations[SERVICE_ACCOUNT_ANNOTATION] ?? "").split("/");
  if (namespace === undefined || namespace === "" || name === undefined || name === "" || rest.length > 0)
    return undefined;
  const expiresAt = parseTime(annotations[TOKEN_EXPIRES_AT_ANNOTATION]) ?? claims?.expiresAt;
  const issuedAt = parseTime(annotations[TOKEN_ISSUED_AT_ANNOTATION]) ?? claims?.issuedAt;
  if (expiresAt === undefined || issuedAt === undefined || expiresAt <= issuedAt) return undefined;
  return {
    serviceAccount: { namespace, name },
    expiresAt,
    renewAt: Math.round(issuedAt + (expiresAt - issuedAt) * RENEW_AFTER),
    lifeSeconds: Math.max(SHORTEST_LIFE_S, Math.round((expiresAt - issuedAt) / 1000)),
  };
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
}

/** Keeps the token of one cluster alive. */
export class TokenRenewer implements Disposable {
  readonly #options: TokenRenewerOptions;
  readonly #stop = new AbortController();
  #followed: Followed | undefined;
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
    if (credentials?.token !== this.#followed?.credentials.token) this.#failures = 0;
    this.#followed =
      credentials === undefined || client === undefined || plan === undefined
        ? undefined
        : { credentials, client, plan };
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

  #schedule(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const plan = this.#followed?.plan;
    if (plan === undefined || this.#stop.signal.aborted || this.#running !== undefined) return;
    const { clock, random } = this.#options;
    const backoff = this.#failures === 0 ? 0 : backoffDelay(this.#failures, { ...RETRY, random });
    this.#timer = clock.after(Math.max(plan.renewAt - clock.now(), backoff, 0), () => {
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
    const { namespace, name: serviceAccount } = plan.serviceAccount;
    const requested = await requestToken(client, {
      namespace,
      serviceAccount,
      expirationSeconds: plan.lifeSeconds,
      signal,
    });
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
