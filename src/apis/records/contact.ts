import { type ClusterStatusEntry } from "../kinds/index.ts";
import { isContactReason } from "../reasons/index.ts";

/** Whether Meridian hears from a cluster. */
export interface Contact {
  /** False from the moment contact was lost, or before it was first made. */
  ok: boolean;
  /** Last moment of contact, epoch milliseconds; undefined when there never was one. */
  lastContact?: number;
  /** CamelCase: ClusterUnreachable, CredentialsRejected, CredentialsExpired, CertificateInvalid, SecretNotFound, ClusterIdentityChanged, ClusterUnknown… */
  reason?: string;
  message?: string;
}

/** Whether an entry is Unknown since nothing is heard from the cluster; not because nobody says how healthy the object is there. */
export function isOutOfContact({ state, reason }: Pick<ClusterStatusEntry, "state" | "reason">): boolean {
  return state === "Unknown" && isContactReason(reason);
}
