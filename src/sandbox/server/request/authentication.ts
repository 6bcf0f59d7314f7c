import { timingSafeEqual } from "node:crypto";
import type { Store } from "../../store/index.ts";
import type { SandboxClock, UserInfo } from "../../types.ts";
import { ISSUER, type ServiceAccountClaims, type ServiceAccountTokens } from "./tokens.ts";

/** Everybody who shows a token that counts. */
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

/** Who shows that token, and for which audiences it counts. */
export interface TokenHolder {
  user: UserInfo;
  audiences: readonly string[];
}

/** Says who asks. */
export class Authentication {
  readonly #parts: AuthenticationParts;
  readonly #adminToken: Buffer;

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
    this.#adminToken = Buffer.from(parts.adminToken);
  }

  /** From the header `Authorization`; somebody anonymous without a bearer token, as with a user and a password. Undefined: the credentials are wrong, which is a 401. */
  userOf(authorization: string | undefined): UserInfo | undefined {
    const token = /^bearer +(\S+)/i.exec(authorization?.trim() ?? "")?.[1];
    if (token === undefined) return ANONYMOUS;
    const holder = this.holderOf(token);
    return holder?.audiences.includes(ISSUER) === true ? holder.user : undefined;
  }

  /** Undefined for a token that does not count, or not any more. */
  holderOf(token: string): TokenHolder | undefined {
    const bytes = Buffer.from(token);
    if (bytes.length === this.#adminToken.length && timingSafeEqual(bytes, this.#adminToken)) {
      return { user: ADMINISTRATOR, audiences: [ISSUER] };
    }
    const claims = this.#parts.tokens.read(token);
    if (claims === undefined || !this.#isCurrent(claims)) return undefined;
    return { user: userOf(claims), audiences: claims.audiences };
  }

  /** A token ends with its time, with its ServiceAccount and with the object that it is bound to. */
  #isCurrent({ namespace, name, uid, issuedAt, expiresAt, bound }: ServiceAccountClaims): boolean {
    const { clock, store } = this.#parts;
    const now = clock.now() / 1000;
    if (now >= expiresAt || now < issuedAt - LEEWAY_SECONDS) return false;
    const found = (plural: string, wanted: string) => store.collection({ group: "", plural }).get(namespace, wanted);
    if (found("serviceaccounts", name)?.metadata.uid !== uid) return false;
    return bound === undefined || found(`${bound.kind.toLowerCase()}s`, bound.name)?.metadata.uid === bound.uid;
  }
}

/** The server forgives a token that seems to come from the near future. */
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
