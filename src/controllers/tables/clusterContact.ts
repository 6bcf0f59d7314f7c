import { type Contact, defined, isSameMessage, type Message } from "../../apis/index.ts";
import type { ContactReport } from "../../ports/index.ts";

/** Contact with a cluster, and how much of its state is known. */
export interface ClusterContact extends Contact {
  /** The cluster answers and all our objects on it are known. So an unknown object does not exist. */
  synced: boolean;
  /** As `synced`, except for the kinds in `unreadable`, which cannot be read. */
  partlySynced?: boolean;
  /** No contact was tried yet, or the cluster answers and its read is not complete yet. */
  pending: boolean;
  /** Kinds (by `readabilityKey`) whose objects are not known although the cluster answers, with the reason. */
  unreadable: ReadonlyMap<string, Message>;
  /** Kinds (`group/Kind`) that the member does not serve, by its own answer. */
  unserved?: ReadonlySet<string>;
  /** Keys of `unreadable` that are unknown only because of a missing permission. */
  ungranted?: ReadonlySet<string>;
  /** Sentence with the command that grants all of {@link ungranted}; set when there are several. */
  grant?: Message;
}

export function contactOf({
  unreadable = [],
  unserved,
  ungranted,
  partlySynced,
  grant,
  ...rest
}: ContactReport): ClusterContact {
  return {
    ...rest,
    unreadable: new Map(unreadable.map(({ kind, why }) => [kind, why])),
    ...defined({
      partlySynced,
      unserved: unserved && new Set(unserved),
      ungranted: ungranted && new Set(ungranted),
      grant,
    }),
  };
}

/** True when both know the same part of the cluster. */
export function sameReadability(a: ClusterContact, b: ClusterContact): boolean {
  if (a.synced !== b.synced || a.partlySynced !== b.partlySynced || a.pending !== b.pending) return false;
  if (a.unreadable.size !== b.unreadable.size) return false;
  for (const [kind, why] of a.unreadable) if (!isSameMessage(b.unreadable.get(kind), why)) return false;
  return true;
}
