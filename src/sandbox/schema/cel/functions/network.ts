import {
  type Address,
  containsAddress,
  formatAddress,
  formatPrefix,
  masked,
  parseAddress,
  parsePrefix,
  type Prefix,
} from "../../networkAddress.ts";
import { type GoUrl, isRequestUri, parseQuery, parseUrl, requestUriError } from "../../uri.ts";
import type { Comparable } from "../equality.ts";
import { type CelFunction, evaluationError } from "../library.ts";

/** Addresses, networks and URLs. */

export class Ip implements Comparable {
  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
  }

  equals(other: unknown): boolean {
    return other instanceof Ip && formatAddress(other.address) === formatAddress(this.address);
  }
}

export class Cidr implements Comparable {
  readonly prefix: Prefix;

  constructor(prefix: Prefix) {
    this.prefix = prefix;
  }

  equals(other: unknown): boolean {
    return other instanceof Cidr && formatPrefix(other.prefix) === formatPrefix(this.prefix);
  }
}

export class Url implements Comparable {
  readonly text: string;
  readonly parts: GoUrl;

  constructor(text: string) {
    this.text = text;
    this.parts = parseUrl(text);
  }

  equals(other: unknown): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

export class IpNamespace {}

const IP = "net.IP";
const CIDR = "net.CIDR";
const URL_TYPE = "kubernetes.URL";

export const networkTypes = [
  { name: IP, ctor: Ip },
  { name: CIDR, ctor: Cidr },
  { name: URL_TYPE, ctor: Url },
];

function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw evaluationError(`${JSON.stringify(text)} is no IP address`);
  if (address.mapped) throw evaluationError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return address;
}

function prefixOf(text: string): Prefix {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw evaluationError(`${JSON.stringify(text)} is no network address`);
  if (prefix.address.mapped) throw evaluationError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return prefix;
}

function isAddress(text: string): boolean {
  return parseAddress(text)?.mapped === false;
}

function within(network: string, { address }: Ip): boolean {
  const prefix = parsePrefix(network);
  return prefix !== undefined && containsAddress(prefix, address);
}

function containsPrefix(outer: Cidr, inner: Prefix): boolean {
  return outer.prefix.length <= inner.length && containsAddress(outer.prefix, inner.address);
}

export const networkFunctions: readonly CelFunction[] = [
  [`ip(string): ${IP}`, (text: string) => new Ip(addressOf(text))],
  ["isIP(string): bool", isAddress],
  ["IpNamespace.isCanonical(string): bool", (_: unknown, text: string) => formatAddress(addressOf(text)) === text],
  [`string(${IP}): string`, ({ address }: Ip) => formatAddress(address)],
  [`${IP}.family(): int`, ({ address }: Ip) => BigInt(address.family)],
  [`${IP}.isUnspecified(): bool`, ({ address }: Ip) => address.value === 0n],
  [`${IP}.isLoopback(): bool`, (ip: Ip) => within("127.0.0.0/8", ip) || within("::1/128", ip)],
  [
    `${IP}.isLinkLocalMulticast(): bool`,
    (ip: Ip) =>
      within("224.0.0.0/24", ip) || (ip.address.family === 6 && ((ip.address.value >> 112n) & 0xff0fn) === 0xff02n),
  ],
  [`${IP}.isLinkLocalUnicast(): bool`, (ip: Ip) => within("169.254.0.0/16", ip) || within("fe80::/10", ip)],
  [`${IP}.isGlobalUnicast(): bool`, isGlobalUnicast],
  [`cidr(string): ${CIDR}`, (text: string) => new Cidr(prefixOf(text))],
  ["isCIDR(string): bool", (text: string) => parsePrefix(text)?.address.mapped === false],
  [`string(${CIDR}): string`, ({ prefix }: Cidr) => formatPrefix(prefix)],
  [`${CIDR}.containsIP(string): bool`, ({ prefix }: Cidr, text: string) => containsAddress(prefix, addressOf(text))],
  [`${CIDR}.containsIP(${IP}): bool`, ({ prefix }: Cidr, { address }: Ip) => containsAddress(prefix, address)],
  [`${CIDR}.containsCIDR(string): bool`, (outer: Cidr, text: string) => containsPrefix(outer, prefixOf(text))],
  [`${CIDR}.containsCIDR(${CIDR}): bool`, (outer: Cidr, { prefix }: Cidr) => containsPrefix(outer, prefix)],
  [`${CIDR}.ip(): ${IP}`, ({ prefix }: Cidr) => new Ip(prefix.address)],
  [`${CIDR}.prefixLength(): int`, ({ prefix }: Cidr) => BigInt(prefix.length)],
  [`${CIDR}.masked(): ${CIDR}`, ({ prefix }: Cidr) => new Cidr(masked(prefix))],
  [`url(string): ${URL_TYPE}`, urlOf],
  ["isURL(string): bool", isRequestUri],
  [`${URL_TYPE}.getScheme(): string`, ({ parts }: Url) => parts.scheme],
  [`${URL_TYPE}.getHost(): string`, ({ parts }: Url) => parts.host],
  [`${URL_TYPE}.getHostname(): string`, ({ parts }: Url) => parts.hostname],
  [`${URL_TYPE}.getPort(): string`, ({ parts }: Url) => parts.port],
  [`${URL_TYPE}.getEscapedPath(): string`, ({ parts }: Url) => parts.escapedPath],
  [`${URL_TYPE}.getQuery(): map<string, list<string>>`, ({ parts }: Url) => parseQuery(parts.rawQuery)],
];

function urlOf(text: string): Url {
  const wrong = requestUriError(text);
  if (wrong !== undefined) throw evaluationError(`${JSON.stringify(text)} is no URL: ${wrong}`);
  return new Url(text);
}

function isGlobalUnicast(ip: Ip): boolean {
  const { family, value } = ip.address;
  if (value === 0n || (family === 4 && value === 0xffffffffn)) return false;
  const special = ["127.0.0.0/8", "::1/128", "224.0.0.0/4", "ff00::/8", "169.254.0.0/16", "fe80::/10"];
  return !special.some((network) => within(network, ip));
}
