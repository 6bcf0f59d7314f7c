import { describe, expect, onTestFinished, test } from "vitest";
import type { Contact, MemberCluster } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { MemberReport } from "./memberReport.ts";
import { type Call, ScriptedClient } from "../testing/scriptedClient.ts";

const AWAY: Contact = { ok: false, reason: "ClusterUnreachable", message: "connection refused" };
const UNTRIED: Contact = { ok: false, reason: "Connecting", message: "no answer yet" };
const REFUSED = new ApiError(500, "InternalError", "etcd is away");

/** Report of one MemberCluster on a hub that accepts every status. `published`: contact, UID and version of each write. */
function reporting() {
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
  const state = { failures: 0 };
  const report = new MemberReport({
    cluster: "shanghai",
    hub: hub.client,
    clock,
    logger,
    onContact: () => undefined,
    owned: () => true,
    onWritten: () => undefined,
    onFailed: () => void (state.failures += 1),
  });
  onTestFinished(() => report[Symbol.dispose]());
  report.take(memberCluster(undefined));
  const published = (): string[] =>
    hub.calls.map(({ body }) => {
      const { status } = body as MemberCluster;
      return `${status?.conditions?.[0]?.reason} ${status?.clusterUID ?? "-"} ${status?.kubernetesVersion ?? "-"}`;
    });
  return { report, hub, taken, memberCluster, clock, lines, state, published };
}

test("a loss is in the status from before contact was made, not in one that arrives later", () => {
  const ready = { type: "Ready", status: "False", reason: "Away", lastTransitionTime: "2025-12-31T08:00:00Z" };
  const losses = [UNTRIED, { ok: true }].map((contact) => {
    const { report, memberCluster } = reporting();
    report.heard(contact);
    report.take(memberCluster({ conditions: [ready] }));
    return report.lossBefore(UNTRIED)?.reason;
  });
  expect(losses).toEqual(["Away", undefined]);
});

describe("the identity of a cluster", () => {
  test("is written before there is contact, with Connected and the other findings", async () => {
    const { report, published } = reporting();
    report.heard(UNTRIED);
    expect(report.recordedUid).toBeUndefined();
    expect(await report.recordIdentity("u1", { kubernetesVersion: "v1.35.4" })).toBe(true);
    expect([published(), report.recordedUid]).toEqual([["Connected u1 v1.35.4"], "u1"]);
  });

  test("keeps Connected until the contact is settled", async () => {
    const { report, clock, published } = reporting();
    report.heard(AWAY);
    await report.recordIdentity("u1", undefined);
    report.find({ kubernetesVersion: "v1.35.4" });
    await clock.advance(0);
    expect(published().at(-1)).toBe("Connected u1 v1.35.4");
    report.contactSettled();
    report.changed();
    await clock.advance(0);
    expect(published().at(-1)).toBe("ClusterUnreachable u1 v1.35.4");
  });

  test("that could not be written is logged, and is not in later writes", async () => {
    const { report, hub, taken, clock, lines, published, state } = reporting();
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
    expect(published().at(-1)).toBe("ClusterUnreachable - -");
  });

  test("does not replace findings that came during its write", async () => {
    const { report, clock, published } = reporting();
    report.heard(AWAY);
    const recorded = report.recordIdentity("u1", { kubernetesVersion: "v1.35.4" });
    report.find({ kubernetesVersion: "v1.35.5" });
    expect(await recorded).toBe(true);
    report.changed();
    await clock.advance(0);
    expect(published().at(-1)).toBe("Connected u1 v1.35.5");
  });

  test("that could not be written does not affect the next session", async () => {
    const { report, hub, taken, published } = reporting();
    report.heard(AWAY);
    hub.answer = (call) => (hub.calls.length === 1 ? REFUSED : taken(call));
    const recorded = [report.recordIdentity("u1", undefined), report.recordIdentity("u2", undefined)];
    expect(await Promise.all(recorded)).toEqual([false, true]);
    expect(published().at(-1)).toBe("Connected u2 -");
  });
});
