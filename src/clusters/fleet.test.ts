import { expect, onTestFinished, test } from "vitest";
import type { MemberLoad, Metrics } from "../observability/index.ts";
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
  const loads = new Map<string, MemberLoad>();
  const ages: number[] = [];
  const metrics = {
    expectFailures: () => undefined,
    forgetCluster: (cluster: string) => void measured.push(`${cluster} forgotten`),
    setStatusStaleness: (cluster: string, seconds: number) => void measured.push(`${cluster} ${seconds} s`),
    setMemberLoad: (cluster: string, load: MemberLoad) => void loads.set(cluster, load),
    observeMemberAge: (ms: number) => void ages.push(ms),
    setDeletionsHeld: () => undefined,
    observePhase: () => undefined,
    failed: () => undefined,
  } as unknown as Metrics;
  const fleet = new Fleet({
    identity: "this worker",
    liveness: undefined,
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
  const session = (cluster = CLUSTER): MemberSession & { client: AppliedMember } => {
    const client = new AppliedMember();
    const end = new AbortController();
    onTestFinished(() => end.abort(new Error("the test is over")));
    const discovery = new Discovery(client, clock);
    const common = { clusterUid: "u", local: false, suspect: () => undefined };
    return { ...common, cluster, client, discovery, signal: end.signal };
  };
  return { fleet, hub, clock, measured, loads, ages, session };
}

const AWAY = { ok: false, reason: "ClusterUnreachable", message: "no answer" };

test("each cluster has a worker from the first contact on", async () => {
  const { fleet, hub, clock } = fleetOf();
  fleet.contactChanged("a", { ok: false, reason: "Connecting", message: "no answer yet" });
  fleet.contactChanged("b", AWAY);
  fleet.contactChanged("a", { ok: true, lastContact: 5 });
  await clock.settle();
  expect([hub.subscriptions, hub.lastContact("a"), hub.lastContact("b")]).toMatchObject([
    ...[2, { ok: true, lastContact: 5 }],
    AWAY,
  ]);
});

test("a session goes to the worker of its cluster", async () => {
  const { fleet, hub, session, clock } = fleetOf();
  const started = session();
  fleet.sessionStarted(started);
  hub.send(CLUSTER, { kind: "Kinds", kinds: [CONFIGMAPS] });
  await clock.advance(0);
  expect(started.client.calls.some((call) => call.endsWith("configmaps"))).toBe(true);
});

test("a removed cluster is forgotten, and gets a new worker when it is back", () => {
  const { fleet, hub, measured } = fleetOf();
  fleet.contactChanged("a", { ok: true });
  fleet.clusterRemoved("a");
  fleet.clusterRemoved("never there");
  expect(measured).toEqual(["a forgotten"]);
  fleet.contactChanged("a", { ok: true });
  expect(hub.subscriptions).toBe(2);
});

test("the staleness of a cluster is the time since its last contact, and zero in contact", async () => {
  const { fleet, clock, measured } = fleetOf();
  fleet.contactChanged("a", { ok: true, lastContact: clock.now() });
  fleet.contactChanged("b", { ...AWAY, lastContact: clock.now() - 5_000 });
  fleet.contactChanged("c", AWAY);
  await clock.advance(2_000);
  fleet.reportMembers();
  expect(measured).toEqual(["a 0 s", "b 7 s"]);
});

test("the load of each member is reported with the staleness", () => {
  const { fleet, loads } = fleetOf();
  fleet.contactChanged("a", { ok: true });
  fleet.contactChanged("b", AWAY);
  fleet.reportMembers();
  const idle = { silentKinds: 0, queued: 0, oldestMs: 0 };
  expect(Object.fromEntries(loads)).toEqual({
    a: { isBreakerOpen: false, ...idle },
    b: { isBreakerOpen: true, ...idle },
  });
});

test("ages are counted every ten seconds, of members that were in contact, until the end", async () => {
  const { fleet, clock, ages } = fleetOf();
  fleet.contactChanged("a", { ok: true, lastContact: clock.now() });
  fleet.contactChanged("b", { ...AWAY, lastContact: clock.now() });
  fleet.contactChanged("never", AWAY);
  {
    using _ages = fleet.sampleAges();
    await clock.advance(20_000);
  }
  await clock.advance(20_000);
  expect(ages).toEqual([0, 10_000, 0, 20_000]);
});

test("no worker starts after the end", async () => {
  const { fleet, hub, session } = fleetOf();
  fleet.contactChanged("a", { ok: true });
  await fleet[Symbol.asyncDispose]();
  fleet.contactChanged("b", { ok: true });
  fleet.sessionStarted(session("c"));
  fleet.reportMembers();
  expect(hub.subscriptions).toBe(1);
});
