import type { Message, ObjectRef } from "../../apis/index.ts";
import type { Failure } from "../../desiredstate/index.ts";
import {
  type Act,
  type Action,
  decide,
  isNamespace,
  isOrdered,
  type Labels,
  type MemberObject,
} from "../model/index.ts";
import type { Breaker, Retry } from "../pacing/index.ts";
import { attemptOf, contested, isHealing } from "./attempt.ts";
import { decideNamespace } from "./namespaceActions.ts";
import { kindNotServed } from "../write/index.ts";

/** Reasons to wait, with the event that wakes the object. */
export type WaitReason =
  /** Never: the worker has ended. */
  | "Closed"
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
  | "SilentKind"
  /** The end of the last member object in the namespace. */
  | "NamespaceInUse"
  /** The second inspection. */
  | "SeenEmpty"
  /** The end of another inspection. */
  | "NoInspectionPlace";

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
  readonly pacing: {
    readonly breaker: Pick<Breaker, "state">;
    /** End of the last Retry-After in monotonic milliseconds. */
    readonly throttledUntil: number;
  };
}

/** The member and the lane, as far as the next action depends on them. Reading changes nothing. */
export interface MemberState extends MemberPace {
  readonly isClosed: boolean;
  readonly queue: { stageOf(key: string): "InQueue" | "InWrite" | undefined };
  /** `mustWait`: other objects of the owner go first. */
  readonly phases: { mustWait(object: MemberObject): boolean };
  readonly backoffs: { retryOf(key: string): Retry | undefined };
  readonly drift: { pausedUntil(key: string): number | undefined; isContested(key: string): boolean };
  readonly pacing: MemberPace["pacing"] & {
    /** False when the member answers no requests for the kind, and no trial is due. */
    admits(ref: ObjectRef): boolean;
  };
  readonly inspections: {
    /** Monotonic milliseconds of the second inspection, when this UID was seen empty. */
    pausedUntil(key: string, uid: string): number | undefined;
    /** False while as many inspections as allowed are under way. */
    readonly hasPlace: boolean;
  };
  /** `isUsed`: a member object in the namespace is observed, has a row or is being written. */
  readonly objects: { isUsed(namespace: string): boolean };
  /** Labels that rows want on a namespace; undefined when no row has named any. */
  readonly namespaceLabels: { of(namespace: string): Labels | undefined };
}

function waitFor(why: WaitReason): Wait {
  return { kind: "Wait", why };
}

/** Why nothing is sent to the member now; undefined if requests may be sent. Pure. */
export function memberWait({ session, pacing }: MemberPace, now: number): Wait | undefined {
  if (session === undefined) return waitFor("NoSession");
  const { breaker, throttledUntil } = pacing;
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
 * waits for itself (its row, its backoff) takes no place in the queue of the member. `foundEmpty`: UID of a namespace
 * that the second inspection has just found empty.
 */
export function nextAction(object: MemberObject, member: MemberState, now: number, foundEmpty?: string): Next {
  const { key, ref } = object;
  if (member.isClosed) return waitFor("Closed");
  const stage = member.queue.stageOf(key);
  if (stage !== undefined) return waitFor(stage);
  const { session } = member;
  const action = actionOf(object, member, foundEmpty);
  if (action.kind === "Nothing") return waitFor("NothingToDo");
  if (action.kind === "Held")
    return session === undefined || session.isSynced(ref) ? waitFor("NotKnown") : unknownKind(object, action, session);
  if (isOrdered(action) && member.phases.mustWait(object)) return waitFor("OthersFirst");
  const attempt = attemptOf(object, action);
  const wait =
    emptying(object, action, member) ??
    ownPause(object, action, attempt, member) ??
    memberWait(member, now) ??
    (session === undefined || session.isSynced(ref) ? undefined : unknownKind(object, action, session)) ??
    (member.pacing.admits(ref) ? undefined : waitFor("SilentKind")) ??
    (action.kind !== "Inspect" || member.inspections.hasPlace ? undefined : waitFor("NoInspectionPlace"));
  if (wait === undefined) return { kind: "Act", action, attempt };
  return wait.why === "Backoff" ? wait : { ...wait, attempt };
}

function actionOf(
  object: MemberObject,
  { session, namespaceLabels }: MemberState,
  foundEmpty: string | undefined,
): Action {
  const { ref } = object;
  const isKnown = session?.mayRemove(ref) ?? false;
  if (!isNamespace(ref)) return decide(object, isKnown);
  const action = decideNamespace(object, isKnown, namespaceLabels.of(ref.name));
  const isEmpty = action.kind === "Inspect" && action.observed.uid === foundEmpty;
  return isEmpty ? { kind: "Delete", observed: action.observed } : action;
}

/** The wait of a namespace that is to be deleted, while it is in use and between its two inspections. */
function emptying({ key, ref }: MemberObject, action: Act, { objects, inspections }: MemberState): Wait | undefined {
  if (!isNamespace(ref) || (action.kind !== "Inspect" && action.kind !== "Delete")) return undefined;
  if (objects.isUsed(ref.name)) return waitFor("NamespaceInUse");
  const until = action.kind === "Inspect" ? inspections.pausedUntil(key, action.observed.uid) : undefined;
  return until === undefined ? undefined : { kind: "Wait", why: "SeenEmpty", until };
}

/** UID of the namespace while its row asks for the deletion and nothing of ours is in it. */
export function uidToDelete(object: MemberObject, member: MemberState): string | undefined {
  const action = actionOf(object, member, undefined);
  return action.kind === "Inspect" && !member.objects.isUsed(object.ref.name) ? action.observed.uid : undefined;
}

/** The object's own backoff after a failure, or its pause after a drift correction. */
function ownPause(object: MemberObject, action: Act, attempt: string, member: MemberState): Wait | undefined {
  const { key } = object;
  const retry = member.backoffs.retryOf(key);
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
