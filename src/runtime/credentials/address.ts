import dns, { type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isRefusedHost, trimEnd } from "../../apis/index.ts";
import { CredentialsError } from "../core/index.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Validates the `server` of a kubeconfig: https, or http on loopback; no user, query, link-local or metadata address.
 * Returns it without a slash at the end. Messages begin with `subject`.
 */
export function checkedServer(server: string, subject: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new CredentialsError(
      "InvalidKubeconfig",
      `${subject}: the server of the kubeconfig is not an https:// address`,
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new CredentialsError(
      "InvalidKubeconfig",
      `${subject}: the server of the kubeconfig may hold a host, a port and a path only`,
    );
  }
  const host = hostOf(url);
  if (isRefusedHost(host)) {
    throw new CredentialsError(
      "Refused",
      `${subject}: the server ${host} is a link-local or metadata address; credentials are never sent there`,
    );
  }
  if (url.protocol === "http:" && !isLoopback(host)) {
    throw new CredentialsError(
      "Refused",
      `${subject}: the server ${host} must be reached by https, so that credentials stay secret`,
    );
  }
  return trimEnd(url.href, "/");
}

/** Without the brackets and the dot at the end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Host and port. */
export function addressOf(url: URL): string {
  const port = url.port !== "" ? url.port : url.protocol === "http:" ? "80" : "443";
  return `${url.hostname.replace(/\.$/, "")}:${port}`;
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return host === "localhost" || (family !== 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4"));
}

type Resolve = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, found: string | LookupAddress[], family?: number) => void,
) => void;

/** Lookup that refuses link-local and metadata addresses in the very answer that the connection uses (DNS rebinding). */
export function guarded(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, found, family) => {
      if (error !== null) {
        callback(error, found, family);
        return;
      }
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
      if (addresses.some(isRefusedHost)) {
        const refusal = new CredentialsError(
          "Refused",
          `the host name ${hostname} leads to a link-local or metadata address; credentials are never sent there`,
        );
        callback(refusal, found, family);
        return;
      }
      callback(null, found, family);
    });
  };
}

export const guardedLookup: LookupFunction = guarded((name, options, callback) => dns.lookup(name, options, callback));
