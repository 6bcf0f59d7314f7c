import type { Message, ObjectRef } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { type Act, type Action, decide, isNamespace, isOrdered, type MemberObject } from "../model/index.ts";
import type { Breaker, Retry } from "../pacing/index.ts";
import { attemptOf, contested, isHealing } from "./attempt.ts";
import { kindNotServed } from "./outcome.ts";

/** Reasons to wait, with the event that wakes the object. */
export type WaitReason =
  /** Never: the worker has ended. */
  | "Closed"
  /** Never: the lane does not carry out rows for namespaces. */
  | "NotInLane"
  /** A free place in the queue. */
  | "InQueue"
  /** The end of the write. */
  | "InWrite"
  /** A change of the row or of the observed object. */
  | "NothingToDo"
  /** The watch of the kind. */
  | "NotKnown"
  /** The phases of the owner. */
  | "OthersFirst"
  /** The retry. */
  | "Backoff"
  /** The end of the pause. */
  | "DriftPause"
  /** The next session. */
  | "NoSession"
  /** Renewed contact. */
  | "NoContact"
  /** The trial of the breaker. */
  | "Unreached"
  /** The end of Retry-After. */
  | "Throttled"
  /** The watch of the kind. */
  | "NotGranted"
  /** The watch of the kind. */
  | "NotWatched"
  /** The trial of the kind. */
  | "SilentKind";

/** The object waits. Nothing is sent for it. */
export interface Wait {
  kind: "Wait";
  why: WaitReason;
  /** Monotonic milliseconds; undefined if the wait ends with an event. */
  until?: number | undefined;
  /** Failure of the object while it waits. */
  failure?: Failure;
  /** No object of the kind can exist on the member. */
  isAbsent?: true;
}

export type Next = { kind: "Act"; action: Act; attempt: string } | (Wait & { attempt?: string });

/** What a session knows of the member's objects of a kind. */
export interface KnownKinds {
  /** True when all objects of the kind are known. Before that, no object counts as missing. */
  isSynced(ref: ObjectRef): boolean;
  /** Says if the member lacks the kind, by its discovery. `Surely`: no object of the kind can exist. */
  lacks(ref: ObjectRef): "No" | "Perhaps" | "Surely";
  /** Reason why objects of the kind cannot be read, if a permission is missing. */
  denial(ref: ObjectRef): Message | undefined;
  /** All objects of the kind are known, and the cache does not hold deletions. */
  mayRemove(ref: ObjectRef): boolean;
}

/** What stops all requests to a member. */
export interface MemberPace {
  readonly session: KnownKinds | undefined;
  readonly breaker: Pick<Breaker, "state">;
  /** End of the last Retry-After in monotonic milliseconds. */
  readonly throttledUntil: number;
}

/** The member and the lane, as far as the next action depends on them. Reading changes nothing. */
export interface MemberState extends MemberPace {
  readonly isClosed: boolean;
  stageOf(key: string): "InQueue" | "InWrite" | undefined;
  /** True when other objects of the owner go first. */
  mustWait(object: MemberObject): boolean;
  retryOf(key: string): Retry | undefined;
  readonly drift: { pausedUntil(key: string): number | undefined; isContested(key: string): boolean };
  /** False when the member answers no requests for the kind, and no trial is due. */
  admits(ref: ObjectRef): boolean;
}

function waitFor(why: WaitReason): Wait {
  return { kind: "Wait", why };
}

/** Why nothing is sent to the member now; undefined if requests may be sent. Pure. */
export function memberWait({ session, breaker, throttledUntil }: MemberPace, now: number): Wait | undefined {
  if (session === undefined) return waitFor("NoSession");
  const state = breaker.state(now);
  if (state.kind === "Open" && state.retryAt === undefined) return waitFor("NoContact");
  const retryAt = state.kind === "Open" ? (state.retryAt ?? now) : now;
  if (retryAt <= now && throttledUntil <= now) return undefined;
  return retryAt > throttledUntil
    ? { kind: "Wait", why: "Unreached", until: retryAt }
    : { kind: "Wait", why: "Throttled", until: throttledUntil };
}

/**
 * What the lane does next with a member object, or what the object waits for. Pure. The order matters: an object that
 * waits for itself (its row, its backoff) takes no place in the queue of the member.
 */
export function nextAction(object: MemberObject, member: MemberState, now: number): Next {
  const { key, ref } = object;
  if (member.isClosed) return waitFor("Closed");
  if (isNamespace(ref)) return waitFor("NotInLane");
  const stage = member.stageOf(key);
  if (stage !== undefined) return waitFor(stage);
  const { session } = member;
  const action = decide(object, session?.mayRemove(ref) ?? false);
  if (action.kind === "Nothing") return waitFor("NothingToDo");
  if (action.kind === "Held")
    return session === undefined || session.isSynced(ref) ? waitFor("NotKnown") : unknownKind(object, action, session);
  if (isOrdered(action) && member.mustWait(object)) return waitFor("OthersFirst");
  const attempt = attemptOf(object, action);
  const wait =
    ownPause(object, action, attempt, member) ??
    memberWait(member, now) ??
    (session === undefined || session.isSynced(ref) ? undefined : unknownKind(object, action, session)) ??
    (member.admits(ref) ? undefined : waitFor("SilentKind"));
  if (wait === undefined) return { kind: "Act", action, attempt };
  return wait.why === "Backoff" ? wait : { ...wait, attempt };
}

/** The object's own backoff after a failure, or its pause after a drift correction. */
function ownPause(object: MemberObject, action: Act, attempt: string, member: MemberState): Wait | undefined {
  const { key } = object;
  const retry = member.retryOf(key);
  if (retry?.attempt === attempt) return { kind: "Wait", why: "Backoff", until: retry.until };
  if (!isHealing(object, action)) return undefined;
  const until = member.drift.pausedUntil(key);
  if (until === undefined) return undefined;
  const wait: Wait = { kind: "Wait", why: "DriftPause", until };
  return member.drift.isContested(key) ? { ...wait, failure: contested(action) } : wait;
}

/**
 * The objects of the kind on the member are not known. The object fails if the kind is not granted or not served. An
 * object to confirm is absent if the member certainly lacks the kind.
 */
function unknownKind({ ref, row, observed }: MemberObject, { kind }: Action, session: KnownKinds): Wait {
  const isWrite = kind === "Create" || kind === "Update";
  const message = isWrite ? session.denial(ref) : undefined;
  if (message !== undefined)
    return { kind: "Wait", why: "NotGranted", failure: { reason: "Forbidden", message, final: true } };
  const lacks = session.lacks(ref);
  if (isWrite && lacks !== "No") return { kind: "Wait", why: "NotWatched", failure: kindNotServed(ref) };
  const isToConfirm = row?.verb === "Hold" && row.confirm === true;
  const isAbsent = lacks === "Surely" && isToConfirm && observed === undefined;
  return isAbsent ? { kind: "Wait", why: "NotWatched", isAbsent } : waitFor("NotWatched");
}
