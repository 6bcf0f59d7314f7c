import { type Contact, defined } from "../../apis/index.ts";
import { NOT_YET_KNOWN } from "../../ports/index.ts";
import { type IdentityVerdict } from "../credentials/index.ts";

/** State machine of the connection to one member. Pure; `memberConnection.ts` carries out the effects. */

export type Phase =
  /** No usable credentials. */
  | "Unconfigured"
  | "Connecting"
  | "Connected"
  /** One probe failed; the next one decides. */
  | "Suspected"
  /** The session continues, since its informers reconnect by themselves. */
  | "Lost"
  /** The cluster answers, but its identity was refused. */
  | "Refused";

export interface ConnectionState {
  phase: Phase;
  /** Cluster UID of the current session. */
  session: string | undefined;
  /** Failed probes in a row; 1 for the probe that lost contact. */
  failures: number;
  contact: Contact;
  /** New message for the same reason, reported when it is repeated: two alternating errors cause no writes. */
  candidate: string | undefined;
}

export interface ProbeFailure {
  reason: string;
  message: string;
  /** The connection was refused or reset: a quick second probe tells an outage from a short disturbance. */
  abrupt: boolean;
}

export type ConnectionEvent =
  | { kind: "Configured" }
  | { kind: "Unusable"; reason: string; message: string }
  | { kind: "Answered"; uid: string; verdict: IdentityVerdict }
  | { kind: "Failed"; failure: ProbeFailure }
  /** The last answer was judged again: a person accepted a UID, or another MemberCluster reaches the same cluster. */
  | { kind: "Judged"; verdict: IdentityVerdict }
  /** A session reported a problem. */
  | { kind: "Suspicion" };

export type ConnectionEffect =
  | { kind: "StartSession"; uid: string }
  | { kind: "EndSession" }
  | { kind: "Probe"; afterMs: number };

export interface ProbeTiming {
  intervalMs: number;
  /** After the first abrupt failure. */
  confirmMs: number;
  /** After contact was lost; doubled each time. */
  backoffMs: number;
  /** A member that is back is noticed within this delay and one probe. */
  backoffCapMs: number;
}

export const DEFAULT_TIMING: ProbeTiming = { intervalMs: 5_000, confirmMs: 500, backoffMs: 1_000, backoffCapMs: 8_000 };

export interface TransitionContext {
  /** Wall time, epoch milliseconds. */
  now: number;
  /** From 0 to 1. */
  random: number;
  timing: ProbeTiming;
}

export interface Transition {
  state: ConnectionState;
  /** Carried out in this order, before the contact is reported. */
  effects: ConnectionEffect[];
}

const FAILURES_UNTIL_LOST = 2;

export function initialState(): ConnectionState {
  return {
    phase: "Unconfigured",
    session: undefined,
    failures: 0,
    contact: { ok: false, reason: NOT_YET_KNOWN, message: "no answer yet" },
    candidate: undefined,
  };
}

export function transition(state: ConnectionState, event: ConnectionEvent, context: TransitionContext): Transition {
  switch (event.kind) {
    case "Configured":
      // The contact stays until the first result of the new client, since new credentials are no outage.
      return {
        state: { ...state, phase: "Connecting", session: undefined, failures: 0, candidate: undefined },
        effects: [...ending(state), { kind: "Probe", afterMs: 0 }],
      };
    case "Unusable":
      return {
        state: {
          phase: "Unconfigured",
          session: undefined,
          failures: 0,
          contact: without(state.contact, event.reason, event.message),
          candidate: undefined,
        },
        effects: ending(state),
      };
    case "Answered":
      return state.phase === "Unconfigured" ? unchanged(state) : answered(state, event.uid, event.verdict, context);
    case "Failed":
      return state.phase === "Unconfigured" ? unchanged(state) : failed(state, event.failure, context);
    case "Judged":
      return judged(state, event.verdict, context);
    case "Suspicion":
      // While contact is lost only the backoff schedules probes, not every informer that fails to reconnect.
      return state.phase === "Connected" ? { state, effects: [{ kind: "Probe", afterMs: 0 }] } : unchanged(state);
  }
}

