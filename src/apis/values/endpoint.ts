/**
 * Metadata services of clouds give any process the machine's own credentials, and a link-local address means another
 * machine on every machine. A kubeconfig with such an address would put the answers into a status.
 */
const METADATA_HOSTS: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
]);

/** AWS and Google Cloud over IPv6, Alibaba Cloud, Oracle Cloud, Azure's wire server. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
]);

/**
 * Why the manager must not connect to a server. Resolves no names: {@link isRefusedHost} judges what a resolver gives.
 */
export function refuseEndpoint(server: string): string | undefined {
  if (!URL.canParse(server)) return "is not an address; write one such as https://api.example.com:6443";
  const host = canonical(new URL(server).hostname);
  const what = refusalOf(host);
  return what === undefined ? undefined : `${host} ${what}; write the address of the cluster's API server`;
}

/** No credentials may be sent to this name, or address as a resolver gives it, also with a zone (`fe80::1%eth0`). */
export function isRefusedHost(host: string): boolean {
  const [name = ""] = host.split("%", 1);
  const url = `https://${name.includes(":") ? `[${name.replace(/^\[|\]$/g, "")}]` : name}`;
  // A text that is no valid host is refused too.
  return !URL.canParse(url) || refusalOf(canonical(new URL(url).hostname)) !== undefined;
}

/** The URL parser has already given every notation of an address the same form. */
function canonical(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

function refusalOf(host: string): string | undefined {
  const address = embeddedIpv4(host) ?? host;
  if (METADATA_HOSTS.has(host) || METADATA_ADDRESSES.has(address))
    return "is a cloud's metadata service, not a cluster";
  if (/^169\.254\.\d{1,3}\.\d{1,3}$/.test(address) || /^fe[89ab][0-9a-f]:/.test(address))
    return "is a link-local address, which is valid only on the local link";
  if (/^0\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address) || address === "::")
    return "is the address of no machine in particular";
  return undefined;
}

/** As the URL parser writes `::ffff:a9fe:a9fe`, `64:ff9b::a9fe:a9fe` and `2002:a9fe:a9fe::`. */
function embeddedIpv4(host: string): string | undefined {
  const [, high, low] =
    /^(?:::ffff:(?:0:)?|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ??
    /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/.exec(host) ??
    [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
