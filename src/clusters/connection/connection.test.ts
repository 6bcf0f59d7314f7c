import { expect, test } from "vitest";
import type { Contact } from "../../apis/index.ts";
import { type ConnectionEvent, DEFAULT_TIMING, initialState, type Phase, transition } from "./connection.ts";

const failing = (reason: string, message: string, abrupt: boolean): ConnectionEvent => ({
  ...{ kind: "Failed", failure: { reason, message, abrupt } },
});
const refused = failing("ClusterUnreachable", "connection refused", true);
const late = failing("ClusterUnreachable", "no answer in time", false);
const unauthorized = failing("CredentialsRejected", "401", false);
const configured: ConnectionEvent = { kind: "Configured" };
const answer = (uid: string): ConnectionEvent => ({ kind: "Answered", uid, verdict: { kind: "Accepted" } });
const answered = answer("u1");
const answeredByAnother = answer("u2");
const SAME_CLUSTER = { reason: "DuplicateCluster", message: "the same cluster as MemberCluster a" };
const duplicate: ConnectionEvent = { kind: "Answered", uid: "u1", verdict: { kind: "Refused", ...SAME_CLUSTER } };
const accepted: ConnectionEvent = { kind: "Judged", verdict: { kind: "Accepted" } };
const unusable: ConnectionEvent = { kind: "Unusable", reason: "SecretNotFound", message: "no Secret" };
const suspicion: ConnectionEvent = { kind: "Suspicion" };

const events = {
  configured,
  answered,
  answeredByAnother,
  refused,
  late,
  unauthorized,
  duplicate,
  accepted,
  unusable,
  suspicion,
};

const inContact = (lastContact: number): Contact => ({ ok: true, lastContact });
const noContact = (reason: string, message: string): Contact => ({ ok: false, reason, message });
const lost = (reason: string, message: string): Contact => ({ ...noContact(reason, message), lastContact: 2000 });
const UNREACHABLE = lost("ClusterUnreachable", "connection refused");
const REJECTED = lost("CredentialsRejected", "401");
const NO_SECRET = lost("SecretNotFound", "no Secret");
const REFUSED = noContact(SAME_CLUSTER.reason, SAME_CLUSTER.message);
const away = "configured answered refused refused";
const many = " refused".repeat(38);

/** Events come one second apart, the first one at 1000, with the largest jitter. `effects`: those of the last event. */
type Case = [name: string, events: string, phase: Phase, Contact, effects: string];

test.each<Case>([
  ["probes at once", "configured", "Connecting", noContact("Connecting", "no answer yet"), "probe 0"],
  ["starts a session", "configured answered", "Connected", inContact(2000), "start u1, probe 5500"],
  ["keeps its session", "configured answered answered", "Connected", inContact(3000), "probe 5500"],
  [
    "reports a first failure",
    "configured refused",
    "Connecting",
    noContact("ClusterUnreachable", "connection refused"),
    "probe 1000",
  ],
  ["stays in contact after one failure", "configured answered refused", "Suspected", inContact(2000), "probe 500"],
  ["waits longer after a slow failure", "configured answered late", "Suspected", inContact(2000), "probe 1000"],
  ["forgets a failure", "configured answered refused answered refused", "Suspected", inContact(4000), "probe 500"],
  ["loses contact with the second failure", away, "Lost", UNREACHABLE, "probe 1000"],
  ["backs off", `${away} refused refused`, "Lost", UNREACHABLE, "probe 4000"],
  ["backs off up to the cap", away + many, "Lost", UNREACHABLE, "probe 8000"],
  ["regains contact in the same session", `${away} answered`, "Connected", inContact(5000), "probe 5500"],
  ["reports another reason at once", `${away} unauthorized`, "Lost", REJECTED, "probe 2000"],
  ["does not report another message at once", `${away} late`, "Lost", UNREACHABLE, "probe 2000"],
  [
    "reports a repeated message",
    `${away} late late`,
    "Lost",
    lost("ClusterUnreachable", "no answer in time"),
    "probe 4000",
  ],
  ["probes at once on suspicion", "configured answered suspicion", "Connected", inContact(2000), "probe 0"],
  ["ignores suspicion without contact", `${away} suspicion`, "Lost", UNREACHABLE, ""],
  [
    "ends the session for new credentials",
    "configured answered configured",
    "Connecting",
    inContact(2000),
    "end, probe 0",
  ],
  [
    "starts another session",
    "configured answered configured answered",
    "Connected",
    inContact(4000),
    "start u1, probe 5500",
  ],
  [
    "loses contact with bad credentials",
    "configured answered configured unauthorized unauthorized",
    "Connecting",
    REJECTED,
    "probe 1000",
  ],
  ["ends the session without credentials", "configured answered unusable", "Unconfigured", NO_SECRET, "end"],
  ["ignores answers without credentials", "configured answered unusable answered", "Unconfigured", NO_SECRET, ""],
  ["starts no session for a refused identity", "configured duplicate", "Refused", REFUSED, "probe 5500"],
  [
    "ends it for a refused identity",
    "configured answered duplicate",
    "Refused",
    { ...REFUSED, lastContact: 2000 },
    "end, probe 5500",
  ],
  ["keeps the refusal through one failure", "configured duplicate refused", "Refused", REFUSED, "probe 500"],
  ["probes an accepted cluster before writes", "configured duplicate accepted", "Refused", REFUSED, "probe 0"],
  ["does nothing when it is accepted again", "configured answered accepted", "Connected", inContact(2000), ""],
  [
    "changes sessions with the UID",
    "configured answered answeredByAnother",
    "Connected",
    inContact(3000),
    "end, start u2, probe 5500",
  ],
])("a connection %s", (_, given, phase, contact, effects) => {
  let state = initialState();
  let last: string[] = [];
  for (const [index, name] of given.split(" ").entries()) {
    const event = events[name as keyof typeof events];
    const next = transition(state, event, { now: (index + 1) * 1000, random: 1, timing: DEFAULT_TIMING });
    state = next.state;
    last = next.effects.map((effect) => {
      if (effect.kind === "Probe") return `probe ${effect.afterMs}`;
      return effect.kind === "StartSession" ? `start ${effect.uid}` : "end";
    });
  }
  expect([state.phase, state.contact, last.join(", ")]).toEqual([phase, contact, effects]);
  const session = given.endsWith("answeredByAnother") ? "u2" : "u1";
  expect(state.session).toBe(["Connected", "Suspected", "Lost"].includes(phase) ? session : undefined);
});