function answered(
  state: ConnectionState,
  uid: string,
  verdict: IdentityVerdict,
  context: TransitionContext,
): Transition {
  if (verdict.kind === "Refused") return refused(state, verdict, context);
  const next: ConnectionState = {
    phase: "Connected",
    session: uid,
    failures: 0,
    contact: { ok: true, lastContact: context.now },
    candidate: undefined,
  };
  const probe: ConnectionEffect = { kind: "Probe", afterMs: intervalWithJitter(context) };
  if (state.session === uid) return { state: next, effects: [probe] };
  return { state: next, effects: [...ending(state), { kind: "StartSession", uid }, probe] };
}

function failed(state: ConnectionState, failure: ProbeFailure, context: TransitionContext): Transition {
  const failures = state.failures + 1;
  const believed = state.contact.ok || state.phase === "Refused";
  if (believed && failures < FAILURES_UNTIL_LOST) {
    const phase = state.phase === "Connected" ? "Suspected" : state.phase;
    const afterMs = failure.abrupt
      ? context.timing.confirmMs
      : Math.min(context.timing.confirmMs * 2, context.timing.intervalMs);
    return { state: { ...state, phase, failures }, effects: [{ kind: "Probe", afterMs }] };
  }
  const away = believed ? 1 : failures;
  const phase = state.session === undefined ? "Connecting" : "Lost";
  return {
    state: { ...state, ...explained(state, failure), phase, failures: away },
    effects: [{ kind: "Probe", afterMs: backoff(away - 1, context) }],
  };
}

function judged(state: ConnectionState, verdict: IdentityVerdict, context: TransitionContext): Transition {
  if (verdict.kind === "Refused")
    return state.phase === "Unconfigured" ? unchanged(state) : refused(state, verdict, context);
  // The answer is old: probe again before anything is written to the cluster.
  return state.phase === "Refused" ? { state, effects: [{ kind: "Probe", afterMs: 0 }] } : unchanged(state);
}

function refused(
  state: ConnectionState,
  verdict: { reason: string; message: string },
  context: TransitionContext,
): Transition {
  return {
    state: {
      phase: "Refused",
      session: undefined,
      failures: 0,
      contact: without(state.contact, verdict.reason, verdict.message),
      candidate: undefined,
    },
    effects: [...ending(state), { kind: "Probe", afterMs: intervalWithJitter(context) }],
  };
}

function explained(state: ConnectionState, failure: ProbeFailure): Pick<ConnectionState, "contact" | "candidate"> {
  const { contact } = state;
  const sameReason = !contact.ok && contact.reason === failure.reason;
  if (sameReason && contact.message !== failure.message && state.candidate !== failure.message) {
    return { contact, candidate: failure.message };
  }
  return { contact: without(contact, failure.reason, failure.message), candidate: undefined };
}

/** No contact, with a new reason and the old time of the last contact. */
function without(contact: Contact, reason: string, message: string): Contact {
  const { lastContact } = contact;
  return { ok: false, ...defined({ lastContact }), reason, message };
}

function ending(state: ConnectionState): ConnectionEffect[] {
  return state.session === undefined ? [] : [{ kind: "EndSession" }];
}

function unchanged(state: ConnectionState): Transition {
  return { state, effects: [] };
}

/** Interval with 10 % of jitter, so that the probes of many clusters spread out. */
function intervalWithJitter({ random, timing }: TransitionContext): number {
  return Math.round(timing.intervalMs * (0.9 + 0.2 * random));
}

/** Jitter only shortens the delay, so that the cap holds. */
function backoff(attempt: number, { random, timing }: TransitionContext): number {
  const delay = Math.min(timing.backoffCapMs, timing.backoffMs * 2 ** Math.min(attempt, 30));
  return Math.round(delay * (0.8 + 0.2 * random));
}
