import { quantityNanos, sumOfQuantities } from "../kinds/index.ts";
import type { KubeObject, ResourceName } from "../types.ts";

/** Quantities by the resource names of quotas: `{pods: "1", "requests.cpu": "100m"}`. */
export type Usage = Readonly<Record<string, string>>;

interface Container {
  name: string;
  restartPolicy?: string;
  resources?: { requests?: Usage; limits?: Usage };
}

export interface PodSpec {
  containers?: readonly Container[];
  initContainers?: readonly Container[];
  overhead?: Usage;
  activeDeadlineSeconds?: number;
  priorityClassName?: string;
}

interface ServiceSpec {
  type?: string;
  ports?: readonly { nodePort?: number }[];
  allocateLoadBalancerNodePorts?: boolean;
}

interface ClaimSpec {
  resources?: { requests?: Usage };
  storageClassName?: string;
}

/** Kinds of the core group that quotas also count by their plain names. */
export const PLAINLY_COUNTED: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);
export const CLASS_SUFFIX = ".storageclass.storage.k8s.io/";
const STORAGE = "requests.storage";
/** Resources of containers that a quota may name without a prefix. */
const COMPUTE: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

/** `count/pods`, `count/deployments.apps`. */
export function countedName({ group, plural }: ResourceName): string {
  return group === "" ? `count/${plural}` : `count/${plural}.${group}`;
}

/** An object's usage of everything that a quota can limit. */
export function usageOf(resource: ResourceName, object: KubeObject): Usage {
  const counted = { [countedName(resource)]: "1" };
  if (resource.group !== "") return counted;
  const plain = PLAINLY_COUNTED.has(resource.plural) ? { ...counted, [resource.plural]: "1" } : counted;
  const spec = object["spec"] ?? {};
  switch (resource.plural) {
    case "pods": {
      const { phase } = (object["status"] ?? {}) as { phase?: string };
      // A finished pod uses no resources, although the object still exists.
      return phase === "Succeeded" || phase === "Failed" ? counted : { ...counted, pods: "1", ...podUsage(spec) };
    }
    case "services":
      return { ...plain, ...serviceUsage(spec) };
    case "persistentvolumeclaims":
      return { ...plain, ...claimUsage(spec) };
    default:
      return plain;
  }
}

function serviceUsage({ type, ports = [], allocateLoadBalancerNodePorts = true }: ServiceSpec): Usage {
  switch (type) {
    case "NodePort":
      return { "services.nodeports": String(ports.length) };
    case "LoadBalancer": {
      const taken = allocateLoadBalancerNodePorts ? ports : ports.filter(({ nodePort = 0 }) => nodePort !== 0);
      return { "services.nodeports": String(taken.length), "services.loadbalancers": "1" };
    }
    default:
      return {};
  }
}

function claimUsage({ resources, storageClassName = "" }: ClaimSpec): Usage {
  const storage = resources?.requests?.["storage"] ?? "0";
  const own = { [STORAGE]: storage };
  if (storageClassName === "") return own;
  const ofClass = `${storageClassName}${CLASS_SUFFIX}`;
  return { ...own, [`${ofClass}${STORAGE}`]: storage, [`${ofClass}persistentvolumeclaims`]: "1" };
}

function podUsage(spec: PodSpec): Usage {
  const usage: Record<string, string> = {};
  for (const [name, amount] of Object.entries(askedFor(spec, "requests"))) {
    if (COMPUTE.has(name)) usage[name] = amount;
    usage[`requests.${name}`] = amount;
  }
  for (const [name, amount] of Object.entries(askedFor(spec, "limits"))) {
    if (COMPUTE.has(name)) usage[`limits.${name}`] = amount;
  }
  return usage;
}

/** The sum of all containers, or the largest need during init if that is more. Requests include the overhead. */
function askedFor(
  { containers = [], initContainers = [], overhead = {} }: PodSpec,
  field: "requests" | "limits",
): Usage {
  let together = containers.reduce<Usage>((sum, { resources }) => plus(sum, resources?.[field] ?? {}), {});
  let most: Usage = {};
  let besides: Usage = {};
  for (const { restartPolicy, resources } of initContainers) {
    const own = resources?.[field] ?? {};
    if (restartPolicy === "Always") {
      // A sidecar keeps running, so it adds to everything after it.
      together = plus(together, own);
      besides = plus(besides, own);
      most = greater(most, besides);
    } else {
      most = greater(most, plus(besides, own));
    }
  }
  return plus(greater(together, most), field === "requests" ? overhead : {});
}

/** The sum of each name's quantities. */
export function plus(left: Usage, right: Usage): Usage {
  return combined(left, right, sumOfQuantities);
}

export function minus(left: Usage, right: Usage): Usage {
  return plus(left, Object.fromEntries(Object.entries(right).map(([name, amount]) => [name, negated(amount)])));
}

function greater(left: Usage, right: Usage): Usage {
  return combined(left, right, (one, other) => (nanos(one) >= nanos(other) ? one : other));
}

function combined(left: Usage, right: Usage, of: (one: string, other: string) => string): Usage {
  const result: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    const before = result[name];
    result[name] = before === undefined ? amount : of(before, amount);
  }
  return result;
}

function negated(amount: string): string {
  return amount.startsWith("-") ? amount.slice(1) : `-${amount}`;
}

/** For comparisons. Validation refuses invalid quantities earlier. */
export function nanos(amount: string): bigint {
  return quantityNanos(amount) ?? 0n;
}

export function isSame(left: Usage, right: Usage): boolean {
  return Object.values(minus(left, right)).every((amount) => nanos(amount) === 0n);
}
