import { CredentialsError, TransportError, type TransportReason } from "../core/index.ts";

/** Facts about the failed connection, for the message. */
export interface ConnectionFacts {
  host: string;
  /** Host and port. */
  address: string;
  /** `tls-server-name` of the kubeconfig. */
  tlsServerName?: string;
  /** True if the configuration of the cluster has its own certificate authority. */
  ownCa: boolean;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
}

/**
 * Maps errors of undici, Node and OpenSSL to one of a few reasons, with a message that a person can act on. The
 * original error stays as `cause`.
 */
export function asTransportError(error: unknown, facts: ConnectionFacts): TransportError | CredentialsError {
  if (error instanceof TransportError || error instanceof CredentialsError) return error;
  const code = codeOf(error);
  const [reason, message] = describe(code, facts);
  return new TransportError(reason, message, error);
}

function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return "";
}

function describe(code: string, facts: ConnectionFacts): [TransportReason, string] {
  switch (code) {
    case "ECONNREFUSED":
      return ["ConnectionRefused", `connection refused by ${facts.address}`];
    case "ECONNRESET":
    case "EPIPE":
    case "ECONNABORTED":
    case "UND_ERR_SOCKET":
      return ["ConnectionReset", `connection closed by ${facts.address}`];
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
      return ["Unreachable", `no route to ${facts.address}`];
    case "UND_ERR_CONNECT_TIMEOUT":
    case "ETIMEDOUT":
      return ["Timeout", `connecting to ${facts.address} timed out after ${seconds(facts.connectTimeoutMs)}`];
    case "UND_ERR_HEADERS_TIMEOUT":
      return ["Timeout", `${facts.address} did not answer within ${seconds(facts.requestTimeoutMs)}`];
    case "UND_ERR_BODY_TIMEOUT":
      return ["Timeout", `the answer broke off: nothing came for ${seconds(facts.idleTimeoutMs)}`];
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_FAIL":
      return ["DNS", `host name ${facts.host} cannot be resolved`];
    case "UND_ERR_ABORTED":
    case "UND_ERR_DESTROYED":
    case "UND_ERR_CLOSED":
      return ["Aborted", "the client was closed"];
    default:
      return describeTls(code, facts) ?? describeProtocol(code, facts);
  }
}

function describeTls(code: string, facts: ConnectionFacts): [TransportReason, string] | undefined {
  switch (code) {
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "CERT_SIGNATURE_FAILURE":
    case "CERT_UNTRUSTED":
    case "INVALID_CA":
      return [
        "TLS",
        facts.ownCa
          ? "certificate is not signed by the CA in the kubeconfig"
          : "certificate is not signed by a CA that this machine trusts, and the kubeconfig names none",
      ];
    case "CERT_HAS_EXPIRED":
      return ["TLS", `the certificate of ${facts.host}, or its CA's, has expired`];
    case "CERT_NOT_YET_VALID":
      return ["TLS", `the certificate of ${facts.host} is not valid yet: compare the clocks`];
    case "CERT_REVOKED":
      return ["TLS", `the certificate of ${facts.host} was revoked`];
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return [
        "TLS",
        facts.tlsServerName === undefined
          ? `the certificate of the server is not for ${facts.host}`
          : `the certificate of the server is not for ${facts.tlsServerName}, the tls-server-name in the kubeconfig`,
      ];
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return ["TLS", `${facts.address} does not speak TLS`];
    default:
      if (code.startsWith("ERR_SSL_") && code.includes("ALERT") && code.includes("CERTIFICATE")) {
        return ["TLS", `${facts.host} refused the client certificate`];
      }
      if (
        code.startsWith("ERR_SSL_") ||
        code.startsWith("ERR_TLS_") ||
        code.startsWith("ERR_OSSL_") ||
        code === "EPROTO"
      ) {
        return ["TLS", `the TLS handshake with ${facts.address} failed (${code})`];
      }
      return undefined;
  }
}

function describeProtocol(code: string, facts: ConnectionFacts): [TransportReason, string] {
  if (code.startsWith("ERR_HTTP2_") || code === "UND_ERR_INFO") {
    return ["ConnectionReset", `connection broken off by ${facts.address}`];
  }
  return ["Protocol", `${facts.address} does not answer as a Kubernetes API server${code === "" ? "" : ` (${code})`}`];
}

function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${(ms / 1000).toFixed(1)} s`;
}
