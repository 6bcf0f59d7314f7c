import { type Condition, listedAfter, type Reason, type RolloutStatus } from "../../apis/index.ts";
import type { Statement } from "./conditions.ts";

type Stage = NonNullable<RolloutStatus["stages"]>[number];
type InCluster = NonNullable<Stage["clusters"]>[number];

/** What the condition Progressing says while a rollout in stages is under way, or has stopped; undefined where nothing is to be said of one. */
export function rolloutStatement(rollout: RolloutStatus | undefined): Statement | undefined {
  if (rollout === undefined) return undefined;
  const { state, reason = "", message, stages = [] } = rollout;
  const type = "Progressing";
  const stage = stages.find((one) => one.state !== "Succeeded") ?? stages.at(-1);
  switch (state) {
    case "Planned":
      // Somebody has paused the run before its turn came.
      if (reason !== "") return { type, status: "False", reason: "RolloutPaused", message: message ?? reason };
      return { type, status: "True", reason: "RollingOut", message: message ?? progressOf(stage) };
    case "Progressing":
      return {
        type,
        status: "True",
        reason: "RollingOut",
        message: message ?? `${progressOf(stage)}${unverifiedIn(stages)}`,
      };
    case "Paused":
      return { type, status: "False", reason: "RolloutPaused", message: message ?? pauseOf(stage, reason) };
    case "RollingBack":
      return { type, status: "True", reason: "RollingBack", message: message ?? failuresOf(stages) };
    case "RolledBack":
      return { type, status: "False", reason: "RolledBack", message: message ?? failuresOf(stages) };
    case "Succeeded":
    case "Superseded":
      return undefined;
  }
}

/** Nothing is under way, and what is wanted is not what runs: nobody who waits for the object is done. */
export function isStopped({ reason }: Pick<Statement, "reason">): boolean {
  return reason === "RolloutPaused" || reason === "RolledBack";
}

/** Where a rollout keeps what is wanted now from clusters, or takes it back: however well these are, they are so with something else. */
export interface HeldBack {
  /** What Progressing says. */
  why: Statement;
  /** What the clusters have instead was rolled out to the end once; otherwise the object has never come to all of them. */
  wasGood: boolean;
  /** Some cluster does not have what is wanted now, or is to lose it. */
  isKept: boolean;
}

/** Undefined where no rollout is open. */
export function heldBackBy(
  rollout: RolloutStatus | undefined,
  progressing: Statement | undefined,
): HeldBack | undefined {
  if (rollout === undefined || progressing === undefined) return undefined;
  const { state, lastGoodRevision, stages = [] } = rollout;
  const isForward = state === "Progressing" || state === "Paused";
  const isKept = !isForward || stages.some(({ clusters = [] }) => clusters.some(isWithout));
  return { why: progressing, wasGood: lastGoodRevision !== undefined, isKept };
}

const WITHOUT: ReadonlySet<InCluster["state"]> = new Set(["Waiting", "Deferred", "RolledBack"]);
const GOING_BACK: Reason = "RollingBack";
const LEFT: Reason = "ClusterLeft";

function isWithout({ state, reason }: InCluster): boolean {
  return WITHOUT.has(state) || reason === GOING_BACK || (state === "Skipped" && reason !== LEFT);
}

/** The clusters that do not have what is wanted by a word of the rollout. */
export function clustersWithout(rollout: RolloutStatus | undefined): ReadonlySet<string> {
  const all = rollout?.stages?.flatMap(({ clusters = [] }) => clusters) ?? [];
  return new Set(all.filter(isWithout).map(({ name }) => name));
}

/** True while all that keeps an object from being applied, or available, is its rollout: it is so on every cluster whose turn has come. */
export function isHeldByRollout(type: "Applied" | "Available", conditions: readonly Condition[] = []): boolean {
  const [said, progressing] = [type, "Progressing"].map((one) =>
    conditions.find((condition) => condition.type === one),
  );
  return said?.status === "False" && HOLDING.has(said.reason) && said.reason === progressing?.reason;
}

const HOLDING: ReadonlySet<string> = new Set([
  "RollingOut",
  "RolloutPaused",
  "RollingBack",
  "RolledBack",
] satisfies Reason[]);

function progressOf(stage: Stage | undefined): string {
  if (stage === undefined) return "the rollout begins";
  const { name, state, clusters = [] } = stage;
  const done = clusters.filter((cluster) => cluster.state === "Done").length;
  const soaking = state === "Soaking" ? "; it soaks" : "";
  return `stage ${name}: ${done} of ${clusters.length} ${clusters.length === 1 ? "cluster" : "clusters"} done${soaking}`;
}

/** Whoever reads that a stage was approved learns that the name may be anybody's. */
function unverifiedIn(stages: readonly Stage[]): string {
  const names = stages.filter(({ approverVerified }) => approverVerified === false).map(({ name }) => name);
  return names.length === 0 ? "" : listedAfter("; approver not verified: ", names);
}

function pauseOf(stage: Stage | undefined, reason: string): string {
  const where = stage === undefined ? "" : `stage ${stage.name}: `;
  switch (reason) {
    case "Gate":
      return `${where}waits for its gate`;
    case "User":
      return `${where}paused; \`meridian rollout resume NAME\` goes on`;
    case "Unknown":
      return `${where}nobody knows how its clusters are`;
    case "RollbackFailed":
      return "a cluster did not come back to the last good revision";
    default:
      return stage === undefined ? "too many clusters failed" : failuresOf([stage]);
  }
}

function failuresOf(stages: readonly Stage[]): string {
  const failed = stages.flatMap(({ clusters = [] }) => clusters.filter(({ state }) => state === "Failed"));
  if (failed.length === 0) return "back to the last good revision";
  return listedAfter(
    "failed: ",
    failed.map(({ name, reason }) => (reason === undefined ? name : `${name} (${reason})`)),
  );
}
