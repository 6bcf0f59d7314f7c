/**
 * Quantities as the server reads and writes them: exact, never floating point. A text close to canonical form is
 * returned unchanged. The server's parser does so to save work, and clients see the result.
 */

type Format = "binary" | "decimal" | "exponent";

interface Exact {
  /** Billionths, the finest precision of a quantity. */
  nanos: bigint;
  format: Format;
  /** The original text, if it is returned unchanged. */
  kept: string | undefined;
  /** The value is finer than thousandths. */
  isFine: boolean;
}

const NANO = 1_000_000_000n;
const MILLI = NANO / 1000n;
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
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
/** The largest binary quantity. */
const LARGEST = (2n ** 63n - 1n) * NANO;
/** This many digits always fit into 64 bits. */
const FEW_DIGITS = 18;
/** Larger powers are refused; no real amount has them. */
const LARGEST_POWER = 1000;

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*(?:[+-]?\d*))$/;

/** The reason why a text is no quantity; undefined for a quantity. */
export function quantityError(text: string): string | undefined {
  const parsed = parse(text);
  return typeof parsed === "string" ? parsed : undefined;
}

/** The quantity as the server writes it; undefined if the text is no quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const parsed = parse(text);
  return typeof parsed === "string" ? undefined : (parsed.kept ?? print(parsed));
}

/** Like {@link canonicalQuantity}, for amounts of resources: rounded up to thousandths. */
export function canonicalAmount(text: string): string | undefined {
  const parsed = parse(text);
  if (typeof parsed === "string") return undefined;
  if (!parsed.isFine) return parsed.kept ?? print(parsed);
  const { nanos, format } = parsed;
  const rounded = nanos < 0n ? -dividedUp(-nanos, MILLI) * MILLI : dividedUp(nanos, MILLI) * MILLI;
  return print({ ...parsed, nanos: rounded, format });
}

/** The value in billionths, for comparisons; undefined if the text is no quantity. */
export function quantityNanos(text: string): bigint | undefined {
  const parsed = parse(text);
  return typeof parsed === "string" ? undefined : parsed.nanos;
}

/**
 * The exact sum in the format of `left`, or of `right` if `left` is zero. Throws a RangeError for an invalid quantity.
 */
export function sumOfQuantities(left: string, right: string): string {
  const [one, other] = [left, right].map((text) => {
    const parsed = parse(text);
    if (typeof parsed === "string") throw new RangeError(`${JSON.stringify(text)} is no quantity: ${parsed}`);
    return parsed;
  }) as [Exact, Exact];
  return print({ ...(one.nanos === 0n ? other : one), nanos: one.nanos + other.nanos });
}

/** Returns the reason for a text that is no quantity. */
function parse(given: string): Exact | string {
  const text = given.trim();
  const [, sign = "", leading = "", fraction = "", suffix = ""] = FORM.exec(text) ?? [];
  if (text === "" || !FORM.test(text)) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  const scale = scaleOf(suffix);
  if (scale === undefined) return "unable to parse quantity's suffix";
  const whole = leading.replace(/^0+(?=.)/, "");
  // A suffix without a number means zero.
  const digits = whole + fraction === "" ? "0" : whole + fraction;
  const { power, factor, format } = scale;
  const total = power - fraction.length;
  if (Math.abs(total) > LARGEST_POWER) return "unable to parse numeric part of quantity";
  let nanos = BigInt(digits) * factor * NANO;
  nanos = total >= 0 ? nanos * 10n ** BigInt(total) : dividedUp(nanos, 10n ** BigInt(-total));
  if (format === "binary" && nanos > LARGEST) nanos = LARGEST;
  const signed = sign === "-" ? -nanos : nanos;
  const isSmallBinary = format === "binary" && nanos < NANO && nanos > 0n;
  return {
    nanos: signed,
    format: isSmallBinary ? "decimal" : format,
    kept: isNearlyCanonical(digits, fraction, total, format, BINARY.indexOf(suffix)) ? text : undefined,
    isFine: nanos % MILLI !== 0n || (format !== "binary" && total < -3),
  };
}

function scaleOf(suffix: string): { power: number; factor: bigint; format: Format } | undefined {
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { power: 0, factor: 1024n ** BigInt(binary), format: "binary" };
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { power: decimal, factor: 1n, format: "decimal" };
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined;
  return { power: Number(suffix.slice(1)), factor: 1n, format: "exponent" };
}

function isNearlyCanonical(
  digits: string,
  fraction: string,
  power: number,
  format: Format,
  binarySuffix: number,
): boolean {
  if (format === "binary") {
    // Each binary suffix counts as three decimal digits, approximately.
    const fits = digits.length + 3 * binarySuffix < FEW_DIGITS - 3;
    return fraction === "" && fits && BigInt(digits) % 8n !== 0n;
  }
  return (
    digits.length <= FEW_DIGITS && power >= -9 && power % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0")
  );
}

/** Rounds up, away from zero. */
function dividedUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function print({ nanos, format }: Exact): string {
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const amount = nanos < 0n ? -nanos : nanos;
  // Small and fractional amounts are written in decimals.
  if (format === "binary" && amount % NANO === 0n && amount / NANO >= 1024n) return sign + printBinary(amount / NANO);
  return sign + printDecimal(amount, format === "exponent");
}

function printBinary(amount: bigint): string {
  let rest = amount;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY[power]}`;
}

function printDecimal(nanos: bigint, asExponent: boolean): string {
  let rest = nanos;
  let power = -9;
  while (rest % 1000n === 0n && power < 18) {
    rest /= 1000n;
    power += 3;
  }
  if (asExponent) return power === 0 ? `${rest}` : `${rest}e${power}`;
  const suffix = [...DECIMAL].find(([, exponent]) => exponent === power)?.[0] ?? "";
  return `${rest}${suffix}`;
}
