import { isRecord, type KubeObject, LONGEST_QUANTITY, type MemberClusterStatus } from "../../apis/index.ts";

/** What a cluster can hold, summed over its nodes. Pure, and exact: quantities are added as integers, not as floats. */

export type Capacity = NonNullable<MemberClusterStatus["capacity"]>;

/** Thrown by {@link parseQuantity} for what is no Kubernetes quantity. */
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

const BINARY = new Map([
  ["Ki", 10n],
  ["Mi", 20n],
  ["Gi", 30n],
  ["Ti", 40n],
  ["Pi", 50n],
  ["Ei", 60n],
]);
const DECIMAL_EXPONENT = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/;
/** Billionths: the smallest step of a quantity. */
const SCALE = 9;
/** The largest quantity that Kubernetes knows, in billionths; what is more counts as this. */
const MOST = (2n ** 63n - 1n) * 10n ** BigInt(SCALE);

/**
 * The quantity in billionths, rounded up and capped as Kubernetes does. The length of the text is checked before anything reads it: to make a
 * number of its digits takes time that grows with their square.
 */
export function parseQuantity(text: unknown): bigint {
  const match = typeof text === "string" && text.length <= LONGEST_QUANTITY ? QUANTITY.exec(text) : null;
  if (match === null) throw new InvalidQuantityError(text);
  const [, sign, digits = "", suffix = "", exponent] = match;
  const [whole = "", fraction = ""] = digits.split(".");
  const mantissa = BigInt(`${whole}${fraction}`);
  const shift = BINARY.get(suffix) ?? 0n;
  const decimal = exponent === undefined ? (DECIMAL_EXPONENT.get(suffix) ?? 0) : Number(exponent);
  const power = SCALE + decimal - fraction.length;
  const exact = scaleUp(mantissa << shift, power);
  const magnitude = exact > MOST ? MOST : exact;
  return sign === "-" ? -magnitude : magnitude;
}

function scaleUp(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

/** Whole cores as `12`, anything else as `1500m`. */
export function formatCpu(billionths: bigint): string {
  const milli = ceilDivide(billionths, 1_000_000n);
  return milli % 1000n === 0n ? String(milli / 1000n) : `${milli}m`;
}

/** In the largest binary unit up to Gi that loses nothing, as kubectl shows memory. */
export function formatBytes(billionths: bigint): string {
  const bytes = ceilDivide(billionths, 1_000_000_000n);
  for (const unit of ["Gi", "Mi", "Ki"]) {
    const shift = BINARY.get(unit) ?? 0n;
    if (bytes !== 0n && bytes % (1n << shift) === 0n) return `${bytes >> shift}${unit}`;
  }
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
    if (text !== undefined) resources[name] = parseQuantity(text);
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
