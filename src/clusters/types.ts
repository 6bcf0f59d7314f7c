import type { Contact } from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { Client, Discovery } from "../runtime/index.ts";

/** One session with one member. It begins with working credentials and a known identity, and ends when either changes. */
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
  /** Aborted when this session ends. */
  readonly signal: AbortSignal;
  /** Something seems wrong (a watch broke, a write timed out): probes now instead of at the next interval. */
  suspect(): void;
}

/** Called by the pool, in order, for each cluster. */
export interface PoolListener {
  sessionStarted(session: MemberSession): void;
  /** Contact was made or lost, or the reason changed. */
  contactChanged(cluster: string, contact: Contact): void;
  /** Reason why writes to the cluster are slowed down or stopped now. */
  paceOf(cluster: string): Why | undefined;
  clusterRemoved(cluster: string): void;
}
