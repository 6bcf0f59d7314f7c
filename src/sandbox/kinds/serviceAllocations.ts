/** What came of asking for one address or port by name. */
export type Taken = "taken" | "in use" | "out of range";

export interface AllocationRanges {
  /** The network of cluster IPs, IPv4. */
  clusterIPs?: string;
  nodePorts?: { first: number; last: number };
}

/**
 * Which cluster IPs and node ports the Services of one cluster have. What was released is given out again only after the rest of the range has
 * had its turn, so that a late client of a deleted Service does not meet another one.
 */
export class ServiceAllocations {
  readonly #network: number;
  readonly #size: number;
  readonly #firstPort: number;
  readonly #lastPort: number;
  readonly #addresses = new Set<number>();
  readonly #ports = new Set<number>();
  #nextAddress: number;
  #nextPort: number;
  readonly clusterIPRange: string;

  /** Throws when the network is none. The lower part of it is left to those who ask for an address by name, as on a real server. */
  constructor({ clusterIPs = "10.96.0.0/16", nodePorts = { first: 30_000, last: 32_767 } }: AllocationRanges = {}) {
    const [base = "", bits = ""] = clusterIPs.split("/");
    const network = addressNumber(base);
    const length = Number(bits);
    if (network === undefined || !Number.isInteger(length) || length < 8 || length > 29) {
      throw new Error(`${clusterIPs} is no network for cluster IPs`);
    }
    this.clusterIPRange = clusterIPs;
    this.#size = 2 ** (32 - length);
    this.#network = network - (network % this.#size);
    this.#firstPort = nodePorts.first;
    this.#lastPort = nodePorts.last;
    this.#nextAddress = Math.min(256, Math.max(16, Math.floor(this.#size / 16)));
    this.#nextPort = this.#firstPort + Math.min(128, Math.floor((this.#lastPort - this.#firstPort + 1) / 32));
  }

  /** `30000-32767` */
  get nodePortRange(): string {
    return `${this.#firstPort}-${this.#lastPort}`;
  }

  /** Takes the next free address; undefined when there is none. */
  takeAnyClusterIP(): string | undefined {
    // Neither the network's own address nor the last, which is for broadcasts.
    for (let tried = 0; tried < this.#size; tried++) {
      const offset = this.#nextAddress;
      this.#nextAddress = offset + 1 >= this.#size - 1 ? 1 : offset + 1;
      if (offset < 1 || offset >= this.#size - 1 || this.#addresses.has(offset)) continue;
      this.#addresses.add(offset);
      return addressText(this.#network + offset);
    }
    return undefined;
  }

  takeClusterIP(address: string): Taken {
    const offset = this.#offset(address);
    if (offset === undefined) return "out of range";
    if (this.#addresses.has(offset)) return "in use";
    this.#addresses.add(offset);
    return "taken";
  }

  /** Takes the next free port; undefined when there is none. */
  takeAnyNodePort(): number | undefined {
    const count = this.#lastPort - this.#firstPort + 1;
    for (let tried = 0; tried < count; tried++) {
      const port = this.#nextPort;
      this.#nextPort = port === this.#lastPort ? this.#firstPort : port + 1;
      if (this.#ports.has(port)) continue;
      this.#ports.add(port);
      return port;
    }
    return undefined;
  }

  takeNodePort(port: number): Taken {
    if (port < this.#firstPort || port > this.#lastPort) return "out of range";
    if (this.#ports.has(port)) return "in use";
    this.#ports.add(port);
    return "taken";
  }

  /** What is not taken stays so. */
  releaseClusterIP(address: string): void {
    const offset = this.#offset(address);
    if (offset !== undefined) this.#addresses.delete(offset);
  }

  releaseNodePort(port: number): void {
    this.#ports.delete(port);
  }

  #offset(address: string): number | undefined {
    const number = addressNumber(address);
    if (number === undefined) return undefined;
    const offset = number - this.#network;
    return offset >= 1 && offset < this.#size - 1 ? offset : undefined;
  }
}

/** Undefined for what is no IPv4 address. */
export function addressNumber(address: string): number | undefined {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}
