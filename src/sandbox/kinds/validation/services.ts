import { isIP, isIPv6 } from "node:net";
import type { FieldError, KubeObject } from "../../types.ts";
import { isExternallyAccessible } from "../defaults/services.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsLabel, dnsSubdomain, portNumber } from "../names.ts";
import { validateLabelKey, validateLabels } from "../objectMeta.ts";
import { count, fields, type Fields, fieldsList, isMissing, text, textMap, texts } from "../values.ts";
import { validatePort } from "./handlers.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** A headless Service has no cluster IP; DNS resolves its name to the Pods. */
export function isHeadless(spec: Fields): boolean {
  return texts(spec["clusterIPs"])[0] === "None" || spec["clusterIP"] === "None";
}

/** True if the load balancer checks which nodes have a Pod of the Service. */
export function needsHealthCheck(spec: Fields): boolean {
  return spec["type"] === "LoadBalancer" && spec["externalTrafficPolicy"] === "Local";
}

/** Errors of a Service except in its metadata. */
export function validateService(object: KubeObject, _old: KubeObject | undefined): FieldError[] {
  const spec = fields(object["spec"]);
  const type = text(spec["type"]);
  const ports = fieldsList(spec["ports"]);
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.push(required("spec.ports"));
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  }
  if (type === "ExternalName") errors.push(...validateExternalName(spec));
  errors.push(...validatePorts(ports));
  errors.push(...validateLabels(textMap(spec["selector"]), "spec.selector"));
  errors.push(...validateAffinity(spec));
  errors.push(...validateClusterIPs(spec));
  texts(spec["externalIPs"]).forEach((address, index) => {
    errors.push(...validateExternalIP(address, `spec.externalIPs[${index}]`));
  });
  if (type === "") errors.push(required("spec.type"));
  else if (!TYPES.includes(type)) errors.push(notSupported("spec.type", type, TYPES));
  return [...errors, ...validatePortUse(ports, type), ...validateLoadBalancing(spec), ...validateTraffic(spec)];
}

function validateExternalName(spec: Fields): FieldError[] {
  const why = "may not be set for ExternalName services";
  const errors = ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]
    .filter((field) => !isMissing(spec[field]))
    .map((field) => forbidden(`spec.${field}`, why));
  const name = text(spec["externalName"]).replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...dnsSubdomain(name).map((message) => invalid("spec.externalName", name, message))];
}

