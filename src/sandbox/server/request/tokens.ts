import { defined } from "../../../apis/index.ts";
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** What a token of a ServiceAccount says. */
export interface ServiceAccountClaims {
  namespace: string;
  name: string;
  uid: string;
  audiences: readonly string[];
  /** Epoch seconds. */
  issuedAt: number;
  expiresAt: number;
  id: string;
  /** The pod or secret that it is bound to: it ends with that object. */
  bound?: { kind: string; name: string; uid: string };
}

/** The audience of the API server itself, and the issuer of its tokens. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** Tokens whose signature need not be computed again. */
const REMEMBERED = 64;

/** Issues and reads the tokens of ServiceAccounts: JWTs with ES256, signed with a key of this cluster. */
export class ServiceAccountTokens {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** What genuine tokens say: that never changes. */
  readonly #read = new Map<string, ServiceAccountClaims>();

  /** `keyPem`: PKCS #8; a new key without it. */
  constructor(keyPem?: string) {
    this.#privateKey =
      keyPem === undefined
        ? generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey
        : createPrivateKey(keyPem);
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  /** So that tokens outlive a restart. */
  get keyPem(): string {
    return this.#privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  }

  issue({ namespace, name, uid, audiences, issuedAt, expiresAt, id, bound }: ServiceAccountClaims): string {
    const text = [
      encode({ alg: "ES256", typ: "JWT" }),
      encode({
        aud: audiences,
        exp: expiresAt,
        iat: issuedAt,
        iss: ISSUER,
        jti: id,
        "kubernetes.io": {
          namespace,
          serviceaccount: { name, uid },
          ...(bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        },
        nbf: issuedAt,
        sub: `system:serviceaccount:${namespace}:${name}`,
      }),
    ].join(".");
    const signature = sign("sha256", Buffer.from(text), { key: this.#privateKey, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }

  /** What a token that this cluster signed says; undefined for any other text. Whether it has expired is the caller's question. */
  read(token: string): ServiceAccountClaims | undefined {
    const known = this.#read.get(token);
    if (known !== undefined) return known;
    const claims = this.#verified(token);
    if (claims === undefined) return undefined;
    const [oldest] = this.#read.keys();
    if (this.#read.size >= REMEMBERED && oldest !== undefined) this.#read.delete(oldest);
    this.#read.set(token, claims);
    return claims;
  }

  #verified(token: string): ServiceAccountClaims | undefined {
    const [header, payload, signature, ...more] = token.split(".");
    if (header === undefined || payload === undefined || signature === undefined || more.length > 0) return undefined;
    const genuine = verify(
      "sha256",
      Buffer.from(`${header}.${payload}`),
      { key: this.#publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    // A signature of this very key vouches for the shape of what it signed.
    return genuine ? claimsOf(JSON.parse(Buffer.from(payload, "base64url").toString()) as Payload) : undefined;
  }
}

interface Reference {
  name: string;
  uid: string;
}

interface Payload {
  aud: string[];
  exp: number;
  iat: number;
  jti: string;
  "kubernetes.io": { namespace: string; serviceaccount: Reference; pod?: Reference; secret?: Reference };
}

function claimsOf({ aud, exp, iat, jti, "kubernetes.io": subject }: Payload): ServiceAccountClaims {
  const { namespace, serviceaccount, pod, secret } = subject;
  const bound =
    pod !== undefined ? { kind: "Pod", ...pod } : secret !== undefined ? { kind: "Secret", ...secret } : undefined;
  return {
    namespace,
    ...serviceaccount,
    audiences: aud,
    issuedAt: iat,
    expiresAt: exp,
    id: jti,
    ...defined({ bound }),
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
