import type { LaneMember } from "./lane/index.ts";
import { MemberNamespaces, type MemberObjects, type NamespaceLabels } from "./model/index.ts";
import type { MemberSession } from "./types.ts";
import type { ClusterCache } from "./watch/index.ts";
import { MemberWriter, NamespaceWriter, type WriteAudit } from "./write/index.ts";

export interface SessionMemberOptions {
  session: MemberSession;
  cache: ClusterCache;
  objects: MemberObjects;
  namespaceLabels: NamespaceLabels;
  hubId: string;
  systemNamespace: string;
  /** Absent: writes are not recorded. */
  audit?: WriteAudit | undefined;
}

/** The member of a session as the lane needs it: the writers of the session, and what its cache knows. */
export function sessionMember({
  session: given,
  cache,
  objects,
  namespaceLabels,
  hubId,
  systemNamespace,
  audit,
}: SessionMemberOptions): LaneMember {
  const { local, signal, clusterUid } = given;
  const client = audit?.of(given.client, clusterUid) ?? given.client;
  const session = { ...given, client };
  const namespaces = new MemberNamespaces(session, hubId, namespaceLabels);
  const writer = new MemberWriter({
    ...{ client, signal, hubId, systemNamespace, namespaces },
    typeOf: (ref) => cache.typeOf(ref),
    serves: (ref) => cache.serves(ref),
    vanished: (ref, uid) => objects.vanished(ref, uid),
  });
  return {
    ...{ clusterUid, writer, signal, namespaces: new NamespaceWriter(session, namespaces) },
    isJoined: !local,
    isSynced: (ref) => cache.isSynced(ref),
    lacks: (ref) => cache.lacks(ref),
    denial: (ref) => cache.denial(ref),
    mayRemove: (ref) => cache.mayRemove(ref),
    observe: (written) => cache.observe(written),
    doubtKind: (ref) => cache.doubtKind(ref),
  };
}
