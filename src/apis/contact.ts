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
