import { type Contact, defined } from "../../apis/index.ts";
import { type IdentityVerdict } from "../credentials/index.ts";

/**
 * The life of the connection to one member as a state machine: what is known, what happened, and what is to be done about it. Pure;
 * `memberConnection.ts` carries out the effects.
 */

export type Phase =
  /** There is nothing to connect with: no Secret, a kubeconfig that cannot be read, a pull cluster. */
  | "Unconfigured"
  /** There is a client, and it has not had an answer yet. */
  | "Connecting"
  | "Connected"
  /** One probe failed; the next one decides. */
  | "Suspected"
  /** Contact was lost. The session goes on: its informers reconnect by themselves. */
  | "Lost"
  /** The cluster answers, but it is not the one that it should be. */
  | "Refused";

export interface ConnectionState {
  phase: Phase;
  /** Cluster UID of the session that runs. */
  session: string | undefined;
  /** Probes that failed in a row; counted anew from the one that lost contact. */
  failures: number;
  contact: Contact;
  /** A new text for the same reason: reported when a second probe says the same, so that two alternating errors write nothing. */
  candidate: string | undefined;
}

/** Why a probe found no contact. */
export interface ProbeFailure {
  reason: string;
  message: string;
  /** The connection was refused or reset: asking again at once distinguishes a restart from a hiccup. */
  abrupt: boolean;
}

export type ConnectionEvent =
  /** A client was made from new credentials or for a new address. */
  | { kind: "Configured" }
  | { kind: "Unusable"; reason: string; message: string }
  | { kind: "Answered"; uid: string; verdict: IdentityVerdict }
  | { kind: "Failed"; failure: ProbeFailure }
  /** The last answer is seen in another light: a person agreed to a UID, or another MemberCluster is the same cluster. */
  | { kind: "Judged"; verdict: IdentityVerdict }
  /** Somebody saw something odd. */
  | { kind: "Suspicion" };

export type ConnectionEffect =
  | { kind: "StartSession"; uid: string }
  | { kind: "EndSession" }
  | { kind: "Probe"; afterMs: number };

export interface ProbeTiming {
  /** Between probes while all is well. */
  intervalMs: number;
  /** After the first abrupt failure. */
  confirmMs: number;
  /** The first delay after contact was lost; doubled each time. */
  backoffMs: number;
  /** The longest delay: a member that is back is noticed within this and the duration of one probe. */
  backoffCapMs: number;
}

export const DEFAULT_TIMING: ProbeTiming = { intervalMs: 5_000, confirmMs: 500, backoffMs: 1_000, backoffCapMs: 8_000 };

export interface TransitionContext {
  /** Wall time, epoch milliseconds. */
  now: number;
  /** From 0 to 1, for the jitter. */
  random: number;
  timing: ProbeTiming;
}

export interface Transition {
  state: ConnectionState;
  /** To be carried out in this order, before the contact is reported. */
  effects: ConnectionEffect[];
}

/** The reason of a connection that has not found anything out yet; it is not written anywhere. */
export const NOT_YET_KNOWN = "Connecting";

/** Contact is lost with the second failure in a row. */
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
      // What is known of contact stays until the new client has found something out: a renewed credential is no outage.
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
      // While contact is lost the backoff decides; every informer that fails to reconnect would ask for a probe otherwise.
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
  // Nobody objects any more, but the answer is old: ask again before anything is written there.
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

/** No contact, for that reason; the last moment of contact stays. */
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

/** Nine tenths to eleven tenths of the interval, so that the probes of many clusters spread out. */
function intervalWithJitter({ random, timing }: TransitionContext): number {
  return Math.round(timing.intervalMs * (0.9 + 0.2 * random));
}

/** Jitter only shortens, so that the cap is one. */
function backoff(attempt: number, { random, timing }: TransitionContext): number {
  const delay = Math.min(timing.backoffCapMs, timing.backoffMs * 2 ** Math.min(attempt, 30));
  return Math.round(delay * (0.8 + 0.2 * random));
}

/** Whether both say the same of a cluster; the time of the last contact aside, which changes with each probe. */
export function sameContact(a: Contact, b: Contact): boolean {
  return a.ok === b.ok && a.reason === b.reason && a.message === b.message;
}
