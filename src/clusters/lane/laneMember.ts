import type { ObjectRef } from "../../apis/index.ts";
import type { MemberWriter, NamespaceWriter, Written } from "../write/index.ts";
import type { KnownKinds } from "./nextAction.ts";

/** The member in one session: its writers, and what the watches know of it. */
export interface LaneMember extends KnownKinds {
  /** UID of the member's kube-system namespace. */
  clusterUid: string;
  writer: MemberWriter;
  namespaces: NamespaceWriter;
  /** Aborted when the session ends. Requests that it aborts say nothing about the member. */
  signal: AbortSignal;
  /** True when `meridian join` made the account, so that it can grant more permissions. */
  isJoined: boolean;
  /** Takes the answer to a write as an observation. */
  observe(written: Written): void;
  /** The member does not serve the kind, by its own answer. */
  doubtKind(ref: ObjectRef): void;
}
