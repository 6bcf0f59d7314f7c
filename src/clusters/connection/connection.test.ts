import { describe, expect, test } from "vitest";
import {
  type ConnectionEvent,
  type ConnectionState,
  DEFAULT_TIMING,
  initialState,
  type ProbeFailure,
  transition,
} from "./connection.ts";

const REFUSED: ProbeFailure = { reason: "ClusterUnreachable", message: "connection refused", abrupt: true };
const TIMEOUT: ProbeFailure = { reason: "ClusterUnreachable", message: "no answer in time", abrupt: false };
const UNAUTHORIZED: ProbeFailure = { reason: "CredentialsRejected", message: "401", abrupt: false };

const configured: ConnectionEvent = { kind: "Configured" };
const answered = (uid = "u1"): ConnectionEvent => ({ kind: "Answered", uid, verdict: { kind: "Accepted" } });
const duplicate: ConnectionEvent = {
  kind: "Answered",
  uid: "u1",
  verdict: { kind: "Refused", reason: "DuplicateCluster", message: "the same cluster as MemberCluster a" },
};
const failed = (failure: ProbeFailure): ConnectionEvent => ({ kind: "Failed", failure });

/** Runs events one second apart, the first at 1000, with the jitter at its largest, and notes the effects of each. */
function run(events: ConnectionEvent[]): { state: ConnectionState; effects: string[][] } {
  let state = initialState();
  const effects: string[][] = [];
  for (const [index, event] of events.entries()) {
    const next = transition(state, event, { now: (index + 1) * 1000, random: 1, timing: DEFAULT_TIMING });
    state = next.state;
    effects.push(
      next.effects.map((effect) => {
        if (effect.kind === "Probe") return `probe ${effect.afterMs}`;
        return effect.kind === "StartSession" ? `start ${effect.uid}` : "end";
      }),
    );
  }
  return { state, effects };
}

interface Case {
  name: string;
  events: ConnectionEvent[];
  phase: ConnectionState["phase"];
  session?: string;
  contact: ConnectionState["contact"];
  /** Of the last event. */
  effects: string[];
}

