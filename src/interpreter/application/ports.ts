import { defined } from "../../apis/index.ts";
import { type Fields, numberOf, textOf } from "../values.ts";

/** The ports of the container and of the Service of a DemoApplication. */

export type ServiceType = "ClusterIP" | "NodePort" | "LoadBalancer";

/** Else NodePort when a port names a node port, else ClusterIP. */
export function serviceType(asked: unknown, ports: readonly Fields[]): ServiceType {
  if (asked === "ClusterIP" || asked === "NodePort" || asked === "LoadBalancer") return asked;
  return ports.some((port) => port["nodePort"] !== undefined && port["nodePort"] !== null) ? "NodePort" : "ClusterIP";
}

/** Always written: protocol and number together are the server's key of a port. */
function protocolOf(port: Fields): string {
  return textOf(port["protocol"]) ?? "TCP";
}

/**
 * Ports of the Service. Of several, each needs a name: `tcp-80` (protocol and number) stays the same when others come
 * and go. A ClusterIP Service has no node ports.
 */
export function servicePorts(ports: readonly Fields[], type: ServiceType): Record<string, unknown>[] {
  const taken = new Set(ports.map((port) => textOf(port["name"])));
  return ports.map((port) => {
    const protocol = protocolOf(port);
    let name = textOf(port["name"]);
    if (name === undefined && ports.length > 1) {
      name = `${protocol.toLowerCase()}-${String(port["port"])}`;
      while (taken.has(name)) name += "-x";
      taken.add(name);
    }
    const target = numberOf(port["targetPort"]) ?? textOf(port["targetPort"]);
    const nodePort = type === "ClusterIP" ? undefined : numberOf(port["nodePort"]);
    const appProtocol = textOf(port["appProtocol"]);
    return {
      ...defined({ name }),
      protocol,
      port: port["port"],
      ...defined({ targetPort: target, nodePort, appProtocol }),
    };
  });
}

interface ContainerPort {
  name?: string;
  containerPort: number;
  protocol: string;
}

/** As Kubernetes demands: at most 15 lower-case letters, digits and single dashes, with a letter among them. */
function isContainerPortName(name: string): boolean {
  return name.length <= 15 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && /[a-z]/.test(name);
}

/**
 * Each number once. A number in `targetPort` (default: `port`) gets the name of the Service's port, so that probes can
 * use it. A name refers to the container port of that name, or to a new one with the number of `port`.
 */
export function containerPorts(ports: readonly Fields[]): ContainerPort[] {
  const byNumber = new Map<string, ContainerPort>();
  const names = new Set<string>();

  const add = (containerPort: number, protocol: string, name: string | undefined): void => {
    const key = `${containerPort}/${protocol}`;
    let entry = byNumber.get(key);
    if (entry === undefined) byNumber.set(key, (entry = { containerPort, protocol }));
    if (name === undefined || entry.name !== undefined || names.has(name)) return;
    entry.name = name;
    names.add(name);
  };

  for (const port of ports) {
    if (textOf(port["targetPort"]) !== undefined) continue;
    const number = numberOf(port["targetPort"]) ?? numberOf(port["port"]);
    const name = textOf(port["name"]);
    if (number !== undefined)
      add(number, protocolOf(port), name !== undefined && isContainerPortName(name) ? name : undefined);
  }
  for (const port of ports) {
    const target = textOf(port["targetPort"]);
    const number = numberOf(port["port"]);
    if (target === undefined || number === undefined || names.has(target)) continue;
    const protocol = protocolOf(port);
    const entry = byNumber.get(`${number}/${protocol}`);
    // The Service finds the container port by this name only; the earlier name served at most a probe.
    if (entry?.name !== undefined) names.delete(entry.name);
    if (entry !== undefined) delete entry.name;
    add(number, protocol, target);
  }
  return [...byNumber.values()].map(({ name, containerPort, protocol }) => ({
    ...defined({ name }),
    containerPort,
    protocol,
  }));
}
