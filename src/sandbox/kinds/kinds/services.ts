import type { KubeObject } from "../../types.ts";
import { isExternallyAccessible } from "../defaults/services.ts";
import type { KindDefinition } from "../definition.ts";
import { forbidden, invalid } from "../../fieldErrors.ts";
import { nameIsDns1035Label } from "../names.ts";
import type { RulesEnvironment } from "../rules.ts";
import { count, fields, type Fields, fieldsList, isEqual, isMissing, text, texts, without } from "../values.ts";
import { isHeadless, needsHealthCheck, validateService } from "../validation/services.ts";
import { Allocation, allocatedBy } from "./serviceAllocation.ts";

export const service: KindDefinition = {
  name: nameIsDns1035Label,
  allowsCreateOnUpdate: true,
  prepareForCreate(object, env) {
    const spec = fields(object["spec"]);
    const first = text(spec["clusterIP"]);
    const named = first === "" || !isMissing(spec["clusterIPs"]) ? spec : { ...spec, clusterIPs: [first] };
    return withSpec(object, allocated(object, named, undefined, env));
  },
  prepareForUpdate(object, old, env) {
    const before = fields(old["spec"]);
    const kept = withKeptAllocations(fields(object["spec"]), before);
    const spec = allocated(object, withSameClusterIPs(kept, before), before, env);
    return withSpec(object, withoutWhatTypeForbids(spec, before));
  },
  validate(object, old) {
    const spec = fields(object["spec"]);
    if (old === undefined) return validateService(object, undefined);
    const before = fields(old["spec"]);
    return [
      ...validateClusterIPChange(spec, before),
      ...validateFamilyChange(spec, before),
      ...validateClassChange(spec, before),
      ...validateHealthCheckChange(spec, before),
      ...validateService(object, old),
    ];
  },
  validateStatus(object) {
    const ingress = fieldsList(fields(fields(object["status"])["loadBalancer"])["ingress"]);
    if (ingress.length === 0 || fields(object["spec"])["type"] === "LoadBalancer") return [];
    return [forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")];
  },
  onDelete: (object, { services }) => allocatedBy(fields(object["spec"])).release(services),
  onRestore: (object, { services }) => allocatedBy(fields(object["spec"])).take(services),
  selectableFields(object) {
    const { clusterIP, type } = fields(object["spec"]);
    return { "spec.clusterIP": text(clusterIP), "spec.type": text(type) };
  },
};

function withSpec(object: KubeObject, given: Fields): KubeObject {
  const { type } = given;
  // An ExternalName Service is only a DNS name, so no traffic policy applies.
  const spec = type === "ExternalName" ? without(given, "internalTrafficPolicy") : given;
  const status = type === "LoadBalancer" ? object["status"] : { ...fields(object["status"]), loadBalancer: {} };
  return { ...object, spec, ...(isMissing(object["status"]) ? {} : { status }) };
}

/** Allocates addresses and ports; a refused request gives them back. Throws a StatusError. */
function allocated(object: KubeObject, spec: Fields, old: Fields | undefined, env: RulesEnvironment): Fields {
  const allocation = new Allocation(env.services, object.metadata.name, env.dryRun === true);
  env.onRefused(() => allocation.undo());
  env.onStored(() => allocation.commit());
  return old === undefined ? allocation.forNew(spec) : allocation.forChanged(spec, old);
}

const needsClusterIP = (spec: Fields) => spec["type"] !== "ExternalName";
const needsNodePorts = ({ type }: Fields) => type === "NodePort" || type === "LoadBalancer";

/** A replaced Service keeps its allocations if the submission does not name them. */
function withKeptAllocations(spec: Fields, old: Fields): Fields {
  let next = spec;
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (text(spec["clusterIP"]) === "" && !isMissing(old["clusterIP"])) next = { ...next, clusterIP: old["clusterIP"] };
    if (texts(spec["clusterIPs"]).length === 0 && texts(old["clusterIPs"]).length > 0) {
      next = { ...next, clusterIPs: old["clusterIPs"] };
    }
  }
  if (needsNodePorts(old) && needsNodePorts(spec) && Array.isArray(spec["ports"])) {
    const given = new Map(fieldsList(old["ports"]).map((port) => [text(port["name"]), count(port["nodePort"])]));
    const named = new Set(fieldsList(spec["ports"]).map((port) => count(port["nodePort"])));
    const ports = fieldsList(spec["ports"]).map((port) => {
      const before = given.get(text(port["name"])) ?? 0;
      const isFree = count(port["nodePort"]) === 0 && before !== 0 && !named.has(before);
      return isFree ? { ...port, nodePort: before } : port;
    });
    next = { ...next, ports };
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec) && count(spec["healthCheckNodePort"]) === 0) {
    next = { ...next, healthCheckNodePort: old["healthCheckNodePort"] };
  }
  return next;
}

