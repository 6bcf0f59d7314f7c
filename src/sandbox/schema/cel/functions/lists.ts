import { Optional } from "@marcbachmann/cel-js";
import { equalValues } from "../equality.ts";
import { type CelFunction, durationOf, evaluationError, isDurationValue, nanosecondsOf } from "../library.ts";

/** Lists and sets. */

export class ListsNamespace {}
export class SetsNamespace {}

type List = readonly unknown[];

const DURATION = "google.protobuf.Duration";
const ORDERED = ["int", "uint", "double", "bool", DURATION, "google.protobuf.Timestamp", "string", "bytes"];

export const listFunctions: readonly CelFunction[] = [
  ...ORDERED.flatMap((type): CelFunction[] => [
    [`list<${type}>.isSorted(): bool`, isSorted],
    [`list<${type}>.max(): ${type}`, (list: List) => extreme("max", list, (one, best) => compareValues(one, best) > 0)],
    [`list<${type}>.min(): ${type}`, (list: List) => extreme("min", list, (one, best) => compareValues(one, best) < 0)],
    [`list<${type}>.sort(): list<${type}>`, (list: List) => list.toSorted(compareValues)],
  ]),
  ["list<int>.sum(): int", (list: readonly bigint[]) => inRange(list.reduce((total, one) => total + one, 0n))],
  ["list<double>.sum(): double", (list: readonly number[]) => list.reduce((total, one) => total + one, 0)],
  [
    `list<${DURATION}>.sum(): ${DURATION}`,
    (list: List) => durationOf(list.filter(isDurationValue).reduce((total, one) => total + nanosecondsOf(one), 0n)),
  ],
  ["list<A>.indexOf(A): int", (list: List, item: unknown) => BigInt(list.findIndex((one) => equalValues(one, item)))],
  [
    "list<A>.lastIndexOf(A): int",
    (list: List, item: unknown) => BigInt(list.findLastIndex((one) => equalValues(one, item))),
  ],
  ["list<A>.distinct(): list<A>", distinct],
  ["list<A>.reverse(): list<A>", (list: List) => list.toReversed()],
  ["list<A>.slice(int, int): list<A>", slice],
  ["list<list<A>>.flatten(): list<A>", (list: List) => list.flat()],
  ["list<dyn>.flatten(int): list<dyn>", flatten],
  ["list<A>.first(): optional<A>", (list: List) => (list.length === 0 ? Optional.none() : Optional.of(list[0]))],
  ["list<A>.last(): optional<A>", (list: List) => (list.length === 0 ? Optional.none() : Optional.of(list.at(-1)))],
  ["ListsNamespace.range(int): list<int>", (_: unknown, count: bigint) => range(count)],
  ["SetsNamespace.contains(list<A>, list<A>): bool", (_: unknown, set: List, items: List) => containsAll(set, items)],
  [
    "SetsNamespace.equivalent(list<A>, list<A>): bool",
    (_: unknown, a: List, b: List) => containsAll(a, b) && containsAll(b, a),
  ],
  [
    "SetsNamespace.intersects(list<A>, list<A>): bool",
    (_: unknown, a: List, b: List) => a.some((one) => b.some((other) => equalValues(one, other))),
  ],
];

/** Negative, zero or positive, for sorting. */
export function compareValues(a: unknown, b: unknown): number {
  if (isDurationValue(a) && isDurationValue(b)) return Number(nanosecondsOf(a) - nanosecondsOf(b));
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [left, right] = [a as bigint, b as bigint];
  return left < right ? -1 : left > right ? 1 : 0;
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || compareValues(list[index - 1], item) <= 0);
}

function extreme(name: string, list: List, isBetter: (one: unknown, best: unknown) => boolean): unknown {
  if (list.length === 0) throw evaluationError(`${name} called on empty list`);
  return list.reduce((best, one) => (isBetter(one, best) ? one : best));
}

function inRange(value: bigint): bigint {
  if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) throw evaluationError("integer overflow");
  return value;
}

function distinct(list: List): List {
  return list.filter((item, index) => list.findIndex((one) => equalValues(one, item)) === index);
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) {
    throw evaluationError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  }
  if (start > end)
    throw evaluationError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length)) throw evaluationError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw evaluationError("level must be non-negative");
  return (list as unknown[]).flat(Number(depth) as 1);
}

const MOST_IN_RANGE = 1_000_000n;

function range(count: bigint): bigint[] {
  if (count > MOST_IN_RANGE) throw evaluationError("operation cancelled: actual cost limit exceeded");
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index));
}

function containsAll(set: List, items: List): boolean {
  return items.every((item) => set.some((one) => equalValues(one, item)));
}
