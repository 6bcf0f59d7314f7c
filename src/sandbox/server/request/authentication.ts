import { timingSafeEqual } from "node:crypto";
import type { Store } from "../../store/index.ts";
import type { SandboxClock, UserInfo } from "../../types.ts";
import { ISSUER, type ServiceAccountClaims, type ServiceAccountTokens } from "./tokens.ts";

/** The group of all users with a valid token. */
const AUTHENTICATED = "system:authenticated";

export const ADMINISTRATOR: UserInfo = {
  name: "kubernetes-admin",
  groups: ["system:masters", AUTHENTICATED],
};

const ANONYMOUS: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

export interface AuthenticationParts {
  adminToken: string;
  tokens: ServiceAccountTokens;
  store: Store;
  clock: SandboxClock;
}

/** The user of a token, and the audiences that accept the token. */
export interface TokenHolder {
  user: UserInfo;
  audiences: readonly string[];
}

/** Finds the user of a request. */
export class Authentication {
  readonly #parts: AuthenticationParts;
  readonly #adminToken: Buffer;

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
    this.#adminToken = Buffer.from(parts.adminToken);
  }

  /**
   * The user of an `Authorization` header. Anonymous without a bearer token, also for basic authentication. Undefined
   * for wrong credentials (401).
   */
  userOf(authorization: string | undefined): UserInfo | undefined {
    const token = /^bearer +(\S+)/i.exec(authorization?.trim() ?? "")?.[1];
    if (token === undefined) return ANONYMOUS;
    const holder = this.holderOf(token);
    return holder?.audiences.includes(ISSUER) === true ? holder.user : undefined;
  }

  /** Undefined for an invalid or expired token. */
  holderOf(token: string): TokenHolder | undefined {
    const bytes = Buffer.from(token);
    if (bytes.length === this.#adminToken.length && timingSafeEqual(bytes, this.#adminToken)) {
      return { user: ADMINISTRATOR, audiences: [ISSUER] };
    }
    const claims = this.#parts.tokens.read(token);
    if (claims === undefined || !this.#isCurrent(claims)) return undefined;
    return { user: userOf(claims), audiences: claims.audiences };
  }

  /** A token becomes invalid when it expires, or when its ServiceAccount or its bound object is gone. */
  #isCurrent({ namespace, name, uid, issuedAt, expiresAt, bound }: ServiceAccountClaims): boolean {
    const { clock, store } = this.#parts;
    const now = clock.now() / 1000;
    if (now >= expiresAt || now < issuedAt - LEEWAY_SECONDS) return false;
    const found = (plural: string, wanted: string) => store.collection({ group: "", plural }).get(namespace, wanted);
    if (found("serviceaccounts", name)?.metadata.uid !== uid) return false;
    return bound === undefined || found(`${bound.kind.toLowerCase()}s`, bound.name)?.metadata.uid === bound.uid;
  }
}

/** The server accepts tokens issued slightly in the future. */
const LEEWAY_SECONDS = 60;

function userOf({ namespace, name, uid, id, bound }: ServiceAccountClaims): UserInfo {
  const extra: Record<string, readonly string[]> = { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] };
  if (bound?.kind === "Pod") {
    extra["authentication.kubernetes.io/pod-name"] = [bound.name];
    extra["authentication.kubernetes.io/pod-uid"] = [bound.uid];
  }
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    extra,
  };
}
