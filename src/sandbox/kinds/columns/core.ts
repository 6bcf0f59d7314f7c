import type { KubeObject } from "../../types.ts";
import { count, fields, type Fields, fieldsList, isMissing, text, textMap, texts } from "../values.ts";
import { type Cell, type Cells, labelsText, NONE, orNone, selectorText, since, spec, status } from "./cells.ts";

const size = (...maps: unknown[]) => maps.reduce<number>((sum, map) => sum + Object.keys(fields(map)).length, 0);

/** The first items, and the number of the others. */
function firstOf(items: readonly string[], most = 3): string {
  const more = items.length > most ? ` + ${items.length - most} more...` : "";
  return items.slice(0, most).join(",") + more;
}

function balancers(object: KubeObject): string {
  const addresses = fieldsList(fields(status(object)["loadBalancer"])["ingress"])
    .map(({ ip, hostname }) => text(ip) || text(hostname))
    .filter((address) => address !== "");
  return [...new Set(addresses)].sort().join(",");
}

export const serviceCells: Cells = {
  Type: (object) => text(spec(object)["type"]),
  "Cluster-IP": (object) => orNone(texts(spec(object)["clusterIPs"])[0]),
  "External-IP"(object) {
    const { type, externalName } = spec(object);
    if (type === "ExternalName") return text(externalName);
    const given = texts(spec(object)["externalIPs"]);
    if (type !== "LoadBalancer") return given.length === 0 ? NONE : given.join(",");
    const all = [balancers(object), ...given].filter((address) => address !== "");
    return all.length === 0 ? "<pending>" : all.join(",");
  },
  "Port(s)": (object) =>
    orNone(
      fieldsList(spec(object)["ports"])
        .map(({ port, nodePort, protocol }) => {
          const outside = count(nodePort) > 0 ? `:${count(nodePort)}` : "";
          return `${count(port)}${outside}/${text(protocol)}`;
        })
        .join(","),
    ),
  Selector: (object) => labelsText(spec(object)["selector"]),
};

const info = (field: string, otherwise: string): Cell => {
  return (object) => text(fields(status(object)["nodeInfo"])[field]) || otherwise;
};
const address = (type: string): Cell => {
  return (object) => orNone(fieldsList(status(object)["addresses"]).find((one) => one["type"] === type)?.["address"]);
};
const ROLE = "node-role.kubernetes.io/";

export const nodeCells: Cells = {
  Status(object) {
    const ready = fieldsList(status(object)["conditions"]).findLast((condition) => condition["type"] === "Ready");
    const state = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
    return spec(object)["unschedulable"] === true ? `${state},SchedulingDisabled` : state;
  },
  Roles(object) {
    const labels = Object.entries(object.metadata.labels ?? {});
    const roles = labels.flatMap(([key, value]) => {
      if (key.startsWith(ROLE)) return key.length > ROLE.length ? [key.slice(ROLE.length)] : [];
      return key === "kubernetes.io/role" && value !== "" ? [value] : [];
    });
    return orNone([...new Set(roles)].sort().join(","));
  },
  Version: info("kubeletVersion", ""),
  "Internal-IP": address("InternalIP"),
  "External-IP": address("ExternalIP"),
  "OS-Image": info("osImage", "<unknown>"),
  "Kernel-Version": info("kernelVersion", "<unknown>"),
  "Container-Runtime": info("containerRuntimeVersion", "<unknown>"),
};

/** The field of an Event, which has another name in each group. */
function eventField(object: KubeObject, core: string, events: string): unknown {
  return object[object.apiVersion === "v1" ? core : events];
}

function firstSeen(object: KubeObject, now: number): string {
  const first = eventField(object, "firstTimestamp", "deprecatedFirstTimestamp");
  return since(isMissing(first) ? object["eventTime"] : first, now);
}

