import { type ClusterStatusEntry } from "../kinds/index.ts";
import { isContactReason } from "../reasons/index.ts";

export interface Contact {
  /** False from the moment contact was lost, or before it was first made. */
  ok: boolean;
  /** Epoch milliseconds; undefined when there never was contact. */
  lastContact?: number;
  /** CamelCase: ClusterUnreachable, CredentialsRejected, ClusterUnknown… */
  reason?: string;
  message?: string;
}

/** Unknown because contact is lost, and not because the object's health is unknown. */
export function isOutOfContact({ state, reason }: Pick<ClusterStatusEntry, "state" | "reason">): boolean {
  return state === "Unknown" && isContactReason(reason);
}
