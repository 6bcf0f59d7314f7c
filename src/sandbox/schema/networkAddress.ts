/** IP addresses and network prefixes as numbers, parsed as Go does. */

export interface Address {
  family: 4 | 6;
  value: bigint;
  /** An IPv4 address written as IPv6: `::ffff:10.0.0.1`. */
  mapped: boolean;
}

export interface Prefix {
  address: Address;
  length: number;
}

const MAPPED = 0xffffn << 32n;

/** Undefined if the text is no address; zones (`%eth0`) are not allowed. */
export function parseAddress(text: string, leadingZeros: "allowed" | "refused" = "refused"): Address | undefined {
  if (!text.includes(":")) {
    const value = parseIPv4(text, leadingZeros);
    return value === undefined ? undefined : { family: 4, value, mapped: false };
  }
  const value = parseIPv6(text, leadingZeros);
  return value === undefined ? undefined : { family: 6, value, mapped: value >> 32n === MAPPED >> 32n };
}

function parseIPv4(text: string, leadingZeros: "allowed" | "refused"): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) && !(leadingZeros === "allowed" && /^\d+$/.test(part))) return undefined;
    if (leadingZeros === "refused" && part.length > 1 && part.startsWith("0")) return undefined;
    if (Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseIPv6(text: string, leadingZeros: "allowed" | "refused"): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const groups: bigint[] = [];
  const all = [...head, ...tail];
  for (const [index, part] of all.entries()) {
    if (part.includes(".") && index === all.length - 1) {
      const dotted = parseIPv4(part, leadingZeros);
      if (dotted === undefined) return undefined;
      groups.push(dotted >> 16n, dotted & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  const missing = 8 - groups.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  groups.splice(head.length, 0, ...Array.from({ length: missing }, () => 0n));
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Parses a prefix such as `10.0.0.0/8`; undefined for an invalid one. */
export function parsePrefix(text: string, leadingZeros: "allowed" | "refused" = "refused"): Prefix | undefined {
  const [, host, bits] = /^(.*)\/(\d{1,3})$/.exec(text) ?? [];
  if (host === undefined || bits === undefined) return undefined;
  if (leadingZeros === "refused" && bits.length > 1 && bits.startsWith("0")) return undefined;
  const address = parseAddress(host, leadingZeros);
  const length = Number(bits);
  return address === undefined || length > width(address) ? undefined : { address, length };
}

export function width({ family }: Address): number {
  return family === 4 ? 32 : 128;
}

/** The first address of the network. */
export function masked({ address, length }: Prefix): Prefix {
  const host = BigInt(width(address) - length);
  return { address: { ...address, value: (address.value >> host) << host }, length };
}

export function containsAddress(prefix: Prefix, address: Address): boolean {
  if (prefix.address.family !== address.family) return false;
  const host = BigInt(width(address) - prefix.length);
  return prefix.address.value >> host === address.value >> host;
}

/** The address as Go prints it: no leading zeros, the longest run of zero groups as `::`. */
export function formatAddress({ family, value, mapped }: Address): string {
  const dotted = (four: bigint) => [24n, 16n, 8n, 0n].map((shift) => (four >> shift) & 0xffn).join(".");
  if (family === 4) return dotted(value);
  if (mapped) return `::ffff:${dotted(value & 0xffffffffn)}`;
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - index * 16)) & 0xffffn);
  let [start, length] = [0, 0];
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (end < 8 && groups[end] === 0n) end++;
    if (end - at > length) [start, length] = [at, end - at];
  }
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

export function formatPrefix({ address, length }: Prefix): string {
  return `${formatAddress(address)}/${length}`;
}
