import { type Condition, isRecord, type KubeObject, sameValue, setMember } from "../../apis/index.ts";
import { conditionSums } from "./conditionSums.ts";
import { isJob } from "./divisionOfJobs.ts";
import { jobSum } from "./jobSum.ts";
import { type FieldRule, fieldRulesOf } from "./statusFields.ts";
import type { MemberStatus } from "../types.ts";
import { type Fields, fieldsOf, listOf, numberOf, timesIn } from "../values.ts";

/** Names of counts, which are summed. */
const COUNTS =
  /(?:replicas|nodes|pods|instances|members|workers|brokers|shards|count|scheduled|ready|available|unavailable|active|succeeded|failed)$/i;
/** Names that look like a count but are none: controllers name their objects by this number. */
const NO_COUNT: ReadonlySet<string> = new Set(["collisionCount"]);
/** Fields with a rule of their own. */
const SPECIAL: ReadonlySet<string> = new Set(["conditions", "observedGeneration", "loadBalancer"]);
const MOST_POINTS = 64;

/**
 * Status of a propagated hub object, from those of its copies. Counts are summed, addresses joined, conditions merged,
 * a value that every copy has is taken over, and everything else is left out; {@link fieldRulesOf} and {@link jobSum}
 * have the exceptions.
 *
 * `observedGeneration` becomes the present generation once every copy is up to date and observed. Undefined while no
 * copy has a status. `now` is epoch milliseconds.
 */
export function statusSum(object: KubeObject, members: readonly MemberStatus[], now: number): Fields | undefined {
  const known = members.filter(({ status }) => status !== undefined);
  if (known.length === 0) return undefined;
  if (isJob(object)) return jobSum(object, members, now);
  const previous = fieldsOf(object["status"]);
  const isCurrent = members.every((member) => member.isCurrent && member.status !== undefined);
  const generation = object.metadata.generation ?? 0;
  const statuses = known.map(({ status }) => status ?? {});
  const names = [...new Set(statuses.flatMap((status) => Object.keys(status)))].toSorted();

  const rules = fieldRulesOf(object);
  const sum: Record<string, unknown> = {};
  for (const name of names) {
    if (SPECIAL.has(name)) continue;
    const values = statuses.map((status) => status[name]);
    const rule = rules?.fields[name] ?? (COUNTS.test(name) && !NO_COUNT.has(name) ? "Sum" : "Common");
    const value = valueBy(rule, values, known.length === members.length);
    if (value !== undefined) setMember(sum, name, value);
  }
  const points = pointsOf(statuses);
  if (points.length > 0) sum["loadBalancer"] = { ingress: points };
  const conditions = conditionSums(members, {
    previous: listOf(previous["conditions"]) as unknown as Condition[],
    generation: isCurrent ? generation : undefined,
    now,
    ...(rules?.trueIfAny === undefined ? {} : { trueIfAny: rules.trueIfAny }),
  });
  if (conditions.length > 0) sum["conditions"] = conditions;
  const observed = names.includes("observedGeneration")
    ? isCurrent
      ? generation
      : numberOf(previous["observedGeneration"])
    : undefined;
  if (observed !== undefined) sum["observedGeneration"] = observed;
  return sum;
}

/** `isWhole`: every copy has a status. */
function valueBy(rule: FieldRule, values: readonly unknown[], isWhole: boolean): unknown {
  switch (rule) {
    case "None":
      return undefined;
    case "Sum":
      return values.every(isCount) ? total(values) : valueBy("Common", values, isWhole);
    case "Earliest":
      return timesIn(values).at(0);
    case "Latest":
      return timesIn(values).at(-1);
    case "Joined":
      return values.flatMap((value) => listOf(value)).slice(0, MOST_POINTS);
    case "Common":
      return isWhole ? common(values) : undefined;
    default:
      return rule.worstOf.find((one) => values.includes(one)) ?? valueBy("Common", values, isWhole);
  }
}

function isCount(value: unknown): boolean {
  return value === undefined || (isInteger(value) && value >= 0);
}

/** Controllers leave out counts that are 0. */
function total(values: readonly unknown[]): number | bigint {
  const sum = values.filter(isInteger).reduce<bigint>((all, value) => all + BigInt(value), 0n);
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum;
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

function common([first, ...rest]: readonly unknown[]): unknown {
  return first !== undefined && rest.every((value) => sameValue(value, first)) ? first : undefined;
}

function pointsOf(statuses: readonly Fields[]): Fields[] {
  const points = new Map<string, Fields>();
  for (const status of statuses)
    for (const point of listOf(fieldsOf(status["loadBalancer"])["ingress"])) points.set(JSON.stringify(point), point);
  return [...points]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, point]) => point)
    .slice(0, MOST_POINTS);
}

/** Another field manager that owns a field of the sum. */
export function statusOwner({ metadata }: KubeObject, sum: Fields, ours: string): string | undefined {
  for (const { manager = "", operation, subresource, fieldsV1 } of metadata.managedFields ?? []) {
    if (subresource !== "status" || (manager === ours && operation === "Apply")) continue;
    const owned = fieldsV1?.["f:status"];
    if (isRecord(owned) && Object.keys(sum).some((name) => `f:${name}` in owned)) return manager;
  }
  return undefined;
}

/** The status equals the sum, and has no other field that is ours. */
export function isSummedUp({ metadata, ...object }: KubeObject, sum: Fields, ours: string): boolean {
  const status = fieldsOf(object["status"]);
  if (!Object.keys(sum).every((name) => isServedAs(status[name], sum[name]))) return false;
  const entry = (metadata.managedFields ?? []).find(
    ({ manager, operation, subresource }) => manager === ours && operation === "Apply" && subresource === "status",
  );
  const owned = Object.keys(fieldsOf(entry?.fieldsV1?.["f:status"]));
  return owned.every((field) => !field.startsWith("f:") || field.slice(2) in sum);
}

/** The API server adds fields with the value null, such as `lastProbeTime` of a Job's condition. */
function isServedAs(live: unknown, written: unknown): boolean {
  if (Array.isArray(written))
    return (
      Array.isArray(live) &&
      live.length === written.length &&
      written.every((item, index) => isServedAs(live[index], item))
    );
  if (!isRecord(written)) return sameValue(live, written);
  if (!isRecord(live)) return false;
  const added = Object.keys(live).filter((name) => !Object.hasOwn(written, name));
  return (
    added.every((name) => live[name] === null) &&
    Object.entries(written).every(([name, value]) => isServedAs(live[name], value))
  );
}
