import { describe, expect, test } from "vitest";
import type { Contact, MemberClusterStatus } from "../../apis/index.ts";
import { computeMemberStatus, type MemberFindings } from "./memberStatus.ts";

const MORNING = Date.UTC(2026, 0, 1, 8);
const NOON = Date.UTC(2026, 0, 1, 12);
const OK: Contact = { ok: true, lastContact: MORNING };
const LOST: Contact = { ok: false, lastContact: MORNING, reason: "ClusterUnreachable", message: "connection refused" };
const FINDINGS: MemberFindings = {
  kubernetesVersion: "v1.35.4",
  clusterUID: "u1",
  apis: ["v1", "apps/v1"],
  capacity: { nodes: 2, cpu: "8" },
  credentials: null,
};

interface Given {
  contact?: Contact;
  findings?: MemberFindings;
  previous?: MemberClusterStatus | undefined;
  generation?: number;
  now?: number;
}

function statusOf({ contact = OK, findings = {}, previous, generation = 1, now = NOON }: Given) {
  return computeMemberStatus({ generation, contact, findings, previous }, now);
}

const healthy = statusOf({ findings: FINDINGS, now: MORNING });
const lost = statusOf({ contact: LOST, previous: healthy });
const conditionsOf = (status: MemberClusterStatus | undefined, of: string) =>
  status?.conditions?.flatMap(({ type, status: is, reason, message }) => (type === of ? [[is, reason, message]] : []));

describe("the status of a MemberCluster", () => {
  test("has the contact and the findings", () => {
    const ready = { type: "Ready", status: "True", reason: "Connected", message: "", observedGeneration: 1 };
    expect(healthy).toEqual({
      observedGeneration: 1,
      conditions: [{ ...ready, lastTransitionTime: "2026-01-01T08:00:00Z" }],
      kubernetesVersion: "v1.35.4",
      clusterUID: "u1",
      apis: ["apps/v1", "v1"],
      capacity: { nodes: 2, cpu: "8" },
    });
  });

  test("after a loss has the reason, the time of the last contact and the old findings, until contact is back", () => {
    const message = "connection refused";
    const ready = {
      status: "False",
      reason: "ClusterUnreachable",
      message,
      lastTransitionTime: "2026-01-01T12:00:00Z",
    };
    expect(lost).toMatchObject({
      conditions: [ready],
      lastContact: "2026-01-01T08:00:00Z",
      kubernetesVersion: "v1.35.4",
      clusterUID: "u1",
      capacity: { nodes: 2 },
    });
    expect(statusOf({ previous: lost })).not.toHaveProperty("lastContact");
  });

  const { lastContact: _, ...restarted } = LOST;
  const fromServer = JSON.parse(
    JSON.stringify(healthy, Object.keys({ ...healthy, ...healthy?.conditions?.[0], nodes: 0, cpu: 0 }).sort()),
  ) as MemberClusterStatus;
  test.each<[string, Given]>([
    [
      "later contact and reordered findings",
      { contact: { ok: true, lastContact: NOON }, findings: { ...FINDINGS, apis: ["apps/v1", "v1", "v1"] } },
    ],
    ["the server's order of fields", { findings: FINDINGS, previous: fromServer }],
    [
      "an untried connection",
      { contact: { ok: false, reason: "Connecting", message: "no answer yet" }, generation: 2 },
    ],
    ["findings that were not read yet", {}],
    [
      "a restarted manager that does not know the last contact",
      { contact: restarted, findings: FINDINGS, previous: lost },
    ],
    ["answers in time of a cluster that was never slow", { findings: { latencyMs: null, pace: null } }],
  ])("is the same reference with %s", (_case, given) => {
    const { previous = healthy } = given;
    expect(statusOf({ ...given, previous })).toBe(previous);
  });

  test("keeps the transition time when only the reason or the generation changes", () => {
    const contact = { ...LOST, reason: "CredentialsRejected" };
    expect(statusOf({ contact, previous: lost, now: NOON + 1_000 })?.conditions).toMatchObject([
      { reason: "CredentialsRejected", lastTransitionTime: "2026-01-01T12:00:00Z" },
    ]);
    expect(statusOf({ generation: 2, previous: healthy })).toMatchObject({
      observedGeneration: 2,
      conditions: [{ observedGeneration: 2, lastTransitionTime: "2026-01-01T08:00:00Z" }],
    });
  });

  test("drops the capacity when nodes may not be listed any more, and has the expiry of credentials", () => {
    expect(statusOf({ findings: { capacity: null }, previous: healthy })).not.toHaveProperty("capacity");
    const credentials = { expiresAt: "2026-01-02T08:00:00Z", renewAt: "2026-01-02T03:12:00Z" };
    expect(statusOf({ findings: { credentials }, previous: healthy })?.credentials).toEqual(credentials);
  });

  test("names slow answers with their latency while the cluster is ready, and afterwards that they were slow", () => {
    const slow = statusOf({ findings: { latencyMs: 2_500 }, previous: healthy });
    expect(conditionsOf(slow, "Slow")).toEqual([["True", "SlowAnswers", "answers take about 2.5s"]]);
    expect([conditionsOf(slow, "Ready"), slow?.latency]).toEqual([[["True", "Connected", ""]], "2.5s"]);
    expect(statusOf({ findings: { latencyMs: 2_500 }, previous: slow })).toBe(slow);
    expect(statusOf({ previous: slow })).toBe(slow);
    const over = statusOf({ findings: { latencyMs: null }, previous: slow });
    const was = "since 2026-01-01T12:00:00Z it was: answers take about 2.5s";
    expect(conditionsOf(over, "Slow")).toEqual([["False", "AnswersInTime", was]]);
    expect(over).not.toHaveProperty("latency");
    expect(statusOf({ findings: { latencyMs: null }, previous: over })).toBe(over);
  });

  test("names throttled writes", () => {
    const pace = { reason: "WritesThrottled", message: "the server asks for fewer requests (HTTP 429)" };
    const throttled = statusOf({ findings: { pace }, previous: healthy });
    expect(conditionsOf(throttled, "Throttled")).toEqual([["True", pace.reason, pace.message]]);
    const over = statusOf({ findings: { pace: null }, previous: throttled });
    expect(conditionsOf(over, "Throttled")).toMatchObject([["False", "WritesFlow", expect.any(String)]]);
  });
});
