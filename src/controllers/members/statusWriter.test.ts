import { describe, expect, test } from "vitest";
import { type Contact, type KubeObject, type MemberCluster, timestamp } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, NotLeaderError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { MemberStatusInput } from "./memberStatus.ts";
import { MemberStatusWriter } from "./statusWriter.ts";
import { type Call, ScriptedClient } from "../../clusters/testing/scriptedClient.ts";

const THERE: Contact = { ok: true };
const AWAY: Contact = { ok: false, reason: "ClusterUnreachable", message: "connection refused" };
const REFUSED = new ApiError(500, "InternalError", "etcd is away");

const memberCluster = (resourceVersion: string, status?: object): MemberCluster =>
  ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: { name: "shanghai", resourceVersion, generation: 1 },
    spec: { connection: {} },
    ...(status === undefined ? {} : { status }),
  }) as unknown as MemberCluster;

/** A writer whose hub accepts every status. */
function statusWriter() {
  const clock = new FakeClock();
  let version = 10;
  const taken = ({ body }: Call): KubeObject => {
    const { status } = body as { status: object };
    return memberCluster(String((version += 1)), status) as unknown as KubeObject;
  };
  const hub = new ScriptedClient(taken);
  const { logger, lines } = logLines();
  const state = { contact: THERE, mine: true, failures: 0 };
  const written: KubeObject[] = [];
  const input = (): Omit<MemberStatusInput, "previous"> | undefined =>
    state.mine ? { generation: 1, contact: state.contact, findings: {} } : undefined;
  const writer = new MemberStatusWriter({
    cluster: "shanghai",
    hub: hub.client,
    clock,
    logger,
    input,
    onWritten: (object) => void written.push(object),
    onFailed: () => void (state.failures += 1),
  });
  const reasons = (): unknown[] => hub.calls.map(({ body }) => (body as MemberCluster).status?.conditions?.[0]?.reason);
  return { writer, hub, clock, lines, state, written, taken, reasons };
}

