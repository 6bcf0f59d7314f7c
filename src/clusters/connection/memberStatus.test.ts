import { describe, expect, test } from "vitest";
import type { Contact } from "../../apis/index.ts";
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

const healthy = computeMemberStatus({ generation: 1, contact: OK, findings: FINDINGS, previous: undefined }, MORNING);

describe("the status of a MemberCluster", () => {
  test("says that it is connected, and what it has", () => {
    expect(healthy).toEqual({
      observedGeneration: 1,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Connected",
          message: "",
          observedGeneration: 1,
          lastTransitionTime: "2026-01-01T08:00:00Z",
        },
      ],
      kubernetesVersion: "v1.35.4",
      clusterUID: "u1",
      apis: ["apps/v1", "v1"],
      capacity: { nodes: 2, cpu: "8" },
    });
  });

  describe("of a cluster whose answers take long", () => {
    const given = (findings: MemberFindings, previous = healthy) =>
      computeMemberStatus({ generation: 1, contact: OK, findings: { ...FINDINGS, ...findings }, previous }, NOON);
    const slow = given({ latencyMs: 2_500 });
    const said = (status: typeof slow, type: string) =>
      status?.conditions
        ?.filter((one) => one.type === type)
        .map(({ status: is, reason, message }) => [is, reason, message]);

    test("says so, with the figure, and stays ready", () => {
      expect(said(slow, "Slow")).toEqual([["True", "SlowAnswers", "answers take about 2.5s"]]);
      expect(said(slow, "Ready")).toEqual([["True", "Connected", ""]]);
      expect(slow?.latency).toBe("2.5s");
      expect(given({ latencyMs: 2_500 }, slow)).toBe(slow);
    });

    test("keeps saying so until a manager knows better", () => expect(given({}, slow)).toBe(slow));

    test("says afterwards what was", () => {
      const over = given({ latencyMs: null }, slow);
      expect(said(over, "Slow")).toEqual([
        ["False", "AnswersInTime", "since 2026-01-01T12:00:00Z it was: answers take about 2.5s"],
      ]);
      expect(over).not.toHaveProperty("latency");
      expect(given({ latencyMs: null }, over)).toBe(over);
    });

    test("says nothing of a cluster that was never slow", () =>
      expect(given({ latencyMs: null, pace: null })).toBe(healthy));

    test("says why writes are slowed down", () => {
      const pace = { reason: "WritesThrottled", message: "the server asks for fewer requests (HTTP 429)" };
      const throttled = given({ pace });
      expect(said(throttled, "Throttled")).toEqual([["True", "WritesThrottled", pace.message]]);
      expect(said(given({ pace: null }, throttled), "Throttled")?.[0]?.slice(0, 2)).toEqual(["False", "WritesFlow"]);
    });
  });

  test("says of a cluster that does not answer when it answered last, not when that was noticed", () => {
    const lost = computeMemberStatus({ generation: 1, contact: LOST, findings: FINDINGS, previous: healthy }, NOON);
    expect(lost?.lastContact).toBe("2026-01-01T08:00:00Z");
    const { lastContact: _none, ...restarted } = LOST;
    expect(computeMemberStatus({ generation: 1, contact: restarted, findings: FINDINGS, previous: lost }, NOON)).toBe(
      lost,
    );
    const back = computeMemberStatus({ generation: 1, contact: OK, findings: FINDINGS, previous: lost }, NOON);
    expect(back).not.toHaveProperty("lastContact");
  });

  test("is the same reference while nothing changed, however late and in whatever order it is found", () => {
    const findings = { ...FINDINGS, apis: ["apps/v1", "v1", "v1"] };
    const contact = { ok: true, lastContact: NOON };
    expect(computeMemberStatus({ generation: 1, contact, findings, previous: healthy }, NOON)).toBe(healthy);
  });

  test("is the same reference for the same fields in another order, as a server gives them back", () => {
    const fromServer = JSON.parse(
      JSON.stringify(healthy, Object.keys({ ...healthy, ...healthy?.conditions?.[0], nodes: 0, cpu: 0 }).sort()),
    );
    expect(computeMemberStatus({ generation: 1, contact: OK, findings: FINDINGS, previous: fromServer }, NOON)).toBe(
      fromServer,
    );
  });

  test("stays as it is while nothing is known yet", () => {
    const contact = { ok: false, reason: "Connecting", message: "no answer yet" };
    expect(computeMemberStatus({ generation: 2, contact, findings: {}, previous: healthy }, NOON)).toBe(healthy);
  });

  test("keeps what has not been read yet", () => {
    expect(computeMemberStatus({ generation: 1, contact: OK, findings: {}, previous: healthy }, NOON)).toBe(healthy);
  });

  test("says why there is no contact and since when, and keeps what it knew", () => {
    const lost = computeMemberStatus({ generation: 1, contact: LOST, findings: {}, previous: healthy }, NOON);
    expect(lost).toMatchObject({
      conditions: [
        {
          status: "False",
          reason: "ClusterUnreachable",
          message: "connection refused",
          lastTransitionTime: "2026-01-01T12:00:00Z",
        },
      ],
      kubernetesVersion: "v1.35.4",
      clusterUID: "u1",
      capacity: { nodes: 2 },
    });
  });

  test("keeps the time of the transition when only the reason changes", () => {
    const lost = computeMemberStatus(
      { generation: 1, contact: LOST, findings: {}, previous: healthy },
      MORNING + 60_000,
    );
    const contact = { ...LOST, reason: "CredentialsRejected" };
    const later = computeMemberStatus({ generation: 1, contact, findings: {}, previous: lost }, NOON);
    expect(later?.conditions).toMatchObject([
      { reason: "CredentialsRejected", lastTransitionTime: "2026-01-01T08:01:00Z" },
    ]);
  });

  test("drops the capacity when nodes may not be listed any more", () => {
    const status = computeMemberStatus(
      { generation: 1, contact: OK, findings: { capacity: null }, previous: healthy },
      NOON,
    );
    expect(status).not.toHaveProperty("capacity");
  });

  test("says when credentials end", () => {
    const credentials = { expiresAt: "2026-01-02T08:00:00Z", renewAt: "2026-01-02T03:12:00Z" };
    expect(
      computeMemberStatus({ generation: 1, contact: OK, findings: { credentials }, previous: healthy }, NOON)
        ?.credentials,
    ).toEqual(credentials);
  });

  test("has messages of at most 120 characters", () => {
    const contact = { ...LOST, message: "x".repeat(500) };
    const status = computeMemberStatus({ generation: 1, contact, findings: {}, previous: undefined }, NOON);
    expect(status?.conditions?.[0]?.message).toHaveLength(120);
  });

  test("follows the generation", () => {
    const status = computeMemberStatus({ generation: 2, contact: OK, findings: {}, previous: healthy }, NOON);
    expect(status).toMatchObject({
      observedGeneration: 2,
      conditions: [{ observedGeneration: 2, lastTransitionTime: "2026-01-01T08:00:00Z" }],
    });
  });
});
