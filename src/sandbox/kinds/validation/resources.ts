import type { FieldError } from "../../types.ts";
import { forbidden, invalid, required } from "../../fieldErrors.ts";
import { labelKey } from "../names.ts";
import { quantityNanos } from "../quantity.ts";
import { fields, text, textMap } from "../values.ts";

const CONTAINER_RESOURCES = new Set(["cpu", "memory", "ephemeral-storage"]);
const STANDARD_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);
const COUNTED = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const MILLI = 1_000_000n;

const isHugePages = (name: string) => name.startsWith("hugepages-");
const isRequestedHugePages = (name: string) => name.startsWith("requests.hugepages-");
const isNative = (name: string) => !name.includes("/") || name.split("/")[0]?.endsWith("kubernetes.io") === true;
const isExtended = (name: string) =>
  !isNative(name) && !name.startsWith("requests.") && labelKey(`requests.${name}`).length === 0;
const mayBeOvercommitted = (name: string) => isNative(name) && !isHugePages(name);

/** Validates the requests and limits of a container. */
export function validateContainerResources(resources: unknown, at: string): FieldError[] {
  const limits = textMap(fields(resources)["limits"]);
  const requests = textMap(fields(resources)["requests"]);
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    errors.push(...validateAmount(name, amount, `${at}.limits[${name}]`));
  }
  for (const [name, amount] of Object.entries(requests)) {
    errors.push(...validateAmount(name, amount, `${at}.requests[${name}]`));
    const limit = limits[name];
    const requested = quantityNanos(text(amount)) ?? 0n;
    if (limit === undefined) {
      if (!mayBeOvercommitted(name)) {
        errors.push(required(`${at}.limits`, "Limit must be set for non overcommitable resources"));
      }
      continue;
    }
    const limited = quantityNanos(limit) ?? 0n;
    if (requested !== limited && !mayBeOvercommitted(name)) {
      errors.push(invalid(`${at}.requests`, amount, `must be equal to ${name} limit of ${limit}`));
    } else if (requested > limited) {
      errors.push(invalid(`${at}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`));
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(at, "HugePages require cpu or memory"));
  }
  return errors;
}

function validateAmount(name: string, amount: string, at: string): FieldError[] {
  return [...validateContainerResourceName(name, at), ...validateQuantity(name, amount, at)];
}

/** Quantities may not be negative; countable resources need whole numbers. */
export function validateQuantity(name: string, amount: string, at: string): FieldError[] {
  const nanos = quantityNanos(amount) ?? 0n;
  const errors = nanos < 0n ? [invalid(at, amount, "must be greater than or equal to 0")] : [];
  if ((COUNTED.has(name) || isExtended(name)) && nanos % (1000n * MILLI) !== 0n) {
    errors.push(invalid(at, amount, "must be an integer"));
  }
  return errors;
}

function validateResourceName(name: string, at: string): FieldError[] {
  const wrong = labelKey(name);
  if (wrong.length > 0) return wrong.map((message) => invalid(at, name, message));
  if (name.includes("/") || STANDARD_RESOURCES.has(name) || isHugePages(name) || isRequestedHugePages(name)) return [];
  return [invalid(at, name, "must be a standard resource type or fully qualified")];
}

/** Validates the name of a resource that a ResourceQuota may limit. */
export function validateQuotaResourceName(name: string, at: string): FieldError[] {
  const errors = validateResourceName(name, at);
  const isKnown = STANDARD_RESOURCES.has(name) && name !== "storage";
  const isPaged = isHugePages(name) || isRequestedHugePages(name);
  if (name.includes("/") || isKnown || isPaged) return errors;
  return [...errors, invalid(at, name, "must be a standard resource for quota")];
}

function validateContainerResourceName(name: string, at: string): FieldError[] {
  const errors = validateResourceName(name, at);
  if (!name.includes("/")) {
    if (CONTAINER_RESOURCES.has(name) || isHugePages(name)) return errors;
    return [...errors, invalid(at, name, "must be a standard resource for containers")];
  }
  if (!isNative(name) && !isExtended(name)) {
    return [...errors, invalid(at, name, "doesn't follow extended resource name standard")];
  }
  return errors;
}
