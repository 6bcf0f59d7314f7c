import {
  type ApproversProven,
  defined,
  holdsOldApprovals,
  type KubeObject,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
  rolloutApprovalsIn,
  rolloutCommandIn,
  type RolloutStatus,
} from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { RolloutCommands } from "../../rollout/index.ts";

export interface CommandSources {
  hub: HubCache;
  /** Time since which the API server has verified approvers. Absent: this manager serves no webhooks. */
  approversProvenSince?: (holder: KubeObject) => ApproversProven;
}

/** The commands for a run. `isUnproven`: the proof of approvals is not known yet, so the rollout waits. */
interface Commanded {
  commands: RolloutCommands;
  isUnproven: boolean;
}

/** The commands and approvals of people for this run. Before it begins, a command cannot name the run. */
export function commandsOf(
  { hub, approversProvenSince }: CommandSources,
  object: KubeObject,
  revision: number,
  run: RolloutStatus | undefined,
): Commanded {
  const holder = hub.kindOf(object)?.propagated === true ? hub.bindings.of(object) : object;
  const { annotations = {} } = holder?.metadata ?? {};
  const { paused = false, abort = false, resumedAt } = commandIn(annotations, revision, run) ?? {};
  const approvals = approvalsIn(annotations, revision, run);
  const proven =
    holder === undefined || approvals.size === 0 ? "Never" : (approversProvenSince?.(holder as KubeObject) ?? "Never");
  // Before the API server asked the webhook, an approval could name any person.
  const areApproversVerified = typeof proven === "number" && Date.parse(run?.startedAt ?? "") >= proven;
  return {
    commands: {
      paused,
      ...(abort ? { abort: revision } : {}),
      ...defined({ resumedAt }),
      approvals,
      areApproversVerified,
      ...(holdsOldApprovals(annotations[ROLLOUT_COMMAND_ANNOTATION]) ? { hasOldApprovals: true } : {}),
    },
    isUnproven: proven === "Unread",
  };
}

type Annotations = Readonly<Record<string, string>>;

function commandIn(annotations: Annotations, revision: number, run: RolloutStatus | undefined) {
  const said = rolloutCommandIn(annotations[ROLLOUT_COMMAND_ANNOTATION]);
  const isMeant = said?.revision === revision && (said.run === undefined || said.run === run?.startedAt);
  return isMeant ? said : undefined;
}

/** Approvers by stage, for this run only. An approval of another run or revision does not count. */
function approvalsIn(annotations: Annotations, revision: number, run: RolloutStatus | undefined): Map<string, string> {
  const said = rolloutApprovalsIn(annotations[ROLLOUT_APPROVALS_ANNOTATION]);
  const isMeant = said?.revision === revision && said.run === run?.startedAt;
  return new Map(isMeant ? Object.entries(said.approvals) : []);
}

export function changedCommand({
  object,
  old,
}: {
  object: { metadata: KubeObject["metadata"] };
  old?: { metadata: KubeObject["metadata"] } | undefined;
}): boolean {
  return [ROLLOUT_COMMAND_ANNOTATION, ROLLOUT_APPROVALS_ANNOTATION].some(
    (name) => object.metadata.annotations?.[name] !== old?.metadata.annotations?.[name],
  );
}
