import { describe, expect, onTestFinished, test } from "vitest";
import type { Metrics } from "../observability/index.ts";
import { logLines } from "../observability/testing/logLines.ts";
import { recordSpans } from "../observability/testing/spanRecorder.ts";
import { CONFIGMAPS, Discovery } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { Fleet } from "./fleet.ts";
import { AppliedMember } from "./testing/appliedMember.ts";
import { CLUSTER } from "./testing/builders.ts";
import { FakeHubSide } from "./testing/fakePorts.ts";
import type { MemberSession } from "./types.ts";

function fleetOf() {
  const clock = new FakeClock(1_000_000);
  const hub = new FakeHubSide();
  const measured: string[] = [];
  const metrics = {
    expectFailures: () => undefined,
    forgetCluster: (cluster: string) => void measured.push(`${cluster} forgotten`),
    setStatusStaleness: (cluster: string, seconds: number) => void measured.push(`${cluster} ${seconds} s`),
    setDeletionsHeld: () => undefined,
    observePhase: () => undefined,
    failed: () => undefined,
  } as unknown as Metrics;
  const fleet = new Fleet({
    source: hub,
    sink: hub,
    hubId: "hub",
    systemNamespace: "meridian-system",
    clock,
    random: () => 0.5,
    logger: logLines().logger,
    metrics,
    tracer: recordSpans().tracer,
  });
  onTestFinished(() => fleet[Symbol.asyncDispose]());
  const session = (cluster = CLUSTER) => {
    const client = new AppliedMember();
    const end = new AbortController();
    onTestFinished(() => end.abort(new Error("the test is over")));
    const discovery = new Discovery(client, clock);
    const made = {
      cluster,
      client,
      discovery,
      clusterUid: "u",
      local: false,
      signal: end.signal,
      suspect: () => undefined,
    };
    return { client, made: made satisfies MemberSession };
  };
  return { fleet, hub, clock, measured, session };
}

describe("the members of a fleet", () => {
  test("have a worker each from the first news of them", () => {
    const { fleet, hub } = fleetOf();
    fleet.contactChanged("a", { ok: false, reason: "Connecting", message: "no answer yet" });
    fleet.contactChanged("b", { ok: false, reason: "ClusterUnreachable", message: "no answer" });
    fleet.contactChanged("a", { ok: true, lastContact: 5 });
    expect(hub.subscriptions).toBe(2);
    expect([hub.lastContact("a"), hub.lastContact("b")]).toMatchObject([
      { ok: true, lastContact: 5 },
      { ok: false, reason: "ClusterUnreachable" },
    ]);
  });

  test("are worked on through the session that began last", async () => {
    const { fleet, hub, session, clock } = fleetOf();
    const { client, made } = session();
    fleet.sessionStarted(made);
    hub.send(CLUSTER, { kind: "Kinds", kinds: [CONFIGMAPS] });
    await clock.advance(0);
    expect(client.calls.some((call) => call.endsWith("configmaps"))).toBe(true);
  });

  test("are forgotten with their MemberCluster, and known anew if that comes back", async () => {
    const { fleet, hub, measured } = fleetOf();
    fleet.contactChanged("a", { ok: true });
    fleet.clusterRemoved("a");
    fleet.clusterRemoved("never there");
    expect([hub.gone, measured]).toEqual([["a"], ["a forgotten"]]);
    fleet.contactChanged("a", { ok: true });
    expect(hub.subscriptions).toBe(2);
  });

  test("are as stale as the last contact is old; one in contact is current", async () => {
    const { fleet, clock, measured } = fleetOf();
    fleet.contactChanged("a", { ok: true, lastContact: clock.now() });
    fleet.contactChanged("b", {
      ok: false,
      reason: "ClusterUnreachable",
      message: "",
      lastContact: clock.now() - 5_000,
    });
    fleet.contactChanged("c", { ok: false, reason: "ClusterUnreachable", message: "" });
    await clock.advance(2_000);
    fleet.reportStaleness();
    expect(measured).toEqual(["a 0 s", "b 7 s"]);
  });

  test("are worked on no more after the end", async () => {
    const { fleet, hub, session } = fleetOf();
    fleet.contactChanged("a", { ok: true });
    await fleet[Symbol.asyncDispose]();
    fleet.contactChanged("b", { ok: true });
    fleet.sessionStarted(session("c").made);
    fleet.reportStaleness();
    expect([hub.subscriptions, hub.gone]).toEqual([1, []]);
  });
});
