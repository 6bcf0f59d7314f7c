import { X509Certificate } from "node:crypto";
import type { Logger } from "../../../observability/index.ts";
import { type Client, type Clock, CONFIGMAPS } from "../../../runtime/index.ts";

/** The API server that passes requests on to an APIService. */
export interface ProxyTrust {
  roots: readonly X509Certificate[];
  /** Common names of its certificate. Empty: any. */
  allowedNames: readonly string[];
  usernameHeaders: readonly string[];
  groupHeaders: readonly string[];
  extraPrefixes: readonly string[];
}

/** Authorities whose client certificates are believed. */
export interface ClientTrust {
  clientRoots: readonly X509Certificate[];
  proxy: ProxyTrust | undefined;
  /** PEM of all, for TLS. */
  bundle: string;
}

export const NO_CLIENT_TRUST: ClientTrust = { clientRoots: [], proxy: undefined, bundle: "" };

const NAMESPACE = "kube-system";
const NAME = "extension-apiserver-authentication";
const AGAIN_MS = 60_000;
const AFTER_FAILURE_MS = 10_000;

/** Reads what `extension-apiserver-authentication` says. A value that cannot be read trusts nobody. */
export function clientTrustFrom(data: Readonly<Record<string, string>>): ClientTrust {
  const client = data["client-ca-file"] ?? "";
  const proxy = data["requestheader-client-ca-file"] ?? "";
  const [clientRoots, roots] = [rootsIn(client), rootsIn(proxy)];
  const allowedNames = listIn(data["requestheader-allowed-names"]);
  const usernameHeaders = listIn(data["requestheader-username-headers"]) ?? [];
  const groupHeaders = listIn(data["requestheader-group-headers"]) ?? [];
  const extraPrefixes = listIn(data["requestheader-extra-headers-prefix"]) ?? [];
  // Any user's certificate would be the proxy's.
  const isOpen = allowedNames?.length === 0 && roots.some((root) => clientRoots.some((one) => isSame(one, root)));
  const isUsable = roots.length > 0 && usernameHeaders.length > 0 && allowedNames !== undefined && !isOpen;
  return {
    clientRoots,
    proxy: isUsable
      ? {
          roots,
          allowedNames,
          usernameHeaders: lower(usernameHeaders),
          groupHeaders: lower(groupHeaders),
          extraPrefixes: lower(extraPrefixes),
        }
      : undefined,
    bundle: [...clientRoots, ...roots].map((root) => root.toString()).join(""),
  };
}

export interface ClientTrustOptions {
  client: Client;
  clock: Clock;
  logger: Logger;
}

/** Calls `use` with each new trust until the signal. The old trust stays while the hub does not answer. */
export async function followClientTrust(
  { client, clock, logger }: ClientTrustOptions,
  use: (trust: ClientTrust) => void,
  signal: AbortSignal,
): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    let next = AGAIN_MS;
    try {
      // The manager may list ConfigMaps, not get them.
      const { items } = await client.list(CONFIGMAPS, {
        namespace: NAMESPACE,
        fieldSelector: `metadata.name=${NAME}`,
        signal,
      });
      const data = (items[0]?.["data"] ?? {}) as Record<string, string>;
      const text = JSON.stringify(data);
      if (text !== before) use(clientTrustFrom(data));
      before = text;
    } catch (error) {
      if (signal.aborted) return;
      next = AFTER_FAILURE_MS;
      logger.warn(
        { err: error, configmap: `${NAMESPACE}/${NAME}` },
        "cannot read which client certificates the hub accepts; queries by certificate are refused",
      );
    }
    await clock.sleep(next, signal).catch(() => undefined);
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function rootsIn(pem: string): X509Certificate[] {
  try {
    return [...pem.matchAll(CERTIFICATE)].map(([one]) => new X509Certificate(one));
  } catch {
    return [];
  }
}

/** Undefined: not a list of texts. An absent value is an empty list. */
function listIn(text: string | undefined): string[] | undefined {
  if (text === undefined || text === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

function lower(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}

function isSame(one: X509Certificate, other: X509Certificate): boolean {
  return one.fingerprint256 === other.fingerprint256;
}

/**
 * True if a root has signed the certificate itself, and both are valid now. OpenSSL has checked the rest before; that an
 * authority between them is a proxy's or a user's, Node does not tell.
 */
export function isSignedBy(certificate: X509Certificate, roots: readonly X509Certificate[], now: number): boolean {
  return isValid(certificate, now) && roots.some((root) => isValid(root, now) && isIssuer(root, certificate));
}

function isIssuer(issuer: X509Certificate, signed: X509Certificate): boolean {
  return issuer.ca && signed.checkIssued(issuer) && signed.verify(issuer.publicKey);
}

function isValid({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now <= validToDate.getTime();
}