function validatePorts(ports: readonly Fields[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const name = text(port["name"]);
    const errors: FieldError[] = [];
    if (name === "") {
      if (ports.length > 1) errors.push(required(`${at}.name`));
    } else {
      errors.push(...dnsLabel(name).map((message) => invalid(`${at}.name`, name, message)));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    const number = count(port["port"]);
    errors.push(...portNumber(number).map((message) => invalid(`${at}.port`, number, message)));
    const protocol = text(port["protocol"]);
    if (protocol === "") errors.push(required(`${at}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    errors.push(...validatePort(port["targetPort"], `${at}.targetPort`));
    const application = port["appProtocol"];
    if (!isMissing(application)) errors.push(...validateLabelKey(text(application), `${at}.appProtocol`));
    return errors;
  });
}

/** Each port and each node port may occur once per protocol. */
function validatePortUse(ports: readonly Fields[], type: string): FieldError[] {
  const errors: FieldError[] = [];
  const repeated = (field: string, report: (port: Fields, index: number) => FieldError) => {
    const seen = new Set<string>();
    ports.forEach((port, index) => {
      if (field === "nodePort" && count(port[field]) === 0) return;
      const key = `${text(port["protocol"])}/${count(port[field])}`;
      if (seen.has(key)) errors.push(report(port, index));
      seen.add(key);
    });
  };
  if (type === "ClusterIP") {
    ports.forEach((port, index) => {
      if (count(port["nodePort"]) === 0) return;
      errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  repeated("nodePort", (port, index) => duplicate(`spec.ports[${index}].nodePort`, count(port["nodePort"])));
  repeated("port", ({ port, protocol }, index) => duplicate(`spec.ports[${index}]`, { port, protocol }));
  return errors;
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig }: Fields): FieldError[] {
  const affinity = text(sessionAffinity);
  if (affinity === "") return [required("spec.sessionAffinity")];
  if (affinity === "None") {
    if (isMissing(sessionAffinityConfig)) return [];
    return [forbidden("spec.sessionAffinityConfig", "must not be set when session affinity is None")];
  }
  if (affinity !== "ClientIP") return [notSupported("spec.sessionAffinity", affinity, ["ClientIP", "None"])];
  const at = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  const seconds = fields(fields(sessionAffinityConfig)["clientIP"])["timeoutSeconds"];
  if (isMissing(seconds)) return [required(at)];
  if (count(seconds) > 0 && count(seconds) <= 86_400) return [];
  return [invalid(at, seconds, "must be greater than 0 and less than 86400")];
}

/** Validates the addresses, the IP families, and that they match. */
export function validateClusterIPs(spec: Fields): FieldError[] {
  if (spec["type"] === "ExternalName") return [];
  const first = text(spec["clusterIP"]);
  const addresses = texts(spec["clusterIPs"]);
  const families = texts(spec["ipFamilies"]);
  const errors: FieldError[] = [];
  if (first === "") {
    if (addresses.length > 0) {
      errors.push(invalid("spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified"));
    }
  } else if (addresses.length === 0) errors.push(required("spec.clusterIPs"));
  else if (addresses[0] !== first) {
    errors.push(invalid("spec.clusterIPs", addresses, "first value must match `clusterIP`"));
  }
  families.forEach((family, index) => {
    const at = `spec.ipFamilies[${index}]`;
    if (family !== "IPv4" && family !== "IPv6") errors.push(notSupported(at, family, ["IPv4", "IPv6"]));
    if (families.indexOf(family) < index) errors.push(duplicate(at, family));
  });
  const policy = spec["ipFamilyPolicy"];
  const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  if (!isMissing(policy) && !policies.includes(text(policy))) {
    errors.push(notSupported("spec.ipFamilyPolicy", policy, policies));
  }
  let areIPs = true;
  addresses.forEach((address, index) => {
    if (index === 0 && address === "None") {
      if (addresses.length === 1) return;
      areIPs = false;
      errors.push(invalid("spec.clusterIPs", addresses, "'None' must be the first and only value"));
    } else if (isIP(address) === 0) {
      areIPs = false;
      errors.push(invalid(`spec.clusterIPs[${index}]`, address, IP_TEXT));
    }
  });
  if (addresses.length > 2) errors.push(invalid("spec.clusterIPs", addresses, "may only hold up to 2 values"));
  if (!areIPs) return errors;
  if (addresses.length > 1 && addresses.every((address) => isIPv6(address) === isIPv6(addresses[0] ?? ""))) {
    errors.push(invalid("spec.clusterIPs", addresses, "may specify no more than one IP for each IP family"));
  }
  if (isHeadless(spec)) return errors;
  addresses.forEach((address, index) => {
    const family = families[index];
    if (family === undefined || isIPv6(address) === (family === "IPv6")) return;
    const why = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(`spec.clusterIPs[${index}]`, address, why));
  });
  return errors;
}

/** An external IP must not be an address with a special meaning, such as loopback. */
function validateExternalIP(address: string, at: string): FieldError[] {
  if (isIP(address) === 0) return [invalid(at, address, IP_TEXT)];
  const not = (what: string) => [invalid(at, address, `may not be ${what}`)];
  if (address === "0.0.0.0" || address === "::") return not(`unspecified (${address})`);
  if (address.startsWith("127.") || address === "::1") return not("in the loopback range (127.0.0.0/8, ::1/128)");
  if (address.startsWith("169.254.") || /^fe80:/i.test(address)) {
    return not("in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (address.startsWith("224.0.0.") || /^ff02:/i.test(address)) {
    return not("in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return [];
}

function validateLoadBalancing(spec: Fields): FieldError[] {
  const isLoadBalancer = spec["type"] === "LoadBalancer";
  const why = "may only be used when `type` is 'LoadBalancer'";
  const errors: FieldError[] = [];
  if (texts(spec["loadBalancerSourceRanges"]).length > 0 && !isLoadBalancer) {
    errors.push(forbidden("spec.LoadBalancerSourceRanges", why));
  }
  texts(spec["loadBalancerSourceRanges"]).forEach((range, index) => {
    const [address = "", bits = "x"] = range.trim().split("/");
    const longest = isIPv6(address) ? 128 : 32;
    if (isIP(address) !== 0 && /^\d+$/.test(bits) && Number(bits) <= longest) return;
    const text = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    errors.push(invalid(`spec.LoadBalancerSourceRanges[${index}]`, range.trim(), text));
  });
  if (!isMissing(spec["allocateLoadBalancerNodePorts"]) && !isLoadBalancer) {
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", why));
  }
  const loadBalancerClass = spec["loadBalancerClass"];
  if (isMissing(loadBalancerClass)) return errors;
  if (!isLoadBalancer) return [...errors, forbidden("spec.loadBalancerClass", why)];
  return [...errors, ...validateLabelKey(text(loadBalancerClass), "spec.loadBalancerClass")];
}

function validateTraffic(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const external = text(spec["externalTrafficPolicy"]);
  const policies = ["Cluster", "Local"];
  if (!isExternallyAccessible(spec)) {
    if (external !== "") {
      const why = "may only be set for externally-accessible services";
      errors.push(invalid("spec.externalTrafficPolicy", external, why));
    }
  } else if (external === "") errors.push(required("spec.externalTrafficPolicy"));
  else if (!policies.includes(external)) errors.push(notSupported("spec.externalTrafficPolicy", external, policies));
  const port = count(spec["healthCheckNodePort"]);
  if (!needsHealthCheck(spec)) {
    if (port !== 0) {
      const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
      errors.push(invalid("spec.healthCheckNodePort", port, why));
    }
  } else if (port === 0) errors.push(required("spec.healthCheckNodePort"));
  else errors.push(...portNumber(port).map((message) => invalid("spec.healthCheckNodePort", port, message)));
  const internal = spec["internalTrafficPolicy"];
  if (!isMissing(internal) && !policies.includes(text(internal))) {
    errors.push(notSupported("spec.internalTrafficPolicy", internal, policies));
  }
  const distribution = spec["trafficDistribution"];
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  if (!isMissing(distribution) && !distributions.includes(text(distribution))) {
    errors.push(notSupported("spec.trafficDistribution", distribution, distributions));
  }
  return errors;
}