export const eventCells: Cells = {
  "Last Seen"(object, now) {
    const { series } = object;
    if (!isMissing(series)) return since(fields(series)["lastObservedTime"], now);
    const last = eventField(object, "lastTimestamp", "deprecatedLastTimestamp");
    return isMissing(last) ? firstSeen(object, now) : since(last, now);
  },
  Type: (object) => text(object["type"]),
  Reason: (object) => text(object["reason"]),
  Object(object) {
    const { kind, name } = fields(eventField(object, "involvedObject", "regarding"));
    return text(name) === "" ? text(kind).toLowerCase() : `${text(kind).toLowerCase()}/${text(name)}`;
  },
  Subobject: (object) => text(fields(eventField(object, "involvedObject", "regarding"))["fieldPath"]),
  Source(object) {
    const { component, host } = fields(eventField(object, "source", "deprecatedSource"));
    const from = text(component) || text(eventField(object, "reportingComponent", "reportingController"));
    const where = text(host) || text(object["reportingInstance"]);
    return where === "" ? from : `${from}, ${where}`;
  },
  Message: (object) => text(eventField(object, "message", "note")).trim(),
  "First Seen": firstSeen,
  Count(object) {
    const { series } = object;
    if (!isMissing(series)) return count(fields(series)["count"]);
    return count(eventField(object, "count", "deprecatedCount")) || 1;
  },
};

export const configMapCells: Cells = { Data: (object) => size(object["data"], object["binaryData"]) };

export const secretCells: Cells = {
  Type: (object) => text(object["type"]),
  Data: (object) => size(object["data"]),
};

export const namespaceCells: Cells = { Status: (object) => text(status(object)["phase"]) };

export const leaseCells: Cells = { Holder: (object) => text(spec(object)["holderIdentity"]) };

export const endpointsCells: Cells = {
  Endpoints(object) {
    const subsets = fieldsList(object["subsets"]);
    if (subsets.length === 0) return NONE;
    return firstOf(
      subsets.flatMap(({ addresses, ports }) => {
        const ips = fieldsList(addresses).map(({ ip }) => text(ip));
        const numbers = fieldsList(ports).map(({ port }) => count(port));
        return numbers.length === 0 ? ips : numbers.flatMap((port) => ips.map((ip) => joined(ip, port)));
      }),
    );
  },
};

