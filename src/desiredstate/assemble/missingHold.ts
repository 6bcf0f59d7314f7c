import {
  ACCEPT_DELETIONS_ANNOTATION,
  type Condition,
  DELETIONS_HELD_CONDITION,
  type MemberCluster,
  shortMessage,
} from "../../apis/index.ts";
import type { Why } from "../types.ts";

/** Why the copies of objects that the hub lacks stay, and since when; a person agrees by naming that time. */
export interface MissingHold {
  reason: "HubWentBack" | "OwnersMissing";
  /** RFC 3339 with whole seconds. */
  since: string;
}

/** What the MemberCluster says of a hold that was in force when a manager wrote its status. */
export function heldConditionOf({ status }: MemberCluster): Condition | undefined {
  return status?.conditions?.find(({ type, status: is }) => type === DELETIONS_HELD_CONDITION && is === "True");
}

/** The hold that is in force by `hold` and what the MemberCluster says: the older one; what proves that the hub went back stays proven. */
export function rememberedHold(hold: MissingHold | undefined, cluster: MemberCluster): MissingHold | undefined {
  const condition = heldConditionOf(cluster);
  if (condition === undefined) return hold;
  const { reason, lastTransitionTime: since } = condition;
  if (hold !== undefined && hold.since <= since) return hold;
  const isProven = reason === "HubWentBack" || hold?.reason === "HubWentBack";
  return { reason: isProven ? "HubWentBack" : "OwnersMissing", since };
}

/** The time that a person names who agrees that the copies go. */
export function acceptedIn({ metadata }: MemberCluster): string | undefined {
  return metadata.annotations?.[ACCEPT_DELETIONS_ANNOTATION];
}

/** Undefined where a person agrees on the cluster. `cluster`: where the copies are. Without `since` no manager has begun to hold them yet. */
export function whyHeldAsMissing(
  { reason, since }: Pick<MissingHold, "reason"> & Partial<MissingHold>,
  cluster: MemberCluster | undefined,
): Why | undefined {
  const what = reason === "HubWentBack" ? "the hub went back in time" : "the hub lost its object";
  if (since === undefined) return { reason, message: what };
  if (cluster !== undefined && acceptedIn(cluster) === since) return undefined;
  return { reason, message: shortMessage(`${what}; if meant, annotate ${ACCEPT_DELETIONS_ANNOTATION}: ${since}`) };
}
