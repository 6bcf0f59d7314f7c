import { describe, expect, onTestFinished, test } from "vitest";
import type { Contact, MemberCluster } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { MemberReport } from "./memberReport.ts";
import { type Call, ScriptedClient } from "../testing/scriptedClient.ts";

const AWAY: Contact = { ok: false, reason: "ClusterUnreachable", message: "connection refused" };
const REFUSED = new ApiError(500, "InternalError", "etcd is away");

/** What is reported of one MemberCluster, on a hub that takes every status. */
function reporting({ owned = true, uid }: { owned?: boolean; uid?: string } = {}) {
  const clock = new FakeClock();
  let version = 10;
  const memberCluster = (status: object | undefined): MemberCluster =>
    ({
      metadata: { name: "shanghai", resourceVersion: String((version += 1)), generation: 3 },
      ...(status === undefined ? {} : { status }),
    }) as unknown as MemberCluster;
  const taken = ({ body }: Call) => memberCluster((body as { status: object }).status);
  const hub = new ScriptedClient(taken);
  const { logger, lines } = logLines();
  const contacts: string[] = [];
  const state = { owned, failures: 0 };
  const report = new MemberReport({
    cluster: "shanghai",
    hub: hub.client,
    clock,
    logger,
    onContact: (before, contact) =>
      void contacts.push(`${before.reason ?? before.ok} to ${contact.reason ?? contact.ok}`),
    owned: () => state.owned,
    onWritten: () => undefined,
    onFailed: () => void (state.failures += 1),
  });
  onTestFinished(() => report[Symbol.dispose]());
  report.take(memberCluster(uid === undefined ? undefined : { clusterUID: uid }));
  const said = (): string[] =>
    hub.calls.map(({ body }) => {
      const { status } = body as MemberCluster;
      return `${status?.conditions?.[0]?.reason} ${status?.clusterUID ?? "-"} ${status?.kubernetesVersion ?? "-"}`;
    });
  return { report, hub, taken, clock, lines, contacts, state, said };
}

describe("what a MemberCluster says", () => {
  test("is contact as soon as it is made or lost, and each time that is told", async () => {
    const { report, clock, contacts, said } = reporting();
    report.heard({ ok: false, reason: "Connecting", message: "no answer yet" });
    report.heard({ ok: true });
    await clock.advance(0);
    report.heard(AWAY);
    await clock.advance(0);
    expect(contacts).toEqual(["Connecting to true", "true to ClusterUnreachable"]);
    expect(said()).toEqual(["Connected - -", "ClusterUnreachable - -"]);
  });

  test("is nothing while nobody has tried", async () => {
    const { report, clock, contacts, hub } = reporting();
    report.heard({ ok: false, reason: "Connecting", message: "no answer yet" });
    report.changed();
    await clock.advance(0);
    expect([contacts, hub.calls]).toEqual([[], []]);
  });

  test("is of the generation that is followed, with everything that was found out, one after the other", async () => {
    const { report, clock, hub, said } = reporting();
    report.heard({ ok: false, reason: "Connecting", message: "no answer yet" });
    report.heard({ ok: true });
    report.find({ kubernetesVersion: "v1.35.4" });
    report.find({ clusterUID: "u1" });
    await clock.advance(0);
    expect(said().at(-1)).toBe("Connected u1 v1.35.4");
    expect(hub.sent<MemberCluster>(0).status?.observedGeneration).toBe(3);
  });

  test("is another manager's to say, where that owns the MemberCluster", async () => {
    const { report, clock, hub, state } = reporting({ owned: false });
    report.heard({ ok: true });
    report.find({ kubernetesVersion: "v1.35.4" });
    await clock.advance(0);
    expect(hub.calls).toEqual([]);
    state.owned = true;
    report.changed();
    await clock.advance(0);
    expect(hub.calls).toHaveLength(1);
  });

  test("is said no more at the end", async () => {
    const { report, clock, hub, lines } = reporting();
    report[Symbol.dispose]();
    report.find({ kubernetesVersion: "v1.35.4" });
    expect(await report.recordIdentity("u1", undefined)).toBe(false);
    await report.settled();
    await clock.advance(0);
    expect([hub.calls, lines]).toEqual([[], []]);
  });
});

