import {
  exactQuantity,
  isRecord,
  type KubeObject,
  LONGEST_QUANTITY,
  type MemberClusterStatus,
} from "../../apis/index.ts";

/** What a cluster can hold, summed over its nodes. Pure, and exact: quantities are added as integers, not as floats. */

export type Capacity = NonNullable<MemberClusterStatus["capacity"]>;

/** A node says of a resource what is no Kubernetes quantity. */
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

/** Whole cores as `12`, anything else as `1500m`. */
export function formatCpu(billionths: bigint): string {
  const milli = ceilDivide(billionths, 1_000_000n);
  return milli % 1000n === 0n ? String(milli / 1000n) : `${milli}m`;
}

const BINARY_UNITS = [
  ["Gi", 30n],
  ["Mi", 20n],
  ["Ki", 10n],
] as const;

/** In the largest binary unit up to Gi that loses nothing, as kubectl shows memory. */
export function formatBytes(billionths: bigint): string {
  const bytes = ceilDivide(billionths, 1_000_000_000n);
  for (const [unit, shift] of BINARY_UNITS)
    if (bytes !== 0n && bytes % (1n << shift) === 0n) return `${bytes >> shift}${unit}`;
  return String(bytes);
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** Allocatable of one node, in billionths; absent where the node says nothing. */
export interface NodeResources {
  cpu?: bigint;
  memory?: bigint;
  pods?: bigint;
}

/** Reads what a Node can give to pods. Throws {@link InvalidQuantityError}. */
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

/** The sum over all nodes; a resource that no node reports is absent. */
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