describe("the status of a MemberCluster", () => {
  test("is applied by force, and the answer is passed on", async () => {
    const { writer, hub, clock, written } = statusWriter();
    writer.request();
    await clock.advance(0);
    const { body, ...call } = hub.calls[0] as Call;
    const place = { what: "memberclusters", namespace: undefined, name: "shanghai" };
    expect(call).toEqual({ ...place, verb: "applyStatus", options: { force: true } });
    const lastTransitionTime = timestamp(clock.now());
    const ready = { type: "Ready", status: "True", reason: "Connected", message: "", observedGeneration: 1 };
    expect(body).toEqual({
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name: "shanghai" },
      status: { observedGeneration: 1, conditions: [{ ...ready, lastTransitionTime }] },
    });
    expect(written).toMatchObject([{ metadata: { resourceVersion: "11" } }]);
    expect(writer.status).toBe(written[0]?.["status"]);
  });

  test("is written when it changes", async () => {
    const { writer, clock, state, reasons } = statusWriter();
    for (const contact of [THERE, THERE, AWAY, AWAY, THERE]) {
      state.contact = contact;
      writer.request();
      await clock.advance(0);
    }
    expect(reasons()).toEqual(["Connected", "ClusterUnreachable", "Connected"]);
  });

  test("is written again after another write, and not after an event that is older than our own write", async () => {
    const { writer, clock, hub } = statusWriter();
    writer.request();
    await clock.advance(0);
    const { status } = writer;
    writer.take(memberCluster("9"));
    expect(writer.status).toBe(status);
    writer.request();
    await clock.advance(0);
    expect(hub.calls).toHaveLength(1);
    writer.take(memberCluster("11", { conditions: [] }));
    expect(writer.status).toEqual({ conditions: [] });
    writer.request();
    await clock.advance(0);
    expect(hub.calls).toHaveLength(2);
  });

  test("is not written while another manager owns it", async () => {
    const { writer, clock, hub, state } = statusWriter();
    state.mine = false;
    writer.request();
    await writer.writeNow();
    await clock.advance(0);
    expect([hub.calls, state.failures]).toEqual([[], 0]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("is written for a request %d turns after an idle one", async (turns) => {
    const { writer, clock, hub, state } = statusWriter();
    state.mine = false;
    writer.request();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    state.mine = true;
    writer.request();
    await clock.advance(0);
    expect(hub.calls).toHaveLength(1);
  });

  test("is written by one request at a time, and the last one has the newest input", async () => {
    const first = Promise.withResolvers<KubeObject>();
    const { writer, hub, clock, state, taken, reasons } = statusWriter();
    hub.answer = () => first.promise;
    writer.request();
    await clock.advance(0);
    state.contact = AWAY;
    writer.request();
    writer.request();
    await clock.advance(0);
    expect(reasons()).toEqual(["Connected"]);
    hub.answer = taken;
    first.resolve(taken(hub.calls[0] as Call));
    await clock.advance(0);
    expect(reasons()).toEqual(["Connected", "ClusterUnreachable"]);
  });
});

describe("a status write that fails", () => {
  test("is counted and logged, and retried with backoff", async () => {
    const { writer, hub, clock, state, lines } = statusWriter();
    hub.answer = () => REFUSED;
    writer.request();
    await clock.advance(0);
    expect([hub.calls.length, state.failures]).toEqual([1, 1]);
    const msg = "status of the MemberCluster not written; trying again";
    expect(lines).toMatchObject([{ level: "warn", cluster: "shanghai", event_reason: "StatusNotWritten", msg }]);
    const tries: number[] = [];
    for (let second = 1; second <= 100; second += 1) {
      const before = hub.calls.length;
      await clock.advance(1_000);
      if (hub.calls.length > before) tries.push(second);
    }
    expect(tries).toEqual([1, 3, 7, 15, 31, 61, 91]);
  });

  test("is not retried sooner for another change; a success resets the backoff", async () => {
    const { writer, hub, clock, state, taken } = statusWriter();
    hub.answer = () => REFUSED;
    writer.request();
    await clock.advance(1_000);
    expect(hub.calls).toHaveLength(2);
    writer.request();
    await clock.advance(1_900);
    expect(hub.calls).toHaveLength(2);
    hub.answer = taken;
    await clock.advance(100);
    expect([hub.calls.length, clock.pending]).toEqual([3, 0]);
    hub.answer = () => REFUSED;
    state.contact = AWAY;
    writer.request();
    await clock.advance(1_000);
    expect(hub.calls).toHaveLength(5);
  });

  test("because of a lost Lease is retried without a log line", async () => {
    const { writer, hub, clock, state, lines } = statusWriter();
    hub.answer = () => new NotLeaderError("not held");
    writer.request();
    await clock.advance(1_000);
    expect([hub.calls.length, state.failures, lines]).toEqual([2, 0, []]);
  });

  test("because the MemberCluster is gone is not retried", async () => {
    const { writer, hub, clock, state, lines } = statusWriter();
    hub.answer = () => new ApiError(404, "NotFound", "gone");
    writer.request();
    await clock.advance(60_000);
    expect([hub.calls.length, state.failures, lines, clock.pending]).toEqual([1, 0, [], 0]);
  });
});

describe("an immediate status write", () => {
  test("is written when the promise resolves, and needs no second write", async () => {
    const { writer, hub, clock } = statusWriter();
    await writer.writeNow();
    expect(writer.status?.conditions).toMatchObject([{ reason: "Connected" }]);
    await writer.writeNow();
    writer.request();
    await clock.advance(0);
    expect(hub.calls).toHaveLength(1);
  });

  test("rejects when the write fails, and later writes go on", async () => {
    const { writer, hub, state, taken } = statusWriter();
    hub.answer = () => REFUSED;
    await expect(writer.writeNow()).rejects.toBe(REFUSED);
    expect(state.failures).toBe(1);
    hub.answer = taken;
    await writer.writeNow();
    expect(hub.calls).toHaveLength(2);
  });

  test("waits for the running write", async () => {
    const first = Promise.withResolvers<Error>();
    const { writer, hub, clock, taken } = statusWriter();
    hub.answer = () => first.promise;
    writer.request();
    await clock.advance(0);
    const done = writer.writeNow();
    await clock.advance(0);
    expect(hub.calls).toHaveLength(1);
    hub.answer = taken;
    first.resolve(REFUSED);
    await done;
    expect(hub.calls).toHaveLength(2);
  });
});

describe("the end", () => {
  test("aborts the running write, which is no failure, and nothing is written after it", async () => {
    const answered = Promise.withResolvers<Error>();
    const { writer, hub, clock, state, lines } = statusWriter();
    hub.answer = () => answered.promise;
    writer.request();
    await clock.advance(0);
    expect(writer.disposed).toBe(false);
    writer[Symbol.dispose]();
    expect([writer.disposed, hub.signals[0]?.aborted]).toEqual([true, true]);
    let settled = false;
    const settling = writer.settled().then(() => (settled = true));
    await clock.advance(0);
    expect(settled).toBe(false);
    answered.resolve(REFUSED);
    await settling;
    writer.request();
    await expect(writer.writeNow()).rejects.toThrow("this MemberCluster is not followed any more");
    await clock.advance(60_000);
    expect([hub.calls.length, state.failures, lines]).toEqual([1, 0, []]);
  });

  test("cancels the retry", async () => {
    const { writer, hub, clock } = statusWriter();
    hub.answer = () => REFUSED;
    writer.request();
    await clock.advance(0);
    writer[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});
