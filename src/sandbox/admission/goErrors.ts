/** What Kubernetes' own client says when a call fails, so that people find what they know. */

const BY_STATUS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  413: "the request is too large",
  415: "the body of the request was in an unknown format - accepted media types include: ",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** An answer other than 2xx, with the text that came with it. */
export function httpFailure(status: number, text: string): string {
  const body = text.trim();
  if (status === 403) return body === "" ? "forbidden" : body;
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`;
  return "the server rejected our request for an unknown reason";
}

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout",
  UND_ERR_CONNECT_TIMEOUT: "i/o timeout",
};

const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);

/** A call that got no answer. */
export function transportFailure(error: unknown, { host, hostname, port }: URL): string {
  const { code = "", message } = error as { code?: string; message: string };
  const dialled = BY_CODE[code];
  if (dialled !== undefined) return `dial tcp ${port === "" ? `${host}:443` : host}: ${dialled}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return "EOF";
  if (UNTRUSTED.has(code)) return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `tls: failed to verify certificate: x509: ${message}`;
  return message;
}