function joined(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

export const endpointSliceCells: Cells = {
  AddressType: (object) => text(object["addressType"]),
  Ports(object) {
    const ports = fieldsList(object["ports"]);
    if (ports.length === 0) return "<unset>";
    return firstOf(ports.map(({ port, name }) => (isMissing(port) ? text(name) || "*" : String(count(port)))));
  },
  Endpoints(object) {
    const addresses = fieldsList(object["endpoints"]).flatMap((endpoint) => texts(endpoint["addresses"]));
    return addresses.length === 0 ? "<unset>" : firstOf(addresses);
  },
};

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function modes(given: unknown): string {
  const all = texts(given);
  return Object.entries(MODES)
    .filter(([mode]) => all.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

const phase: Cell = (object) =>
  object.metadata.deletionTimestamp === undefined ? text(status(object)["phase"]) : "Terminating";
const orUnset = (field: string): Cell => {
  return (object) => (isMissing(spec(object)[field]) ? "<unset>" : text(spec(object)[field]));
};
const storageOf = (amounts: unknown) => textMap(amounts)["storage"] ?? "0";

export const persistentVolumeClaimCells: Cells = {
  Status: phase,
  Volume: (object) => text(spec(object)["volumeName"]),
  Capacity: (object) => (text(spec(object)["volumeName"]) === "" ? "" : storageOf(status(object)["capacity"])),
  "Access Modes": (object) => (text(spec(object)["volumeName"]) === "" ? "" : modes(status(object)["accessModes"])),
  StorageClass: (object) => text(spec(object)["storageClassName"]),
  VolumeAttributesClass: orUnset("volumeAttributesClassName"),
  VolumeMode: orUnset("volumeMode"),
};

export const persistentVolumeCells: Cells = {
  Capacity: (object) => storageOf(spec(object)["capacity"]),
  "Access Modes": (object) => modes(spec(object)["accessModes"]),
  "Reclaim Policy": (object) => text(spec(object)["persistentVolumeReclaimPolicy"]),
  Status: phase,
  Claim(object) {
    const { claimRef } = spec(object);
    return isMissing(claimRef) ? "" : `${text(fields(claimRef)["namespace"])}/${text(fields(claimRef)["name"])}`;
  },
  StorageClass: (object) => text(spec(object)["storageClassName"]),
  VolumeAttributesClass: orUnset("volumeAttributesClassName"),
  Reason: (object) => text(status(object)["reason"]),
  VolumeMode: orUnset("volumeMode"),
};

function quotas(object: KubeObject, areLimits: boolean): string {
  const used = textMap(status(object)["used"]);
  return Object.entries(textMap(status(object)["hard"]))
    .filter(([name]) => name.startsWith("limits.") === areLimits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${used[name] ?? "0"}/${hard}`)
    .join(", ");
}

export const resourceQuotaCells: Cells = {
  Request: (object) => quotas(object, false),
  Limit: (object) => quotas(object, true),
};

function subjects(object: KubeObject, kind: string, shown: (subject: Fields) => string): string {
  return fieldsList(object["subjects"])
    .filter((subject) => subject["kind"] === kind)
    .map(shown)
    .join(", ");
}

export const roleBindingCells: Cells = {
  Role: (object) => `${text(fields(object["roleRef"])["kind"])}/${text(fields(object["roleRef"])["name"])}`,
  Users: (object) => subjects(object, "User", ({ name }) => text(name)),
  Groups: (object) => subjects(object, "Group", ({ name }) => text(name)),
  ServiceAccounts: (object) =>
    subjects(object, "ServiceAccount", ({ namespace, name }) => `${text(namespace)}/${text(name)}`),
};

export const ingressCells: Cells = {
  Class: (object) => orNone(spec(object)["ingressClassName"]),
  Hosts(object) {
    const rules = fieldsList(spec(object)["rules"]);
    const hosts = rules.map(({ host }) => text(host)).filter((host) => host !== "");
    if (hosts.length === 0) return "*";
    // After three hosts the remaining rules are counted, including rules without a host.
    const thirdAt = rules.findIndex(({ host }) => text(host) === hosts[2]);
    const isMore = hosts.length >= 3 && thirdAt >= 0 && thirdAt < rules.length - 1;
    return hosts.slice(0, 3).join(",") + (isMore ? ` + ${rules.length - 3} more...` : "");
  },
  Address: balancers,
  Ports: (object) => (fieldsList(spec(object)["tls"]).length === 0 ? "80" : "80, 443"),
};

export const ingressClassCells: Cells = {
  Controller: (object) => text(spec(object)["controller"]),
  Parameters(object) {
    const { parameters } = spec(object);
    if (isMissing(parameters)) return NONE;
    const { kind, apiGroup, name } = fields(parameters);
    return `${text(kind)}${isMissing(apiGroup) ? "" : `.${text(apiGroup)}`}/${text(name)}`;
  },
};

export const networkPolicyCells: Cells = { "Pod-Selector": (object) => selectorText(spec(object)["podSelector"]) };

export const storageClassCells: Cells = {
  Name(object) {
    const { annotations = {}, name } = object.metadata;
    const isDefault = annotations["storageclass.kubernetes.io/is-default-class"] === "true";
    return isDefault ? `${name} (default)` : name;
  },
  Provisioner: (object) => text(object["provisioner"]),
  ReclaimPolicy: (object) => text(object["reclaimPolicy"]) || "Delete",
  VolumeBindingMode: (object) => text(object["volumeBindingMode"]) || "Immediate",
  AllowVolumeExpansion: (object) => object["allowVolumeExpansion"] === true,
};

export const priorityClassCells: Cells = {
  Value: (object) => count(object["value"]),
  "Global-Default": (object) => object["globalDefault"] === true,
  PreemptionPolicy: (object) => text(object["preemptionPolicy"]),
};

export const webhookConfigurationCells: Cells = { Webhooks: (object) => fieldsList(object["webhooks"]).length };