/** A client that knows only `clusterIP` and changes it also means `clusterIPs`. */
function withSameClusterIPs(spec: Fields, old: Fields): Fields {
  const [now, before] = [text(spec["clusterIP"]), text(old["clusterIP"])];
  if (now === before || !isEqual(spec["clusterIPs"], old["clusterIPs"])) return spec;
  return now === "" ? without(spec, "clusterIPs") : { ...spec, clusterIPs: [now] };
}

/** Removes fields that the new type does not use. A field that the client changed stays, and validation refuses it. */
function withoutWhatTypeForbids(spec: Fields, old: Fields): Fields {
  let next = spec;
  const isSame = (field: string) => isEqual(spec[field], old[field]);
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (isSame("clusterIP") && isSame("clusterIPs")) next = without(without(next, "clusterIP"), "clusterIPs");
    if (isSame("ipFamilies")) next = without(next, "ipFamilies");
    if (isSame("ipFamilyPolicy")) next = without(next, "ipFamilyPolicy");
  }
  if (needsNodePorts(old) && !needsNodePorts(spec) && Array.isArray(spec["ports"])) {
    const before = new Set(fieldsList(old["ports"]).map(({ nodePort }) => count(nodePort)));
    const ports = fieldsList(spec["ports"]);
    if (ports.every(({ nodePort }) => isMissing(nodePort) || before.has(count(nodePort)))) {
      next = { ...next, ports: ports.map((port) => without(port, "nodePort")) };
    }
  }
  const forgets = (wasUsed: boolean, isUsed: boolean, field: string) => {
    if (wasUsed && !isUsed && isSame(field)) next = without(next, field);
  };
  const [was, is] = [old["type"] === "LoadBalancer", spec["type"] === "LoadBalancer"];
  forgets(needsHealthCheck(old), needsHealthCheck(spec), "healthCheckNodePort");
  forgets(was, is, "allocateLoadBalancerNodePorts");
  forgets(was, is, "loadBalancerClass");
  forgets(isExternallyAccessible(old), isExternallyAccessible(spec), "externalTrafficPolicy");
  return next;
}

function validateClusterIPChange(spec: Fields, old: Fields) {
  if (!needsClusterIP(spec) || !needsClusterIP(old) || (isHeadless(spec) && isHeadless(old))) return [];
  const [now, before] = [texts(spec["clusterIPs"]), texts(old["clusterIPs"])];
  if (before.length > 0 && now.length === 0) {
    return [invalid("spec.clusterIPs[0]", null, "primary clusterIP can not be unset")];
  }
  const common = now.length === before.length ? before.length : Math.min(1, before.length);
  return before
    .slice(0, common)
    .flatMap((address, index) =>
      address === now[index] ? [] : [invalid(`spec.clusterIPs[${index}]`, now, "may not change once set")],
    );
}

function validateFamilyChange(spec: Fields, old: Fields) {
  if (!needsClusterIP(spec) || !needsClusterIP(old) || (isHeadless(spec) && isHeadless(old))) return [];
  const [now] = texts(spec["ipFamilies"]);
  const [before] = texts(old["ipFamilies"]);
  if (now === before || before === undefined) return [];
  return [invalid("spec.ipFamilies[0]", spec["ipFamilies"], "may not change once set")];
}

function validateClassChange(spec: Fields, old: Fields) {
  if (spec["type"] !== "LoadBalancer" || old["type"] !== "LoadBalancer") return [];
  if (isEqual(spec["loadBalancerClass"], old["loadBalancerClass"])) return [];
  return [invalid("spec.loadBalancerClass", spec["loadBalancerClass"], "may not change once set")];
}

function validateHealthCheckChange(spec: Fields, old: Fields) {
  if (!needsHealthCheck(spec) || !needsHealthCheck(old)) return [];
  if (spec["healthCheckNodePort"] === old["healthCheckNodePort"]) return [];
  return [forbidden("spec.healthCheckNodePort", "field is immutable")];
}
