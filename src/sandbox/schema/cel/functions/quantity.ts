import { quantityNanos } from "../../../kinds/quantity.ts";
import type { Comparable } from "../equality.ts";
import { type CelFunction, evaluationError } from "../library.ts";

const NANO = 1_000_000_000n;

/** An amount of a resource, exact to a billionth. */
export class Quantity implements Comparable {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  equals(other: unknown): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

function parsed(text: string): Quantity {
  const nanos = quantityNanos(text);
  if (nanos !== undefined) return new Quantity(nanos);
  throw evaluationError(`${JSON.stringify(text)} is no quantity`);
}

function isWhole({ nanos }: Quantity): boolean {
  return nanos % NANO === 0n && nanos / NANO <= 2n ** 63n - 1n && nanos / NANO >= -(2n ** 63n);
}

function whole(quantity: Quantity): bigint {
  if (!isWhole(quantity)) throw evaluationError("cannot convert value to integer");
  return quantity.nanos / NANO;
}

function order(a: bigint, b: bigint): bigint {
  return a < b ? -1n : a > b ? 1n : 0n;
}

const TYPE = "kubernetes.Quantity";

export const quantityType = { name: TYPE, ctor: Quantity };

export const quantityFunctions: readonly CelFunction[] = [
  [`quantity(string): ${TYPE}`, parsed],
  ["isQuantity(string): bool", (text: string) => quantityNanos(text) !== undefined],
  [`sign(${TYPE}): int`, ({ nanos }: Quantity) => order(nanos, 0n)],
  [`${TYPE}.sign(): int`, ({ nanos }: Quantity) => order(nanos, 0n)],
  [`${TYPE}.isGreaterThan(${TYPE}): bool`, (a: Quantity, b: Quantity) => a.nanos > b.nanos],
  [`${TYPE}.isLessThan(${TYPE}): bool`, (a: Quantity, b: Quantity) => a.nanos < b.nanos],
  [`${TYPE}.compareTo(${TYPE}): int`, (a: Quantity, b: Quantity) => order(a.nanos, b.nanos)],
  [`${TYPE}.asApproximateFloat(): double`, ({ nanos }: Quantity) => Number(nanos) / 1e9],
  [`${TYPE}.asInteger(): int`, whole],
  [`${TYPE}.isInteger(): bool`, isWhole],
  [`${TYPE}.add(${TYPE}): ${TYPE}`, (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos)],
  [`${TYPE}.add(int): ${TYPE}`, (a: Quantity, b: bigint) => new Quantity(a.nanos + b * NANO)],
  [`${TYPE}.sub(${TYPE}): ${TYPE}`, (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos)],
  [`${TYPE}.sub(int): ${TYPE}`, (a: Quantity, b: bigint) => new Quantity(a.nanos - b * NANO)],
];
