import { fullMessage, type OwnerRef, type Reason, refKey } from "../../apis/index.ts";
import { assembleRemovalFacts, type Observation, step } from "../../desiredstate/index.ts";
import { compareResourceVersions } from "../../runtime/index.ts";
import { type HubStateReader, type PlannerHubState } from "./state/index.ts";

const GONE: Reason = "ObjectGone";

/**
 * Notes on copies whose hub object is missing, if the manager holds them as after a restore from a backup. The hub is
 * asked again for each object, since it may be newer than the plan.
 */
export async function lostOwnerNotes(
  reader: Pick<HubStateReader, "owner">,
  state: PlannerHubState,
  seen: readonly Observation[],
): Promise<string[]> {
  const lost = new Map<string, { owner: OwnerRef; copies: Observation[] }>();
  for (const copy of seen) {
    const owner = copy.present?.owner;
    if (owner === undefined || state.object(refKey(owner)) !== undefined) continue;
    const one = lost.get(refKey(owner)) ?? { owner, copies: [] };
    lost.set(refKey(owner), { owner, copies: [...one.copies, copy] });
  }
  for (const [key, { owner, copies }] of lost) {
    const read = await reader.owner(owner);
    // A person without the right to ask does not know that the object is gone.
    if (read === undefined || read.exists) lost.delete(key);
    else if (copies.some(({ present }) => isLater(present?.hubVersion, read.resourceVersion))) state.wentBack = true;
  }
  const notes: string[] = [];
  for (const { owner, copies } of lost.values()) {
    const cause = { reason: GONE, message: "the object is gone from the hub" };
    const removal = { owner, policy: undefined, cause, ownership: "Ours", lost: true } as const;
    const facts = assembleRemovalFacts(state, copies, removal);
    for (const row of step({ target: undefined, observations: copies, removal: facts }).rows)
      if (row.verb === "Hold")
        notes.push(
          `${row.ref.kind} ${row.ref.name} on ${row.cluster} belongs to ${owner.kind} ${owner.name}, which the hub lacks, and stays (${row.why.reason}): ${fullMessage(row.why.message)}.`,
        );
  }
  return notes;
}

function isLater(version: string | undefined, read: string): boolean {
  return version !== undefined && compareResourceVersions(version, read) > 0;
}
