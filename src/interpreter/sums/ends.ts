import { type End, hashOf, kindKeyOf, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { conditionOf, conditionsOf, isBehind, statusOf } from "../health/index.ts";
import { type Fields, fieldsOf, numberOf, textOf } from "../values.ts";

/** Final outcomes of member objects. Finished work is never run again, unless the spec asks for other work. */

export function jobEnd(object: KubeObject): End | undefined {
  return (["Complete", "Failed"] as const).find((type) => conditionOf(object, type)?.status === "True");
}

/** With restartPolicy Always a pod has to keep running: its end is a failure to repair, and not final. */
export function podEnd(object: KubeObject): End | undefined {
  if ((textOf(fieldsOf(object["spec"])["restartPolicy"]) ?? "Always") === "Always") return undefined;
  const { phase } = statusOf(object);
  return phase === "Succeeded" ? "Complete" : phase === "Failed" ? "Failed" : undefined;
}

/** With these the controllers of Jobs, workflows and trainings mark finished work. */
const OVER: ReadonlySet<string> = new Set(["Complete", "Completed", "Succeeded"]);
/** Kinds without an end use these, too: they need an end time. */
const GOOD_PHASES: ReadonlySet<unknown> = new Set(["Succeeded", "Completed", "Complete"]);
const FAILED_PHASES: ReadonlySet<unknown> = new Set(["Failed", "Error"]);
/** Status fields that hold an end time. */
const END_TIMES = ["completionTime", "completionTimestamp", "completedAt", "finishedAt", "endTime"] as const;

/**
 * For kinds without a rule of their own. A failure may pass, and a phase says little, so they mark an end only with an
 * end time. An object with replicas serves, and has no end.
 */
export function genericEnd(object: KubeObject): End | undefined {
  const status = statusOf(object);
  if (hasReplicas(object, status)) return undefined;
  if (status["observedGeneration"] !== undefined && isBehind(object)) return undefined;
  const generation = object.metadata.generation ?? 0;
  const present = conditionsOf(object).filter(
    ({ observedGeneration = generation }) => observedGeneration >= generation,
  );
  const is = (type: string, value: string): boolean =>
    present.some((condition) => condition.type === type && condition.status === value);
  const isOver = [...OVER].some((type) => is(type, "True"));
  const hasEndTime = END_TIMES.some((field) => textOf(status[field]) !== undefined);
  const hasFailed = is("Failed", "True") || FAILED_PHASES.has(status["phase"]);
  if (isOver) return hasFailed ? "Failed" : "Complete";
  if (!hasEndTime) return undefined;
  if (hasFailed || is("Succeeded", "False")) return "Failed";
  return GOOD_PHASES.has(status["phase"]) ? "Complete" : undefined;
}

function hasReplicas(object: KubeObject, status: Fields): boolean {
  return numberOf(fieldsOf(object["spec"])["replicas"]) !== undefined || numberOf(status["replicas"]) !== undefined;
}

/** Not part of the work: controllers of the hub write them, or a person tidies up. */
const BESIDE_THE_WORK: Readonly<Record<string, ReadonlySet<string>>> = {
  "batch/Job": new Set(["suspend", "ttlSecondsAfterFinished"]),
  "/Pod": new Set(["nodeName", "tolerations"]),
};
const NONE: ReadonlySet<string> = new Set();
const known = new WeakMap<KubeObject, string>();

/**
 * Hash of the work that an object asks for: the same for all clusters, whatever labels, annotations, overrides and
 * divided replicas say.
 */
export function runHash(object: KubeObject): string {
  let hash = known.get(object);
  if (hash === undefined) {
    const { apiVersion, kind, metadata: _, status: __, ...work } = object;
    const beside = BESIDE_THE_WORK[kindKeyOf({ apiVersion, kind })] ?? NONE;
    const spec = Object.entries(fieldsOf(work["spec"])).filter(([field]) => !beside.has(field));
    hash = hashOf({ ...work, spec: Object.fromEntries(spec) });
    known.set(object, hash);
  }
  return hash;
}

/** When the TTL controller may remove a finished Job, epoch milliseconds. */
export function expiryOf(object: KubeObject): number | undefined {
  if (object.kind !== "Job" || parseApiVersion(object.apiVersion).group !== "batch") return undefined;
  const ttl = numberOf(fieldsOf(object["spec"])["ttlSecondsAfterFinished"]);
  const end = jobEnd(object);
  if (ttl === undefined || end === undefined) return undefined;
  const finished = Date.parse(lastTransitionOf(object, end));
  return Number.isNaN(finished) ? undefined : finished + ttl * 1000;
}

function lastTransitionOf(object: KubeObject, type: End): string {
  const conditions = statusOf(object)["conditions"];
  const found = (Array.isArray(conditions) ? conditions : []).map(fieldsOf).find((one) => one["type"] === type);
  return textOf(found?.["lastTransitionTime"]) ?? "";
}
