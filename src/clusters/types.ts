import type { Contact } from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { Client, Discovery } from "../runtime/index.ts";

/** One life of the connection to one member: from credentials that work and an identity that is known until either changes. */
export interface MemberSession {
  readonly cluster: string;
  readonly client: Client;
  readonly discovery: Discovery;
  /** UID of the member's kube-system namespace. */
  readonly clusterUid: string;
  /** The hub itself (`local: {}`). */
  readonly local: boolean;
  /** The only namespaces that the credentials reach; undefined: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined;
  /** Aborted when this session ends: removed, changed credentials or endpoint, changed identity. */
  readonly signal: AbortSignal;
  /** Something seems wrong (a watch broke, a write timed out): probe now instead of at the next interval. */
  suspect(): void;
}

/** Called by the pool, in order, for each cluster. */
export interface PoolListener {
  sessionStarted(session: MemberSession): void;
  /** Contact was made or lost, or the reason changed. Not called for a probe that found nothing new. */
  contactChanged(cluster: string, contact: Contact): void;
  /** Why writes to the cluster are slowed down or stopped at this moment; undefined while they flow. */
  paceOf(cluster: string): Why | undefined;
  /** The MemberCluster is gone, and its connection with it. */
  clusterRemoved(cluster: string): void;
}
