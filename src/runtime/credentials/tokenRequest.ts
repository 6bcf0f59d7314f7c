import { defined } from "../../apis/index.ts";
import { locatedAt, TransportError } from "../core/index.ts";
import type { CallOptions, Client } from "../types.ts";

export interface TokenRequestOptions extends CallOptions {
  namespace: string;
  serviceAccount: string;
  /** Life that is asked for, in seconds; the server may give less (or, below 600, refuse). */
  expirationSeconds: number;
  /** Default: the API server's own. */
  audiences?: string[];
}

export interface RequestedToken {
  token: string;
  /** Epoch milliseconds by the server's clock: what it gave, not what was asked for. */
  expiresAt: number;
}

/** A token is sent in a header; API servers take no longer ones than this. */
const LONGEST_TOKEN = 64 << 10;
const LONGEST_TIME = 64;

/** Has the API server issue a token for a service account (TokenRequest). Throws as {@link Client} does. */
export async function requestToken(client: Client, options: TokenRequestOptions): Promise<RequestedToken> {
  const { namespace, serviceAccount, expirationSeconds, audiences, signal } = options;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(serviceAccount)}/token`;
  const answer = (await client.raw("POST", path, {
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds, ...defined({ audiences }) },
    },
    ...defined({ signal }),
  })) as { status?: { token?: unknown; expirationTimestamp?: unknown } } | null;
  const { token, expirationTimestamp } = answer?.status ?? {};
  const isTime = typeof expirationTimestamp === "string" && expirationTimestamp.length <= LONGEST_TIME;
  const expiresAt = isTime ? Date.parse(expirationTimestamp) : Number.NaN;
  const isToken = typeof token === "string" && token !== "" && token.length <= LONGEST_TOKEN;
  if (!isToken || Number.isNaN(expiresAt)) {
    const fault = new TransportError("Protocol", `cluster ${client.cluster} answered a TokenRequest without a token`);
    throw locatedAt(fault, `POST ${path}`);
  }
  return { token, expiresAt };
}
