import { CORDON_TAINT, DRAIN_TAINT, type MemberCluster, type Taint, timestamp } from "../../apis/index.ts";
import { type Client, isConflict, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { type Connection, find, noSuchMember } from "../shared/index.ts";

/** Keeps new copies off the cluster. */
const CORDON = { key: CORDON_TAINT, effect: "NoSchedule" } as const;
/** Also moves running copies away. */
const DRAIN = { key: DRAIN_TAINT, effect: "NoExecute" } as const;

type Mark = typeof CORDON | typeof DRAIN;

const isMark = (taint: Pick<Taint, "key" | "effect">, mark: Mark): boolean =>
  taint.key === mark.key && taint.effect === mark.effect;

/** A change to a cluster's taints; returns the same list when nothing changes. */
export type Change = (taints: readonly Taint[], now: number) => readonly Taint[];

const withMark = (taints: readonly Taint[], mark: Mark, now: number): readonly Taint[] =>
  taints.some((taint) => isMark(taint, mark)) ? taints : [...taints, { ...mark, timeAdded: timestamp(now) }];

export const cordoned: Change = (taints, now) => withMark(taints, CORDON, now);
export const drained: Change = (taints, now) => withMark(cordoned(taints, now), DRAIN, now);
export const uncordoned: Change = (taints) => {
  const others = taints.filter((taint) => !isMark(taint, CORDON) && !isMark(taint, DRAIN));
  return others.length === taints.length ? taints : others;
};

/** The taint that drives objects away while a cluster is drained. */
export const DRAINING: Taint = DRAIN;

/**
 * Returns true if the taints changed; with `dryRun` the hub only checks the change. Throws a CommandError when there
 * is no such member.
 */
export async function changeTaints(
  hub: Connection,
  name: string,
  change: Change,
  { dryRun, now, signal }: { dryRun: boolean; now: number; signal: AbortSignal },
): Promise<boolean> {
  for (;;) {
    const member = await memberOf(hub, name, signal);
    const taints = member.spec.taints ?? [];
    const next = change(taints, now);
    if (next === taints) return false;
    if (dryRun || (await replaced(hub.client, member, next, signal))) return true;
  }
}

/** Throws a CommandError when there is no such member. */
export async function memberOf(hub: Connection, name: string, signal: AbortSignal): Promise<MemberCluster> {
  const member = await find(hub.client, MEMBERCLUSTERS, undefined, name, signal);
  if (member === undefined) throw await noSuchMember(name, hub, signal);
  return member as unknown as MemberCluster;
}

/** False: somebody else has changed the MemberCluster. */
async function replaced(
  client: Client,
  { metadata: { name, resourceVersion } }: MemberCluster,
  taints: readonly Taint[],
  signal: AbortSignal,
): Promise<boolean> {
  const patch = { metadata: { resourceVersion }, spec: { taints } };
  try {
    await client.patch(MEMBERCLUSTERS, undefined, name, "application/merge-patch+json", patch, { signal });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
