import { CredentialsError, TransportError, type TransportReason } from "../core/index.ts";

/** For the message. */
export interface ConnectionFacts {
  host: string;
  address: string;
  /** `tls-server-name` of the kubeconfig. */
  tlsServerName?: string;
  /** The configuration has its own certificate authority. */
  ownCa: boolean;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
}

/** One of a few reasons, with a message that a person can act on. The original error is the `cause`. */
export function asTransportError(error: unknown, facts: ConnectionFacts): TransportError | CredentialsError {
  if (error instanceof TransportError || error instanceof CredentialsError) return error;
  const code = codeOf(error);
  const [, reason, say] = KNOWN.find(([codes]) => codes.split(" ").includes(code)) ?? unknownCode(code);
  return new TransportError(reason, say(facts), error);
}

type Known = readonly [codes: string, TransportReason, say: (facts: ConnectionFacts) => string];

const UNSIGNED =
  "SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT " +
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_SIGNATURE_FAILURE CERT_UNTRUSTED INVALID_CA";

/** Codes of undici, Node and OpenSSL. */
const KNOWN: readonly Known[] = [
  ["ECONNREFUSED", "ConnectionRefused", ({ address }) => `connection refused by ${address}`],
  [
    "ECONNRESET EPIPE ECONNABORTED UND_ERR_SOCKET",
    "ConnectionReset",
    ({ address }) => `connection closed by ${address}`,
  ],
  ["EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL", "Unreachable", ({ address }) => `no route to ${address}`],
  [
    "UND_ERR_CONNECT_TIMEOUT ETIMEDOUT",
    "Timeout",
    ({ address, connectTimeoutMs }) => `connecting to ${address} timed out after ${seconds(connectTimeoutMs)}`,
  ],
  [
    "UND_ERR_HEADERS_TIMEOUT",
    "Timeout",
    ({ address, requestTimeoutMs }) => `${address} did not answer within ${seconds(requestTimeoutMs)}`,
  ],
  [
    "UND_ERR_BODY_TIMEOUT",
    "Timeout",
    ({ idleTimeoutMs }) => `the answer broke off: nothing came for ${seconds(idleTimeoutMs)}`,
  ],
  ["ENOTFOUND EAI_AGAIN EAI_FAIL", "DNS", ({ host }) => `host name ${host} cannot be resolved`],
  ["UND_ERR_ABORTED UND_ERR_DESTROYED UND_ERR_CLOSED", "Aborted", () => "the client was closed"],
  [
    UNSIGNED,
    "TLS",
    ({ ownCa }) =>
      ownCa
        ? "certificate is not signed by the CA in the kubeconfig"
        : "certificate is not signed by a CA that this machine trusts, and the kubeconfig names none",
  ],
  ["CERT_HAS_EXPIRED", "TLS", ({ host }) => `the certificate of ${host}, or its CA's, has expired`],
  ["CERT_NOT_YET_VALID", "TLS", ({ host }) => `the certificate of ${host} is not valid yet: compare the clocks`],
  ["CERT_REVOKED", "TLS", ({ host }) => `the certificate of ${host} was revoked`],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "TLS",
    ({ host, tlsServerName }) =>
      tlsServerName === undefined
        ? `the certificate of the server is not for ${host}`
        : `the certificate of the server is not for ${tlsServerName}, the tls-server-name in the kubeconfig`,
  ],
  [
    "ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG",
    "TLS",
    ({ address }) => `${address} does not speak TLS`,
  ],
];

function unknownCode(code: string): Known {
  if (code.startsWith("ERR_SSL_") && code.includes("ALERT") && code.includes("CERTIFICATE"))
    return [code, "TLS", ({ host }) => `${host} refused the client certificate`];
  if (/^(?:ERR_SSL_|ERR_TLS_|ERR_OSSL_|EPROTO$)/.test(code))
    return [code, "TLS", ({ address }) => `the TLS handshake with ${address} failed (${code})`];
  if (code.startsWith("ERR_HTTP2_") || code === "UND_ERR_INFO")
    return [code, "ConnectionReset", ({ address }) => `connection broken off by ${address}`];
  const named = code === "" ? "" : ` (${code})`;
  return [code, "Protocol", ({ address }) => `${address} does not answer as a Kubernetes API server${named}`];
}

function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return "";
}

function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${(ms / 1000).toFixed(1)} s`;
}
