const BINARY: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);
const DECIMAL: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/;

/**
 * Maximum characters of a quantity. Kubernetes keeps at most 19 digits before the point and nine after it. A much
 * longer text would keep its reader busy: the time to convert digits to a number grows with the square of their count.
 */
export const LONGEST_QUANTITY = 64;

/** An exact quantity is in billionths. */
const SCALE = 9;
/** The largest that Kubernetes knows. */
const MOST = (2n ** 63n - 1n) * 10n ** BigInt(SCALE);

/** `digits * 10^decimal * 2^binary`. */
interface Parts {
  isNegative: boolean;
  digits: string;
  decimal: number;
  binary: number;
}

function partsOf(text: string): Parts | undefined {
  const match = text.length <= LONGEST_QUANTITY ? QUANTITY.exec(text) : null;
  if (match === null) return undefined;
  const [, sign, digits = "", suffix = "", exponent] = match;
  const decimal = exponent === undefined ? (DECIMAL.get(suffix) ?? 0) : Number(exponent);
  return { isNegative: sign === "-", digits, decimal, binary: BINARY.get(suffix) ?? 0 };
}

/**
 * A Kubernetes quantity (`200m`, `1.5Gi`, `2e3`, 4) as a number of its unit, exact enough to compare and to add.
 * Undefined for any other text, and for one of more than {@link LONGEST_QUANTITY} characters.
 */
export function parseQuantity(quantity: string | number | bigint): number | undefined {
  if (typeof quantity !== "string") return Number(quantity);
  const parts = partsOf(quantity);
  if (parts === undefined) return undefined;
  const magnitude = Number(`${parts.digits}e${parts.decimal}`) * 2 ** parts.binary;
  return parts.isNegative ? -magnitude : magnitude;
}

/** In billionths, to add up thousands of nodes. Rounded up and capped as Kubernetes does. */
export function exactQuantity(text: unknown): bigint | undefined {
  const parts = typeof text === "string" ? partsOf(text) : undefined;
  if (parts === undefined) return undefined;
  const [whole = "", fraction = ""] = parts.digits.split(".");
  const mantissa = BigInt(`${whole}${fraction}`) << BigInt(parts.binary);
  const exact = scaled(mantissa, SCALE + parts.decimal - fraction.length);
  const magnitude = exact > MOST ? MOST : exact;
  return parts.isNegative ? -magnitude : magnitude;
}

/** `value * 10^power`, rounded up. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}
