const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Characters. Kubernetes keeps no more than 19 digits before the point and nine after it; a text that is much longer was written to keep
 * its reader busy.
 */
export const LONGEST_QUANTITY = 64;

/**
 * A Kubernetes quantity (`200m`, `1.5Gi`, `2e3`, 4) as a number of its unit; undefined for any other text, and for one of more
 * than {@link LONGEST_QUANTITY} characters. Good enough to compare and to add; beyond 2^53 the last digits are lost.
 */
export function parseQuantity(quantity: string | number | bigint): number | undefined {
  if (typeof quantity !== "string") return Number(quantity);
  if (quantity.length > LONGEST_QUANTITY) return undefined;
  const parts = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(quantity);
  if (parts === null) return undefined;
  const [, digits = "", exponent = "", suffix = ""] = parts;
  return Number(digits + exponent) * (SUFFIXES[suffix] ?? 1);
}
