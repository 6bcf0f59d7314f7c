import { defined } from "../../../apis/index.ts";
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** Claims of a ServiceAccount token. */
export interface ServiceAccountClaims {
  namespace: string;
  name: string;
  uid: string;
  audiences: readonly string[];
  /** Seconds since 1970. */
  issuedAt: number;
  expiresAt: number;
  id: string;
  /** The pod or secret that the token is bound to. The token becomes invalid with that object. */
  bound?: { kind: string; name: string; uid: string };
}

/** The audience of the API server itself, and the issuer of its tokens. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** Number of verified tokens to remember. */
const REMEMBERED = 64;

/** Issues and reads ServiceAccount tokens: JWTs with ES256, signed with a key of this cluster. */
export class ServiceAccountTokens {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** Claims of verified tokens, which never change. */
  readonly #read = new Map<string, ServiceAccountClaims>();

  /** `keyPem`: PKCS #8; a new key if absent. */
  constructor(keyPem?: string) {
    this.#privateKey =
      keyPem === undefined
        ? generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey
        : createPrivateKey(keyPem);
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  /** The key to store, so that tokens stay valid over a restart. */
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

  /** The claims of a token signed by this cluster; undefined for any other text. The caller checks the expiry. */
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
    // A valid signature of this key guarantees the shape of the payload.
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
