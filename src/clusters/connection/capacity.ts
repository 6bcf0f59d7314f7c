import {
  exactQuantity,
  isRecord,
  type KubeObject,
  LONGEST_QUANTITY,
  type MemberClusterStatus,
} from "../../apis/index.ts";

/** Capacity of a cluster, summed over its nodes, exactly. Pure. */

export type Capacity = NonNullable<MemberClusterStatus["capacity"]>;

/** A node reports a value that is no Kubernetes quantity. */
export class InvalidQuantityError extends Error {
  override readonly name = "InvalidQuantityError";

  constructor(value: unknown) {
    super(typeof value === "string" ? `${quoted(value)} is not a quantity` : `a ${typeof value} is not a quantity`);
  }
}

function quoted(text: string): string {
  if (text.length <= LONGEST_QUANTITY) return JSON.stringify(text);
  return `a text of more than ${LONGEST_QUANTITY} characters`;
}

/** Formats whole cores as `12`, other values as `1500m`. */
export function formatCpu(billionths: bigint): string {
  const milli = ceilDivide(billionths, 1_000_000n);
  return milli % 1000n === 0n ? String(milli / 1000n) : `${milli}m`;
}

const BINARY_UNITS = [
  ["Gi", 30n],
  ["Mi", 20n],
  ["Ki", 10n],
] as const;

/** Formats bytes in the largest exact binary unit up to Gi, as kubectl shows memory. */
export function formatBytes(billionths: bigint): string {
  const bytes = ceilDivide(billionths, 1_000_000_000n);
  for (const [unit, shift] of BINARY_UNITS)
    if (bytes !== 0n && bytes % (1n << shift) === 0n) return `${bytes >> shift}${unit}`;
  return String(bytes);
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** Allocatable resources of one node, in billionths. */
export interface NodeResources {
  cpu?: bigint;
  memory?: bigint;
  pods?: bigint;
}

/** Throws {@link InvalidQuantityError}. */
export function nodeResources(node: KubeObject): NodeResources {
  const { status } = node;
  const allocatable = isRecord(status) ? status["allocatable"] : undefined;
  const resources: NodeResources = {};
  for (const name of ["cpu", "memory", "pods"] as const) {
    const text = isRecord(allocatable) ? allocatable[name] : undefined;
    if (text === undefined) continue;
    const amount = exactQuantity(text);
    if (amount === undefined) throw new InvalidQuantityError(text);
    resources[name] = amount;
  }
  return resources;
}

/** Sums over all nodes. A resource that no node reports is absent. */
export function sumCapacity(nodes: Iterable<NodeResources>): Capacity {
  let count = 0;
  const sums: NodeResources = {};
  for (const node of nodes) {
    count += 1;
    for (const name of ["cpu", "memory", "pods"] as const) {
      const amount = node[name];
      if (amount !== undefined) sums[name] = (sums[name] ?? 0n) + amount;
    }
  }
  return {
    nodes: count,
    ...(sums.cpu === undefined ? {} : { cpu: formatCpu(sums.cpu) }),
    ...(sums.memory === undefined ? {} : { memory: formatBytes(sums.memory) }),
    ...(sums.pods === undefined ? {} : { pods: String(ceilDivide(sums.pods, 1_000_000_000n)) }),
  };
}
