import { describe, expect, onTestFinished, test } from "vitest";
import type { Contact, MemberCluster } from "../../apis/index.ts";
import { type Call, ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import { type EventRecord, RecoveryRecorder } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { Answering, ClusterFindings } from "../../ports/index.ts";
import { ApiError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { MemberReport } from "./memberReport.ts";

const AWAY: Contact = { ok: false, reason: "ClusterUnreachable", message: "connection refused" };
const THERE: Contact = { ok: true };
const REFUSED = new ApiError(500, "InternalError", "etcd is away");
const MINUTE = 60_000;

/** Report of one MemberCluster on a hub that accepts every status. `published`: contact, UID and version of each write. */
function reporting({ status, owned = true }: { status?: object; owned?: boolean } = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  let version = 10;
  const memberCluster = (of: object | undefined): MemberCluster =>
    ({
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name: "shanghai", uid: "object-1", resourceVersion: String((version += 1)), generation: 3 },
      spec: { connection: {} },
      ...(of === undefined ? {} : { status: of }),
    }) as unknown as MemberCluster;
  const taken = ({ body }: Call) => memberCluster((body as { status: object }).status);
  const hub = new ScriptedClient(taken);
  const { logger, lines } = logLines();
  const state = { failures: 0 };
  const recorded: EventRecord[] = [];
  const events = { record: (event: EventRecord) => void recorded.push(event) };
  const report = new MemberReport(memberCluster(status), owned, {
    ...{ hub: hub.client, clock, logger, events },
    recoveries: new RecoveryRecorder({ events, after: (ms, callback) => clock.after(ms, callback) }),
    onWritten: () => undefined,
    onFailed: () => void (state.failures += 1),
  });
  onTestFinished(() => report[Symbol.dispose]());
  const published = (): string[] =>
    hub.calls.map(({ body }) => {
      const { status: written } = body as MemberCluster;
      return `${written?.conditions?.[0]?.reason} ${written?.clusterUID ?? "-"} ${written?.kubernetesVersion ?? "-"}`;
    });
  const contact = async (of: Contact): Promise<void> => {
    report.send({ kind: "Contact", contact: of });
    await clock.settle();
  };
  const findings = (found: ClusterFindings): void => report.send({ kind: "Findings", findings: found });
  const answering = async (of: Answering): Promise<void> => {
    report.send({ kind: "Answering", answering: of });
    await clock.settle();
  };
  const notes = (): string[] => recorded.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  return {
    ...{ report, hub, taken, memberCluster, clock, lines, state, recorded },
    ...{ published, contact, findings, answering, notes },
  };
}

const ready = (status: string, reason: string, message: string, lastTransitionTime: string) => ({
  conditions: [{ type: "Ready", status, reason, message, lastTransitionTime }],
});
const LOST_BEFORE = {
  ...ready("False", "ClusterUnreachable", "timed out", "2026-01-01T07:51:00Z"),
  clusterUID: "u1",
  lastContact: "2026-01-01T07:50:00Z",
};

describe("the identity of a cluster", () => {
  test("is written before there is contact, with Connected and the other findings", async () => {
    const { report, published } = reporting();
    expect(report.settings.recordedUid).toBeUndefined();
    const answer = await report.recordIdentity({ uid: "u1", findings: { kubernetesVersion: "v1.35.4" } });
    expect([answer, published(), report.settings.recordedUid]).toEqual(["Recorded", ["Connected u1 v1.35.4"], "u1"]);
  });

  test("keeps Connected until the contact is reported", async () => {
    const { report, clock, published, contact, findings } = reporting();
    await contact(AWAY);
    await report.recordIdentity({ uid: "u1" });
    findings({ kubernetesVersion: "v1.35.4" });
    await clock.settle();
    expect(published().at(-1)).toBe("Connected u1 v1.35.4");
    await contact(AWAY);
    report.changed();
    await clock.settle();
    expect(published().at(-1)).toBe("ClusterUnreachable u1 v1.35.4");
  });

  test("that could not be written is logged, and is not in later writes", async () => {
    const { report, hub, taken, clock, lines, published, state, contact, findings } = reporting();
    await contact(AWAY);
    hub.answer = () => REFUSED;
    expect(await report.recordIdentity({ uid: "u1", findings: { kubernetesVersion: "v1.35.4" } })).toBe("Refused");
    expect([report.settings.recordedUid, state.failures]).toEqual([undefined, 1]);
    expect(lines).toMatchObject([
      { level: "warn", event_reason: "IdentityNotRecorded", msg: "the cluster's UID was not written down" },
    ]);
    hub.answer = taken;
    findings({ apis: ["v1"] });
    await clock.settle();
    expect(published().at(-1)).toBe("ClusterUnreachable - -");
  });

  test("does not replace findings that came during its write", async () => {
    const { report, clock, published, contact, findings } = reporting();
    await contact(AWAY);
    const recorded = report.recordIdentity({ uid: "u1", findings: { kubernetesVersion: "v1.35.4" } });
    findings({ kubernetesVersion: "v1.35.5" });
    expect(await recorded).toBe("Recorded");
    report.changed();
    await clock.settle();
    expect(published().at(-1)).toBe("Connected u1 v1.35.5");
  });

  test("that could not be written does not affect the next session", async () => {
    const { report, hub, taken, published, contact } = reporting();
    await contact(AWAY);
    const before = hub.calls.length;
    hub.answer = (call) => (hub.calls.length === before + 1 ? REFUSED : taken(call));
    const recorded = [report.recordIdentity({ uid: "u1" }), report.recordIdentity({ uid: "u2" })];
    expect(await Promise.all(recorded)).toEqual(["Refused", "Recorded"]);
    expect(published().at(-1)).toBe("Connected u2 -");
  });

  test("is only compared if another manager owns the MemberCluster", async () => {
    const { report, hub, memberCluster } = reporting({ owned: false });
    expect(await report.recordIdentity({ uid: "u1" })).toBe("NotOwner");
    report.take(memberCluster({ clusterUID: "u1" }), false);
    expect(await report.recordIdentity({ uid: "u1" })).toBe("Recorded");
    expect(hub.calls).toEqual([]);
  });
});

describe("an Event about a cluster", () => {
  const regarding = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "MemberCluster", name: "shanghai" };

  test("names lost and regained contact", async () => {
    const { recorded, contact, clock } = reporting();
    await contact({ ...THERE, lastContact: clock.now() });
    expect(recorded).toEqual([]);
    const lastContact = clock.now();
    await clock.advance(20_000);
    await contact({ ...AWAY, lastContact });
    const lost = {
      regarding: { ...regarding, uid: "object-1" },
      type: "Warning",
      reason: "ClusterUnreachable",
      action: "Probe",
      note: "connection refused",
    };
    expect(recorded).toEqual([lost]);
    await clock.advance(MINUTE);
    await contact(THERE);
    const note = "contact regained after 80s: ClusterUnreachable, connection refused";
    const since = "2026-01-01T08:00:00Z";
    expect(recorded).toEqual([lost, { ...lost, type: "Normal", reason: "Recovered", note, since }]);
  });

  test("names the end of a loss since the start only if it was long", async () => {
    const { notes, contact, clock } = reporting();
    await contact(AWAY);
    await clock.advance(20_000);
    await contact(THERE);
    expect(notes()).toEqual(["Normal Recovered: over: ClusterUnreachable for 20s, connection refused"]);
    const short = reporting();
    await short.contact(AWAY);
    await short.clock.advance(9_000);
    await short.contact(THERE);
    expect(short.notes()).toEqual([]);
  });

  test("names the end of a loss that another manager published", async () => {
    const { notes, contact } = reporting({ status: LOST_BEFORE });
    await contact(THERE);
    expect(notes()).toEqual(["Normal Recovered: contact regained after 10m: ClusterUnreachable, timed out"]);
  });

  test("names the beginning of a loss that another manager published", async () => {
    const { notes, contact, clock } = reporting({ status: LOST_BEFORE });
    await contact(AWAY);
    await clock.advance(MINUTE);
    await contact(THERE);
    expect(notes()).toEqual(["Normal Recovered: contact regained after 11m: ClusterUnreachable, connection refused"]);
  });

  test.each<[string, object]>([
    ["if nothing was lost", { ...LOST_BEFORE, ...ready("True", "Connected", "", "2026-01-01T07:51:00Z") }],
    ["if nothing was known", {}],
  ])("names no end %s", async (_, status) => {
    const { recorded, contact } = reporting({ status });
    await contact(THERE);
    expect(recorded).toEqual([]);
  });

  test("names no end of a loss whose status arrives after contact was made", async () => {
    const { report, hub, memberCluster, notes, contact, clock } = reporting();
    await contact(THERE);
    hub.answer = () => REFUSED;
    report.take(memberCluster(LOST_BEFORE), true);
    await contact(AWAY);
    await clock.advance(MINUTE);
    await contact(THERE);
    expect(notes()).toEqual(["Warning ClusterUnreachable: connection refused"]);
  });

  test("names slow answers when they begin and end", async () => {
    const { notes, contact, answering, clock } = reporting();
    await contact(THERE);
    await answering({ latencyMs: 2_500, pace: null });
    await answering({ latencyMs: 4_000, pace: null });
    await clock.advance(MINUTE);
    await answering({ latencyMs: null, pace: null });
    expect(notes()).toEqual([
      "Warning SlowAnswers: answers take about 2.5s",
      "Normal Recovered: over: SlowAnswers for 60s, answers take about 4s",
    ]);
  });

  test("names a token that was renewed or not renewed", () => {
    const { report, notes, recorded } = reporting();
    report.send({ kind: "TokenRenewal", renewal: { renewed: true, expiresAt: "2026-01-01T09:40:00Z" } });
    report.send({ kind: "TokenRenewal", renewal: { renewed: false, message: "may not create tokens" } });
    expect(notes()).toEqual([
      "Normal TokenRenewed: the token is valid until 2026-01-01T09:40:00Z",
      "Warning TokenNotRenewed: may not create tokens",
    ]);
    expect(recorded).toMatchObject([{ action: "RenewToken" }, { action: "RenewToken" }]);
  });

  test("is not recorded by a manager that does not own the MemberCluster, which writes no status", async () => {
    const { report, hub, recorded, contact, answering, clock } = reporting({ owned: false, status: LOST_BEFORE });
    await contact(THERE);
    await clock.advance(MINUTE);
    await contact(AWAY);
    await answering({ latencyMs: 2_500, pace: null });
    report.send({ kind: "TokenRenewal", renewal: { renewed: false, message: "may not create tokens" } });
    expect([recorded, hub.calls]).toEqual([[], []]);
  });
});