describe("the identity of a cluster", () => {
  test("is written before there is contact, with the contact that follows from it and what else was found", async () => {
    const { report, said } = reporting();
    report.heard({ ok: false, reason: "Connecting", message: "no answer yet" });
    expect(report.recordedUid).toBeUndefined();
    expect(await report.recordIdentity("u1", { kubernetesVersion: "v1.35.4" })).toBe(true);
    expect([said(), report.recordedUid]).toEqual([["Connected u1 v1.35.4"], "u1"]);
  });

  test("goes with the contact that is expected until that is settled", async () => {
    const { report, clock, said } = reporting();
    report.heard(AWAY);
    await report.recordIdentity("u1", undefined);
    report.find({ kubernetesVersion: "v1.35.4" });
    await clock.advance(0);
    expect(said().at(-1)).toBe("Connected u1 v1.35.4");
    report.contactSettled();
    report.changed();
    await clock.advance(0);
    expect(said().at(-1)).toBe("ClusterUnreachable u1 v1.35.4");
  });

  test("that could not be written is not claimed later, and is told", async () => {
    const { report, hub, taken, clock, lines, said, state } = reporting();
    report.heard(AWAY);
    hub.answer = () => REFUSED;
    expect(await report.recordIdentity("u1", { kubernetesVersion: "v1.35.4" })).toBe(false);
    expect([report.recordedUid, state.failures]).toEqual([undefined, 1]);
    expect(lines).toMatchObject([
      { level: "warn", event_reason: "IdentityNotRecorded", msg: "the cluster's UID was not written down" },
    ]);
    hub.answer = taken;
    report.changed();
    await clock.advance(0);
    expect(said().at(-1)).toBe("ClusterUnreachable - -");
  });

  test("is written with what was known then, and what is found meanwhile is newer", async () => {
    const { report, clock, said } = reporting();
    report.heard(AWAY);
    const recorded = report.recordIdentity("u1", { kubernetesVersion: "v1.35.4" });
    report.find({ kubernetesVersion: "v1.35.5" });
    expect(await recorded).toBe(true);
    report.changed();
    await clock.advance(0);
    expect(said().at(-1)).toBe("Connected u1 v1.35.5");
  });

  test("that could not be written does not take that of the next session along", async () => {
    const { report, hub, taken, said } = reporting();
    report.heard(AWAY);
    hub.answer = (call) => (hub.calls.length === 1 ? REFUSED : taken(call));
    const recorded = [report.recordIdentity("u1", undefined), report.recordIdentity("u2", undefined)];
    expect(await Promise.all(recorded)).toEqual([false, true]);
    expect(said().at(-1)).toBe("Connected u2 -");
  });

  test("that could not be written takes nothing along that was found meanwhile", async () => {
    const { report, hub, taken, clock, said } = reporting();
    report.heard(AWAY);
    hub.answer = () => REFUSED;
    const recorded = report.recordIdentity("u1", undefined);
    report.find({ kubernetesVersion: "v1.35.4" });
    expect(await recorded).toBe(false);
    hub.answer = taken;
    report.changed();
    await clock.advance(0);
    expect(said().at(-1)).toBe("ClusterUnreachable - v1.35.4");
  });

  test.each([
    { uid: "u1", want: true },
    { uid: "u2", want: false },
  ])("is known of another manager's MemberCluster when that says so: $uid", async ({ uid, want }) => {
    const { report, hub } = reporting({ owned: false, uid });
    expect(await report.recordIdentity("u1", undefined)).toBe(want);
    expect(hub.calls).toEqual([]);
  });
});