describe("a connection", () => {
  test.each<Case>([
    {
      name: "probes at once when it has credentials",
      events: [configured],
      phase: "Connecting",
      contact: { ok: false, reason: "Connecting", message: "no answer yet" },
      effects: ["probe 0"],
    },
    {
      name: "starts a session with the first answer",
      events: [configured, answered()],
      phase: "Connected",
      session: "u1",
      contact: { ok: true, lastContact: 2000 },
      effects: ["start u1", "probe 5500"],
    },
    {
      name: "keeps its session while it answers",
      events: [configured, answered(), answered()],
      phase: "Connected",
      session: "u1",
      contact: { ok: true, lastContact: 3000 },
      effects: ["probe 5500"],
    },
    {
      name: "reports why the first probe failed without waiting for a second",
      events: [configured, failed(REFUSED)],
      phase: "Connecting",
      contact: { ok: false, reason: "ClusterUnreachable", message: "connection refused" },
      effects: ["probe 1000"],
    },
    {
      name: "believes in contact after one failure, and asks again soon",
      events: [configured, answered(), failed(REFUSED)],
      phase: "Suspected",
      session: "u1",
      contact: { ok: true, lastContact: 2000 },
      effects: ["probe 500"],
    },
    {
      name: "asks again a little later when the failure was slow",
      events: [configured, answered(), failed(TIMEOUT)],
      phase: "Suspected",
      session: "u1",
      contact: { ok: true, lastContact: 2000 },
      effects: ["probe 1000"],
    },
    {
      name: "forgets a single failure",
      events: [configured, answered(), failed(REFUSED), answered(), failed(REFUSED)],
      phase: "Suspected",
      session: "u1",
      contact: { ok: true, lastContact: 4000 },
      effects: ["probe 500"],
    },
    {
      name: "loses contact with the second failure, keeps its session and the time of the last contact",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED)],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "ClusterUnreachable", message: "connection refused" },
      effects: ["probe 1000"],
    },
    {
      name: "asks less and less often while it is away",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED), failed(REFUSED), failed(REFUSED)],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "ClusterUnreachable", message: "connection refused" },
      effects: ["probe 4000"],
    },
    {
      name: "but never less often than the cap",
      events: [configured, answered(), ...Array.from({ length: 40 }, () => failed(REFUSED))],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "ClusterUnreachable", message: "connection refused" },
      effects: ["probe 8000"],
    },
    {
      name: "is in contact again with the first answer, in the same session",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED), answered()],
      phase: "Connected",
      session: "u1",
      contact: { ok: true, lastContact: 5000 },
      effects: ["probe 5500"],
    },
    {
      name: "reports another reason at once",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED), failed(UNAUTHORIZED)],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "CredentialsRejected", message: "401" },
      effects: ["probe 2000"],
    },
    {
      name: "does not report another text for the same reason at once",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED), failed(TIMEOUT)],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "ClusterUnreachable", message: "connection refused" },
      effects: ["probe 2000"],
    },
    {
      name: "reports another text for the same reason when it comes twice",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED), failed(TIMEOUT), failed(TIMEOUT)],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "ClusterUnreachable", message: "no answer in time" },
      effects: ["probe 4000"],
    },
    {
      name: "probes at once when somebody suspects something",
      events: [configured, answered(), { kind: "Suspicion" }],
      phase: "Connected",
      session: "u1",
      contact: { ok: true, lastContact: 2000 },
      effects: ["probe 0"],
    },
    {
      name: "leaves it to the backoff while contact is lost",
      events: [configured, answered(), failed(REFUSED), failed(REFUSED), { kind: "Suspicion" }],
      phase: "Lost",
      session: "u1",
      contact: { ok: false, lastContact: 2000, reason: "ClusterUnreachable", message: "connection refused" },
      effects: [],
    },
    {
      name: "ends the session for new credentials, without calling it an outage",
      events: [configured, answered(), configured],
      phase: "Connecting",
      contact: { ok: true, lastContact: 2000 },
      effects: ["end", "probe 0"],
    },
    {
      name: "starts a new session with new credentials",
      events: [configured, answered(), configured, answered()],
      phase: "Connected",
      session: "u1",
      contact: { ok: true, lastContact: 4000 },
      effects: ["start u1", "probe 5500"],
    },
    {
      name: "loses contact when new credentials fail twice",
      events: [configured, answered(), configured, failed(UNAUTHORIZED), failed(UNAUTHORIZED)],
      phase: "Connecting",
      contact: { ok: false, lastContact: 2000, reason: "CredentialsRejected", message: "401" },
      effects: ["probe 1000"],
    },
    {
      name: "ends the session when its credentials are taken away",
      events: [configured, answered(), { kind: "Unusable", reason: "SecretNotFound", message: "no Secret" }],
      phase: "Unconfigured",
      contact: { ok: false, lastContact: 2000, reason: "SecretNotFound", message: "no Secret" },
      effects: ["end"],
    },
    {
      name: "takes no answer of a client that is gone",
      events: [
        configured,
        answered(),
        { kind: "Unusable", reason: "SecretNotFound", message: "no Secret" },
        answered(),
      ],
      phase: "Unconfigured",
      contact: { ok: false, lastContact: 2000, reason: "SecretNotFound", message: "no Secret" },
      effects: [],
    },
    {
      name: "starts no session with a cluster that it must not write to, and goes on asking",
      events: [configured, duplicate],
      phase: "Refused",
      contact: { ok: false, reason: "DuplicateCluster", message: "the same cluster as MemberCluster a" },
      effects: ["probe 5500"],
    },
    {
      name: "ends the session when the answer is refused",
      events: [configured, answered(), duplicate],
      phase: "Refused",
      contact: {
        ok: false,
        lastContact: 2000,
        reason: "DuplicateCluster",
        message: "the same cluster as MemberCluster a",
      },
      effects: ["end", "probe 5500"],
    },
    {
      name: "keeps the reason of the refusal through one failure",
      events: [configured, duplicate, failed(REFUSED)],
      phase: "Refused",
      contact: { ok: false, reason: "DuplicateCluster", message: "the same cluster as MemberCluster a" },
      effects: ["probe 500"],
    },
    {
      name: "asks again when nobody objects to its cluster any more, before it writes there",
      events: [configured, duplicate, { kind: "Judged", verdict: { kind: "Accepted" } }],
      phase: "Refused",
      contact: { ok: false, reason: "DuplicateCluster", message: "the same cluster as MemberCluster a" },
      effects: ["probe 0"],
    },
    {
      name: "does nothing when it is accepted as it was",
      events: [configured, answered(), { kind: "Judged", verdict: { kind: "Accepted" } }],
      phase: "Connected",
      session: "u1",
      contact: { ok: true, lastContact: 2000 },
      effects: [],
    },
    {
      name: "changes sessions when another UID is accepted",
      events: [configured, answered("u1"), answered("u2")],
      phase: "Connected",
      session: "u2",
      contact: { ok: true, lastContact: 3000 },
      effects: ["end", "start u2", "probe 5500"],
    },
  ])("$name", ({ events, phase, session, contact, effects }) => {
    const result = run(events);
    expect(result.state.phase).toBe(phase);
    expect(result.state.session).toBe(session);
    expect(result.state.contact).toEqual(contact);
    expect(result.effects.at(-1)).toEqual(effects);
  });
});
