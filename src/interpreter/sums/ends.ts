import { type End, hashOf, kindKeyOf, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { conditionOf, conditionsOf, isBehind, statusOf } from "../health/index.ts";
import { type Fields, fieldsOf, numberOf, textOf } from "../values.ts";

/** How member objects come to their end for good. What has ended is never run again, unless its spec asks for other work. */

export function jobEnd(object: KubeObject): End | undefined {
  return (["Complete", "Failed"] as const).find((type) => conditionOf(object, type)?.status === "True");
}

/** A pod that restarts always is to run on: its end is a failure that somebody has to put right. */
export function podEnd(object: KubeObject): End | undefined {
  if ((textOf(fieldsOf(object["spec"])["restartPolicy"]) ?? "Always") === "Always") return undefined;
  const { phase } = statusOf(object);
  return phase === "Succeeded" ? "Complete" : phase === "Failed" ? "Failed" : undefined;
}

/** Conditions with which the controllers of Jobs, workflows, pipelines and trainings say that the work is over. */
const OVER: ReadonlySet<string> = new Set(["Complete", "Completed", "Succeeded"]);
/** Phases of many kinds that go on: an end only where the status has the time of the end beside them. */
const GOOD_PHASES: ReadonlySet<unknown> = new Set(["Succeeded", "Completed", "Complete"]);
const FAILED_PHASES: ReadonlySet<unknown> = new Set(["Failed", "Error"]);
/** Fields of a status that hold the time of the end. */
const END_TIMES = ["completionTime", "completionTimestamp", "completedAt", "finishedAt", "endTime"] as const;

/**
 * The end of an object of a kind without a rule of its own. `Complete`, `Completed` or `Succeeded` is True at the end of work. A failure may pass, and a phase says little,
 * so they are an end only where the status has the time of the end beside them. What has replicas serves, and has no end, whatever its conditions say.
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

/** Fields of a spec that do not say what the work is: by kind, where controllers of the hub write there, or a person tidies up. */
const BESIDE_THE_WORK: Readonly<Record<string, ReadonlySet<string>>> = {
  "batch/Job": new Set(["suspend", "ttlSecondsAfterFinished"]),
  "/Pod": new Set(["nodeName", "tolerations"]),
};
const NONE: ReadonlySet<string> = new Set();
const known = new WeakMap<KubeObject, string>();

/**
 * Hash of the work that an object asks for, as it stands on the hub or in a bundle: the same for all clusters, and whatever else changes in labels,
 * annotations, overrides or the division of replicas.
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

/** When the API server's TTL controller may remove a finished Job, epoch milliseconds; undefined for everything else. */
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
