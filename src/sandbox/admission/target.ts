import type { AdmissionEnvironment, ClientConfig } from "./types.ts";
import { WebhookCallError } from "./errors.ts";

/** Address of a webhook. */
export interface Target {
  /** The URL in errors, with the Service's name as the host. */
  url: URL;
  /** The host to connect to, if it differs from the URL's. */
  address?: { host: string; port: number };
  /** The server name that the certificate must have. */
  serverName?: string;
  /** PEM; undefined for the authorities that the platform trusts. */
  ca?: string;
}

interface ServicePort {
  port: number;
}

/**
 * Resolves a webhook's address; `seconds`: the webhook's timeout. Throws a {@link WebhookCallError} for a Service that
 * is not reachable. A sandbox has no network of its own, so only Services of type ExternalName are reachable.
 */
export function targetOf(
  config: ClientConfig,
  seconds: number,
  services: Pick<AdmissionEnvironment, "service">,
): Target {
  const ca = config.caBundle === undefined || config.caBundle === "" ? {} : { ca: fromBase64(config.caBundle) };
  const { service } = config;
  if (service === undefined) {
    const url = new URL(config.url ?? "");
    url.searchParams.set("timeout", `${seconds}s`);
    return { url, ...ca };
  }
  const { namespace, name, path = "/", port = 443 } = service;
  const host = `${name}.${namespace}.svc`;
  const text = `https://${host}:${port}${path.startsWith("/") ? path : `/${path}`}?timeout=${seconds}s`;
  const found = services.service(namespace, name);
  const fail = (why: string) => new WebhookCallError(`Post ${JSON.stringify(text)}: ${why}`);
  if (found === undefined) throw fail(`service ${JSON.stringify(name)} not found`);
  const { type, externalName, ports } = found["spec"] as {
    type?: string;
    externalName?: string;
    ports?: ServicePort[];
  };
  if (type === "ExternalName" && externalName !== undefined) {
    return { url: new URL(text), address: { host: externalName, port }, serverName: host, ...ca };
  }
  if (!(ports ?? []).some((candidate) => candidate.port === port)) {
    throw fail(`no service port ${port} found for service ${JSON.stringify(name)}`);
  }
  throw fail(`no endpoints available for service ${JSON.stringify(name)}`);
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}

/** The URL as errors show it: a Service's port is printed even if it is the default. */
export function urlText({ url, address }: Target): string {
  return address === undefined || url.port !== "" ? url.href : url.href.replace(url.host, `${url.host}:443`);
}
