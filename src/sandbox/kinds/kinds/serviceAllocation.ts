import { failure, invalid as invalidObject } from "../../statusError.ts";
import type { FieldError } from "../../types.ts";
import { invalid } from "../../fieldErrors.ts";
import type { ServiceAllocations } from "../serviceAllocations.ts";
import { count, fields, type Fields, fieldsList, isMissing, text, texts } from "../values.ts";
import { isHeadless, needsHealthCheck, validateClusterIPs } from "../validation/services.ts";

/** Addresses and ports that one write allocates, and those to release once the write is stored. */
export class Allocation {
  readonly #allocations: ServiceAllocations;
  readonly #name: string;
  readonly #isDryRun: boolean;
  readonly #taken: (() => void)[] = [];
  readonly #released: (() => void)[] = [];

  constructor(allocations: ServiceAllocations, name: string, isDryRun: boolean) {
    this.#allocations = allocations;
    this.#name = name;
    this.#isDryRun = isDryRun;
  }

  /** Releases what the write allocated. */
  undo(): void {
    for (const giveBack of this.#taken.splice(0)) giveBack();
  }

  /** Releases what the Service had before and no longer uses. */
  commit(): void {
    for (const giveBack of this.#released.splice(0)) giveBack();
  }

  /**
   * The complete spec of a new Service. Throws a StatusError when an address or port is in use or the range is used up;
   * `undo` then releases earlier allocations.
   */
  forNew(spec: Fields): Fields {
    let next = withFamilies(spec, undefined, (errors) => this.#refuse(errors));
    next = this.#withClusterIPs(next);
    if (needsNodePorts(next)) next = this.#withNewNodePorts(next);
    return needsHealthCheck(next) ? this.#withHealthCheckPort(next) : next;
  }

  /** Like {@link forNew}, for an update. */
  forChanged(spec: Fields, old: Fields): Fields {
    let next = withFamilies(spec, old, (errors) => this.#refuse(errors));
    const [had, has] = [old["type"] !== "ExternalName", next["type"] !== "ExternalName"];
    if (!had && has) next = this.#withClusterIPs(next);
    if (had && !has && !isHeadless(old)) this.#releaseClusterIPs(old);
    if (needsNodePorts(next)) next = this.#withChangedNodePorts(next, old);
    else if (needsNodePorts(old)) this.#releaseNodePorts(nodePorts(old));
    if (needsHealthCheck(next) && !needsHealthCheck(old)) next = this.#withHealthCheckPort(next);
    else if (needsHealthCheck(old) && !needsHealthCheck(next)) {
      this.#releaseNodePorts([count(old["healthCheckNodePort"])]);
    }
    return next;
  }

  #refuse(errors: readonly FieldError[]): never {
    throw invalidObject({ group: "", kind: "Service", name: this.#name }, errors);
  }

  #withClusterIPs(spec: Fields): Fields {
    if (spec["type"] === "ExternalName" || isHeadless(spec)) return spec;
    const wanted = texts(spec["clusterIPs"])[0] ?? "";
    const address = wanted === "" ? this.#anyClusterIP() : this.#thatClusterIP(wanted, spec);
    return { ...spec, clusterIP: address, clusterIPs: [address] };
  }

  #anyClusterIP(): string {
    const address = this.#allocations.takeAnyClusterIP();
    if (address === undefined) {
      throw failure(500, "InternalError", "Internal error occurred: failed to allocate a serviceIP: range is full");
    }
    this.#taken.push(() => this.#allocations.releaseClusterIP(address));
    return address;
  }

  #thatClusterIP(address: string, spec: Fields): string {
    const taken = this.#allocations.takeClusterIP(address);
    if (taken === "taken") {
      this.#taken.push(() => this.#allocations.releaseClusterIP(address));
      return address;
    }
    if (taken === "in use" && this.#isDryRun) return address;
    const range = this.#allocations.clusterIPRange;
    const outside = this.#isDryRun
      ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range}`
      : "the provided network does not match the current range";
    const why = taken === "in use" ? "provided IP is already allocated" : outside;
    const errors = [invalid("spec.clusterIPs", spec["clusterIPs"], `failed to allocate IP ${address}: ${why}`)];
    return this.#refuse(errors);
  }

  #releaseClusterIPs(spec: Fields): void {
    for (const address of texts(spec["clusterIPs"])) {
      this.#released.push(() => this.#allocations.releaseClusterIP(address));
    }
  }

  #releaseNodePorts(ports: Iterable<number>): void {
    for (const port of ports) this.#released.push(() => this.#allocations.releaseNodePort(port));
  }

  #anyNodePort(): number {
    const port = this.#allocations.takeAnyNodePort();
    if (port === undefined) {
      throw failure(500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full");
    }
    this.#taken.push(() => this.#allocations.releaseNodePort(port));
    return port;
  }

  #thatNodePort(port: number, index: number): void {
    const taken = this.#allocations.takeNodePort(port);
    if (taken === "taken") {
      this.#taken.push(() => this.#allocations.releaseNodePort(port));
      return;
    }
    if (this.#isDryRun) return;
    const why =
      taken === "in use"
        ? "provided port is already allocated"
        : `provided port is not in the valid range. The range of valid ports is ${this.#allocations.nodePortRange}`;
    this.#refuse([invalid(`spec.ports[${index}].nodePort`, port, why)]);
  }

  /** All protocols of a port number share one node port. */
  #withNewNodePorts(spec: Fields): Fields {
    const ports = fieldsList(spec["ports"]);
    const byPort = new Map<number, number>();
    const next = ports.map((port, index) => {
      const number = count(port["port"]);
      const wanted = count(port["nodePort"]);
      const known = byPort.get(number);
      if (wanted === 0 && !givesNodePorts(spec)) return port;
      if (known === undefined) {
        const asked = ports.find((other) => count(other["port"]) === number && count(other["nodePort"]) !== 0);
        const nodePort = count(asked?.["nodePort"]);
        if (nodePort !== 0) this.#thatNodePort(nodePort, index);
        const taken = nodePort === 0 ? this.#anyNodePort() : nodePort;
        byPort.set(number, taken);
        // Another protocol of this port may request its own node port, which is taken in that port's turn.
        return { ...port, nodePort: taken };
      }
      if (wanted === known) return port;
      if (wanted === 0) return { ...port, nodePort: known };
      this.#thatNodePort(wanted, index);
      return port;
    });
    return isMissing(spec["ports"]) ? spec : { ...spec, ports: next };
  }

  #withChangedNodePorts(spec: Fields, old: Fields): Fields {
    const before = nodePorts(old);
    const taken = new Set<number>();
    const ports = fieldsList(spec["ports"]).map((port, index) => {
      const wanted = count(port["nodePort"]);
      if (wanted === 0) return givesNodePorts(spec) ? { ...port, nodePort: this.#anyNodePort() } : port;
      if (!before.has(wanted) && !taken.has(wanted)) this.#thatNodePort(wanted, index);
      taken.add(wanted);
      return port;
    });
    const next = isMissing(spec["ports"]) ? spec : { ...spec, ports };
    const after = nodePorts(next);
    this.#releaseNodePorts([...before].filter((port) => !after.has(port)));
    return next;
  }

  #withHealthCheckPort(spec: Fields): Fields {
    const wanted = count(spec["healthCheckNodePort"]);
    if (wanted === 0) return { ...spec, healthCheckNodePort: this.#anyNodePort() };
    if (this.#allocations.takeNodePort(wanted) !== "taken") {
      const what = `failed to allocate requested HealthCheck NodePort ${wanted}`;
      throw failure(500, "InternalError", `Internal error occurred: ${what}: provided port is already allocated`);
    }
    this.#taken.push(() => this.#allocations.releaseNodePort(wanted));
    return spec;
  }
}

/** The allocations of a stored Service. */
export function allocatedBy(spec: Fields): {
  take(allocations: ServiceAllocations): void;
  release(allocations: ServiceAllocations): void;
} {
  const addresses = spec["type"] === "ExternalName" || isHeadless(spec) ? [] : texts(spec["clusterIPs"]);
  const ports = [...nodePorts(spec), ...(needsHealthCheck(spec) ? [count(spec["healthCheckNodePort"])] : [])];
  return {
    take(allocations) {
      for (const address of addresses) allocations.takeClusterIP(address);
      for (const port of ports) allocations.takeNodePort(port);
    },
    release(allocations) {
      for (const address of addresses) allocations.releaseClusterIP(address);
      for (const port of ports) allocations.releaseNodePort(port);
    },
  };
}

function needsNodePorts({ type }: Fields): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

function givesNodePorts(spec: Fields): boolean {
  return spec["type"] === "NodePort" || spec["allocateLoadBalancerNodePorts"] === true;
}

function nodePorts(spec: Fields): Set<number> {
  return new Set(
    fieldsList(spec["ports"])
      .map(({ nodePort }) => count(nodePort))
      .filter((port) => port !== 0),
  );
}

/** Sets IP families as a cluster with IPv4 only does. */
function withFamilies(spec: Fields, old: Fields | undefined, refuse: (errors: readonly FieldError[]) => never): Fields {
  if (spec["type"] === "ExternalName") return spec;
  const headlessForAll = isHeadless(spec) && Object.keys(fields(spec["selector"])).length === 0;
  let policy = text(spec["ipFamilyPolicy"]);
  if (policy === "") policy = text(old?.["ipFamilyPolicy"]);
  if (policy === "") policy = headlessForAll ? "RequireDualStack" : "SingleStack";
  let next: Fields = { ...spec, ipFamilyPolicy: policy };
  const wrong = validateClusterIPs(next);
  if (wrong.length > 0) refuse(wrong);
  let families = texts(next["ipFamilies"]);
  const errors: FieldError[] = [];
  const several = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (policy === "SingleStack") {
    const isSame = old !== undefined && texts(old["ipFamilies"]).join() === families.join();
    if (families.length > 1 && isSame) families = families.slice(0, 1);
    if (texts(next["clusterIPs"]).length === 2) {
      errors.push(invalid("spec.ipFamilyPolicy", policy, `${several} cluster IPs are specified`));
    }
    if (families.length === 2) {
      errors.push(invalid("spec.ipFamilyPolicy", policy, `${several} IP families are specified`));
    }
  }
  texts(next["clusterIPs"]).forEach((address, index) => {
    if (address === "None" || index < families.length) return;
    if (address.includes(":")) {
      const why = "IPv6 is not configured on this cluster";
      errors.push(invalid(`spec.clusterIPs[${index}]`, next["clusterIPs"], why));
    } else families = [...families, "IPv4"];
  });
  if (errors.length > 0) refuse(errors);
  if (headlessForAll) {
    if (families.length === 0) families = ["IPv4"];
    if (families.length < 2 && policy !== "SingleStack") {
      families = [...families, families[0] === "IPv4" ? "IPv6" : "IPv4"];
    }
  } else {
    if (policy === "RequireDualStack") {
      const why = "this cluster is not configured for dual-stack services";
      errors.push(invalid("spec.ipFamilyPolicy", policy, why));
    }
    families.forEach((family, index) => {
      if (family === "IPv4") return;
      errors.push(invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
    });
    if (errors.length > 0) refuse(errors);
    if (families.length === 0) families = ["IPv4"];
  }
  next = { ...next, ipFamilies: families };
  return next;
}