describe("a status", () => {
  test("keeps what a finding or an answer leaves out", async () => {
    const { published, contact, findings, answering, hub, clock } = reporting();
    await contact(THERE);
    findings({ kubernetesVersion: "v1.35.4" });
    findings({ apis: ["v1"] });
    await answering({ latencyMs: 2_500 });
    await answering({});
    await clock.settle();
    expect(published().at(-1)).toBe("Connected - v1.35.4");
    expect(hub.calls.at(-1)?.body).toMatchObject({ status: { latency: "2.5s", apis: ["v1"] } });
  });

  test("is not written for what is reported after the end", async () => {
    const { report, hub, contact, recorded, clock } = reporting();
    report[Symbol.dispose]();
    await contact(THERE);
    await contact(AWAY);
    expect(await report.recordIdentity({ uid: "u1" })).toBe("Refused");
    expect([hub.calls, recorded, clock.pending]).toEqual([[], [], 0]);
  });
});

test("the settings of a connection are in its MemberCluster", () => {
  const { report, memberCluster } = reporting({ status: { clusterUID: "u1", latency: "2.5s" } });
  const settings = { cluster: "shanghai", uid: "object-1", connection: {}, owned: true };
  expect(report.settings).toEqual({ ...settings, recordedUid: "u1", latencyMs: 2_500 });
  const object = memberCluster({});
  report.take(
    {
      ...object,
      metadata: {
        ...object.metadata,
        creationTimestamp: "2026-01-01T00:00:00Z",
        annotations: { "federation.paas.cmft.com/accept-cluster-uid": "u2" },
      },
      spec: { connection: { local: {} }, namespaces: ["bank"] },
    },
    false,
  );
  expect(report.settings).toEqual({
    ...{ ...settings, connection: { local: {} }, owned: false },
    ...{ namespaces: ["bank"], acceptedUid: "u2", createdAt: "2026-01-01T00:00:00Z" },
  });
});
