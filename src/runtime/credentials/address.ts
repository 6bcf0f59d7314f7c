import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { CredentialsError } from "../errors.ts";

/**
 * Where credentials may be sent. Who can write a member's kubeconfig must not make Meridian talk to the metadata service
 * of the cloud it runs in, by address or by a name that resolves to it.
 */
const forbidden = new BlockList();
forbidden.addSubnet("169.254.0.0", 16, "ipv4");
forbidden.addSubnet("fe80::", 10, "ipv6");
forbidden.addAddress("fd00:ec2::254", "ipv6");
forbidden.addAddress("fd20:ce::254", "ipv6");
forbidden.addAddress("100.100.100.200", "ipv4");
forbidden.addAddress("168.63.129.16", "ipv4");
forbidden.addAddress("192.0.0.192", "ipv4");
forbidden.addSubnet("0.0.0.0", 8, "ipv4");
forbidden.addAddress("::", "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

/**
 * Reads and checks the `server` of a kubeconfig: https, or http on loopback; no user, no query; not link-local and not a
 * metadata service. Returns it without a slash at the end.
 */
export function checkedServer(server: string, cluster: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new CredentialsError(
      "InvalidKubeconfig",
      `cluster ${cluster}: the server of the kubeconfig is not an https:// address`,
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new CredentialsError(
      "InvalidKubeconfig",
      `cluster ${cluster}: the server of the kubeconfig may hold a host, a port and a path only`,
    );
  }
  const host = hostOf(url);
  if (isForbiddenHost(host)) {
    throw new CredentialsError(
      "Refused",
      `cluster ${cluster}: the server ${host} is a link-local or metadata address; credentials are never sent there`,
    );
  }
  if (url.protocol === "http:" && !isLoopback(host)) {
    throw new CredentialsError(
      "Refused",
      `cluster ${cluster}: the server ${host} must be reached by https, so that credentials stay secret`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Host of a URL without the brackets and the dot at the end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function isForbiddenHost(host: string): boolean {
  return METADATA_NAMES.has(host.toLowerCase()) || isForbiddenAddress(host);
}

function isForbiddenAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && forbidden.check(address, family === 6 ? "ipv6" : "ipv4");
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return host === "localhost" || (family !== 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4"));
}

/** Resolves names for connections, and refuses those that lead to a forbidden address. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(
    hostname,
    options,
    (error: NodeJS.ErrnoException | null, found: string | LookupAddress[], family?: number) => {
      if (error !== null) {
        callback(error, found, family);
        return;
      }
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
      if (addresses.some(isForbiddenAddress)) {
        const refusal = new CredentialsError(
          "Refused",
          `the host name ${hostname} leads to a link-local or metadata address; credentials are never sent there`,
        );
        callback(refusal, found, family);
        return;
      }
      callback(null, found, family);
    },
  );
};
