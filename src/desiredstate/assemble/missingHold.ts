import {
  ACCEPT_DELETIONS_ANNOTATION,
  type Condition,
  DELETIONS_HELD_CONDITION,
  type MemberCluster,
} from "../../apis/index.ts";
import type { Why } from "../types.ts";

/** Why copies stay although the hub lacks their objects. A person agrees to the removal by naming `since`. */
export interface MissingHold {
  reason: "HubWentBack" | "OwnersMissing";
  /** RFC 3339 with whole seconds. */
  since: string;
}

/** The condition of a hold that was in force when a manager last wrote the MemberCluster's status. */
export function heldConditionOf({ status }: MemberCluster): Condition | undefined {
  return status?.conditions?.find(({ type, status: is }) => type === DELETIONS_HELD_CONDITION && is === "True");
}

/** The older one of `hold` and the hold in the MemberCluster's condition; a proof that the hub went back stays valid. */
export function rememberedHold(hold: MissingHold | undefined, cluster: MemberCluster): MissingHold | undefined {
  const condition = heldConditionOf(cluster);
  if (condition === undefined) return hold;
  const { reason, lastTransitionTime: since } = condition;
  if (hold !== undefined && hold.since <= since) return hold;
  const isProven = reason === "HubWentBack" || hold?.reason === "HubWentBack";
  return { reason: isProven ? "HubWentBack" : "OwnersMissing", since };
}

/** The time in the annotation by which a person agrees to the removal. */
export function acceptedIn({ metadata }: MemberCluster): string | undefined {
  return metadata.annotations?.[ACCEPT_DELETIONS_ANNOTATION];
}

/** Why the copies stay on `cluster`; undefined if a person agreed to their removal there. */
export function whyHeldAsMissing(
  { reason, since }: Pick<MissingHold, "reason"> & Partial<MissingHold>,
  cluster: MemberCluster | undefined,
): Why | undefined {
  const what = reason === "HubWentBack" ? "the hub went back in time" : "the hub lost its object";
  if (since === undefined) return { reason, message: what };
  if (cluster !== undefined && acceptedIn(cluster) === since) return undefined;
  return { reason, message: { what, remedy: `if meant, annotate ${ACCEPT_DELETIONS_ANNOTATION}: ${since}` } };
}
