/** Result of a request for one specific address or port. */
export type Taken = "taken" | "in use" | "out of range";

export interface AllocationRanges {
  /** The network of cluster IPs, IPv4. */
  clusterIPs?: string;
  nodePorts?: { first: number; last: number };
}

/**
 * Cluster IPs and node ports of the Services of one cluster. A released address or port is reused only after the rest
 * of the range, so that late clients of a deleted Service do not reach another one.
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

  /**
   * Throws when `clusterIPs` is no network. Automatic allocation starts above the lower part, which is for addresses
   * that clients request, as on a real server.
   */
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

  /** Takes the next free address; undefined when the range is used up. */
  takeAnyClusterIP(): string | undefined {
    // Skips the network address and the broadcast address.
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

  /** Takes the next free port; undefined when the range is used up. */
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

  /** No effect on a free address. */
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

/** Undefined if the text is no IPv4 address. */
export function addressNumber(address: string): number | undefined {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}
