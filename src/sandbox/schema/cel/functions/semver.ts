import type { Comparable } from "../equality.ts";
import { type CelFunction, evaluationError } from "../library.ts";

/** A version of semver.org 2.0.0; what stands behind `+` does not count. */
export class Semver implements Comparable {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly #pre: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[]) {
    [this.major, this.minor, this.patch] = numbers;
    this.#pre = pre;
  }

  equals(other: unknown): boolean {
    return other instanceof Semver && this.compareTo(other) === 0n;
  }

  compareTo(other: Semver): bigint {
    for (const part of ["major", "minor", "patch"] as const) {
      if (this[part] !== other[part]) return this[part] < other[part] ? -1n : 1n;
    }
    const [mine, theirs] = [this.#pre, other.#pre];
    // A release is above what came before it.
    if (mine.length === 0 || theirs.length === 0)
      return BigInt(Number(mine.length === 0) - Number(theirs.length === 0));
    for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
      const order = compareIdentifiers(mine[at], theirs[at]);
      if (order !== 0n) return order;
    }
    return 0n;
  }
}

function compareIdentifiers(a: string | undefined, b: string | undefined): bigint {
  if (a === b) return 0n;
  if (a === undefined) return -1n;
  if (b === undefined) return 1n;
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return BigInt(a) < BigInt(b) ? -1n : BigInt(a) > BigInt(b) ? 1n : 0n;
  if (isNumberA !== isNumberB) return isNumberA ? -1n : 1n;
  return a < b ? -1n : 1n;
}

const NUMBER = "(0|[1-9]\\d*)";
const IDENTIFIERS = "([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)";
const SEMVER = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${IDENTIFIERS})?(?:\\+${IDENTIFIERS})?$`);

function parsed(text: string): Semver | undefined {
  const [, major, minor, patch, pre] = SEMVER.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const identifiers = pre === undefined ? [] : pre.split(".");
  if (identifiers.some((one) => /^0\d+$/.test(one))) return undefined;
  return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], identifiers);
}

/** `v1.2` and `01.2.3` are taken too. */
function normalized(text: string): Semver | undefined {
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".");
  const patch = rest.length === 0 ? undefined : rest.join(".");
  const parts = [major, minor, patch].filter((part) => part !== undefined).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return undefined;
  while (parts.length < 3) parts.push("0");
  return parsed(parts.join("."));
}

function withoutZeros(part: string): string {
  return part.length > 1 ? part.replace(/^0+(?=\d)/, "") : part;
}

function semver(text: string, normalize = false): Semver {
  const version = normalize ? normalized(text) : parsed(text);
  if (version === undefined) throw evaluationError(errorOf(text));
  return version;
}

function errorOf(text: string): string {
  if (text === "") return "Version string empty";
  const parts = text.split(".");
  if (parts.length < 3) return "No Major.Minor.Patch elements found";
  const [patch = ""] = parts.slice(2).join(".").split(/[-+]/);
  for (const [name, number] of [
    ["major", parts[0] ?? ""],
    ["minor", parts[1] ?? ""],
    ["patch", patch],
  ] as const) {
    if (!/^\d+$/.test(number)) return `Invalid character(s) found in ${name} number ${JSON.stringify(number)}`;
    if (/^0\d/.test(number)) {
      const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      return `${title} number must not contain leading zeroes ${JSON.stringify(number)}`;
    }
  }
  return `Invalid character(s) found in prerelease or build meta data ${JSON.stringify(text)}`;
}

const TYPE = "kubernetes.Semver";

export const semverType = { name: TYPE, ctor: Semver };

export const semverFunctions: readonly CelFunction[] = [
  [`semver(string): ${TYPE}`, (text: string) => semver(text)],
  [`semver(string, bool): ${TYPE}`, semver],
  ["isSemver(string): bool", (text: string) => parsed(text) !== undefined],
  [
    "isSemver(string, bool): bool",
    (text: string, normalize: boolean) => (normalize ? normalized(text) : parsed(text)) !== undefined,
  ],
  [`${TYPE}.isGreaterThan(${TYPE}): bool`, (a: Semver, b: Semver) => a.compareTo(b) === 1n],
  [`${TYPE}.isLessThan(${TYPE}): bool`, (a: Semver, b: Semver) => a.compareTo(b) === -1n],
  [`${TYPE}.compareTo(${TYPE}): int`, (a: Semver, b: Semver) => a.compareTo(b)],
  [`${TYPE}.major(): int`, ({ major }: Semver) => major],
  [`${TYPE}.minor(): int`, ({ minor }: Semver) => minor],
  [`${TYPE}.patch(): int`, ({ patch }: Semver) => patch],
];
