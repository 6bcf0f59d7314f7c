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
  /** Since when nobody approves in another's name on objects of that kind; absent: this manager serves no webhooks. */
  approversProvenSince?: (holder: KubeObject) => ApproversProven;
}

/** What people asked of a run, and whether it is still open who approved: then nothing follows from it yet. */
interface Commanded {
  commands: RolloutCommands;
  isUnproven: boolean;
}

/** What people asked of this run of that revision; of one that has not begun, nothing was asked by its name. */
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
  // Whoever wrote before the API server began to ask may have written any name. An approval of this run was written after the run began.
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

/** By stage: who approved it for this very run. An approval of another run or revision counts for nothing. */
function approvalsIn(annotations: Annotations, revision: number, run: RolloutStatus | undefined): Map<string, string> {
  const said = rolloutApprovalsIn(annotations[ROLLOUT_APPROVALS_ANNOTATION]);
  const isMeant = said?.revision === revision && said.run === run?.startedAt;
  return new Map(isMeant ? Object.entries(said.approvals) : []);
}

/** For a source: what people asked of the rollout has changed. */
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
