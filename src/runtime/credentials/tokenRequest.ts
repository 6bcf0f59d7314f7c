import { defined } from "../../apis/index.ts";
import { locatedAt, TransportError } from "../core/index.ts";
import type { CallOptions, Client } from "../types.ts";

export interface TokenRequestOptions extends CallOptions {
  namespace: string;
  serviceAccount: string;
  /** The server may grant less, and may refuse less than 600. */
  expirationSeconds: number;
  /** Default: the audiences of the API server. */
  audiences?: string[];
}

export interface RequestedToken {
  token: string;
  /** Granted, not requested; epoch milliseconds of the server's clock. */
  expiresAt: number;
}

/** A header of an API server is no longer. */
const LONGEST_TOKEN = 64 << 10;
const LONGEST_TIME = 64;

/** Throws as {@link Client} does. */
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
