import { type ClusterStatusEntry } from "../kinds/index.ts";
import { isContactReason } from "../reasons/index.ts";

/** State of the contact with a cluster. */
export interface Contact {
  /** False from the moment contact was lost, or before it was first made. */
  ok: boolean;
  /** Last moment of contact, epoch milliseconds; undefined when there never was one. */
  lastContact?: number;
  /** CamelCase: ClusterUnreachable, CredentialsRejected, CredentialsExpired, CertificateInvalid, SecretNotFound, ClusterIdentityChanged, ClusterUnknown… */
  reason?: string;
  message?: string;
}

/**
 * Returns whether an entry is Unknown because contact with the cluster is lost, and not because the object's health is
 * unknown.
 */
export function isOutOfContact({ state, reason }: Pick<ClusterStatusEntry, "state" | "reason">): boolean {
  return state === "Unknown" && isContactReason(reason);
}
