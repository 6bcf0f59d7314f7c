import { type Condition, type Message, namesText, type Reason, type RolloutStatus } from "../../apis/index.ts";
import type { Statement } from "./conditions.ts";

type Stage = NonNullable<RolloutStatus["stages"]>[number];
type InCluster = NonNullable<Stage["clusters"]>[number];

/** The condition Progressing of a staged rollout that is in progress or stopped; undefined otherwise. */
export function rolloutStatement(rollout: RolloutStatus | undefined): Statement | undefined {
  if (rollout === undefined) return undefined;
  const { state, reason = "", message, stages = [] } = rollout;
  const stage = stages.find((one) => one.state !== "Succeeded") ?? stages.at(-1);
  const said = (status: "True" | "False", of: Reason, text: Message): Statement => ({
    type: "Progressing",
    status,
    reason: of,
    message: message ?? text,
  });
  switch (state) {
    case "Planned":
      // Somebody paused the run before its turn.
      return reason === "" ? said("True", "RollingOut", progressOf(stage)) : said("False", "RolloutPaused", reason);
    case "Progressing":
      return said("True", "RollingOut", `${progressOf(stage)}${unverifiedIn(stages)}`);
    case "Paused":
      return said("False", "RolloutPaused", pauseOf(stage, reason));
    case "RollingBack":
      return said("True", "RollingBack", failuresOf(stages));
    case "RolledBack":
      return said("False", "RolledBack", failuresOf(stages));
    case "Succeeded":
    case "Superseded":
      return undefined;
  }
}

/** True if the rollout stopped before the desired revision ran everywhere: a client would wait forever. */
export function isStopped({ reason }: Pick<Statement, "reason">): boolean {
  return reason === "RolloutPaused" || reason === "RolledBack";
}

/** Set while a rollout withholds or takes back the desired revision: health may be that of another revision. */
export interface HeldBack {
  why: Statement;
  /** The clusters' present revision was once rolled out completely. Otherwise no revision has reached all clusters. */
  wasGood: boolean;
  /** The rollout keeps the desired revision from a cluster, or will take the revision back. */
  isWithheld: boolean;
}

/** Undefined if no rollout is open. */
export function heldBackBy(
  rollout: RolloutStatus | undefined,
  progressing: Statement | undefined,
): HeldBack | undefined {
  if (rollout === undefined || progressing === undefined) return undefined;
  const { state, lastGoodRevision, stages = [] } = rollout;
  const isForward = state === "Progressing" || state === "Paused";
  const isWithheld = !isForward || stages.some(({ clusters = [] }) => clusters.some(isWithout));
  return { why: progressing, wasGood: lastGoodRevision !== undefined, isWithheld };
}

const WITHOUT: ReadonlySet<InCluster["state"]> = new Set(["Waiting", "Deferred", "RolledBack"]);
const GOING_BACK: Reason = "RollingBack";
const LEFT: Reason = "ClusterLeft";

/** The cluster lacks the desired revision, or will lose it. A cluster that left the fleet does not count. */
function isWithout({ state, reason }: InCluster): boolean {
  return WITHOUT.has(state) || reason === GOING_BACK || (state === "Skipped" && reason !== LEFT);
}

/** Clusters without the desired revision, by the rollout's own state. */
export function clustersWithout(rollout: RolloutStatus | undefined): ReadonlySet<string> {
  const all = rollout?.stages?.flatMap(({ clusters = [] }) => clusters) ?? [];
  return new Set(all.filter(isWithout).map(({ name }) => name));
}

/** True if only the rollout keeps the object from being applied or available. */
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

function unverifiedIn(stages: readonly Stage[]): string {
  const names = stages.filter(({ approverVerified }) => approverVerified === false).map(({ name }) => name);
  return names.length === 0 ? "" : `; approver not verified: ${namesText(names)}`;
}

function pauseOf(stage: Stage | undefined, reason: string): Message {
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

function failuresOf(stages: readonly Stage[]): Message {
  const failed = stages.flatMap(({ clusters = [] }) => clusters.filter(({ state }) => state === "Failed"));
  if (failed.length === 0) return "back to the last good revision";
  return {
    what: "failed:",
    where: failed.map(({ name, reason }) => (reason === undefined ? name : `${name} (${reason})`)),
  };
}
