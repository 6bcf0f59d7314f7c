import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { EventRecord } from "../events/index.ts";
import { decisionOfChange, decisionOfEvent, type Severity, type StateChange } from "./decision.ts";
import type { DecisionFacts, OperationsEvent } from "./operationsEvent.ts";
import { OperationsLog } from "./operationsLog.ts";
import { OperationsRecorder } from "./operationsRecorder.ts";
import { parseTags } from "./tags.ts";

const SHOP = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "team", name: "shop" };
const PROCESS = { serviceName: "meridian", hostIp: "10.0.0.7", processId: 42, tags: { env: "prod" } };
const SPAN = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
const FACTS: DecisionFacts = {
  uidOf: ({ name }) => `uid-${name}`,
  spanOf: ({ name }) => (name === "shop" ? SPAN : undefined),
  regionOf: (cluster) => (cluster === "frankfurt" ? "eu" : undefined),
};

function warning(over: Partial<EventRecord> = {}): EventRecord {
  const regarding = { ...SHOP, uid: "u1" };
  return { regarding, type: "Warning", reason: "DriftHealed", action: "Heal", note: "spec.replicas put back", ...over };
}

function change(over: Partial<StateChange> = {}): StateChange {
  const object = { group: "paas.cmft.com", kind: "DemoApplication", namespace: "team", name: "shop" };
  return { at: 0, object, cluster: "frankfurt", from: "Available", to: "Degraded", reason: "PodsNotReady", ...over };
}

/** A log of events whose clock and timer the test moves. */
function logging() {
  const written: OperationsEvent[] = [];
  const events: EventRecord[] = [];
  const state = { now: Date.UTC(2026, 0, 2, 3, 4, 5, 678), ids: 0 };
  const timers: { due: number; callback: () => void }[] = [];
  const now = (): number => state.now;
  const log = new OperationsLog({
    process: PROCESS,
    sinks: [(event) => void written.push(event)],
    randomId: () => `id-${(state.ids += 1)}`,
    now,
    after: (ms, callback) => {
      const timer = { due: state.now + ms, callback };
      timers.push(timer);
      return { [Symbol.dispose]: () => void timers.splice(timers.indexOf(timer), 1) };
    },
  });
  const recorder = new OperationsRecorder({ log, events: { record: (event) => void events.push(event) }, now });
  recorder.know(FACTS);
  const pass = (ms: number): void => {
    state.now += ms;
    for (const timer of timers.splice(0))
      if (timer.due <= state.now) timer.callback();
      else timers.push(timer);
  };
  return { log, recorder, written, events, pass, timers };
}

describe("an operations event", () => {
  test("of an Event has its fields, the trace of the last plan, and the region of the cluster", () => {
    const { recorder, written, events } = logging();
    const related = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "MemberCluster", name: "frankfurt" };
    recorder.record(warning({ related }));
    expect(events).toEqual([warning({ related })]);
    expect(written).toEqual([
      {
        stream: "operations",
        event_id: "id-1",
        occurred_at: "2026-01-02T03:04:05.678Z",
        severity: "WARNING",
        reason: "DriftHealed",
        message: "spec.replicas put back",
        trace_id: SPAN.traceId,
        span_id: SPAN.spanId,
        service_name: "meridian",
        host_ip: "10.0.0.7",
        process_id: 42,
        resource_uid: "u1",
        resource_group: "paas.cmft.com",
        resource_kind: "DemoApplication",
        resource_namespace: "team",
        resource_name: "shop",
        cluster: "frankfurt",
        region: "eu",
        action: "Heal",
        tags: { env: "prod" },
      },
    ]);
  });

  test("of a transition says from and to, and finds the UID of the object", () => {
    const { recorder, written, events } = logging();
    expect(recorder.changed(change())).toBe("id-1");
    expect(events).toEqual([]);
    expect(written).toMatchObject([
      { from: "Available", to: "Degraded", reason: "PodsNotReady", resource_uid: "uid-shop", region: "eu" },
    ]);
  });

  test("is not written when an Event is only for debugging, or nobody reads", () => {
    const { recorder, written, events } = logging();
    recorder.record(warning({ debug: true }));
    expect(events).toHaveLength(1);
    expect(written).toEqual([]);
    const log = new OperationsLog({ process: PROCESS, sinks: [], randomId: () => "id", now: () => 0, after: never });
    const unread = new OperationsRecorder({ log, events: { record: () => undefined }, now: () => 0 });
    expect(unread.changed(change())).toBeUndefined();
  });

  test("holds no planted secret", () => {
    const { recorder, written } = logging();
    const token = "eyJhbGciOiJSUzI1NiJ9.cGxhbnRlZA.c2lnbmF0dXJl";
    recorder.record(warning({ note: `refused: Bearer ${token}` }));
    recorder.changed(change({ message: `token: ${token}` }));
    expect(JSON.stringify(written)).not.toContain("cGxhbnRlZA");
    expect(written).toHaveLength(2);
  });
});

describe("repeated decisions", () => {
  test("are one event, which is written again with its count at most every 30 s", () => {
    const { recorder, written, pass } = logging();
    for (let second = 0; second < 60; second += 1) {
      recorder.record(warning());
      pass(1_000);
    }
    expect(written.map(({ event_id, count }) => [event_id, count])).toEqual([
      ["id-1", undefined],
      ["id-1", 31],
    ]);
    pass(30_000);
    expect(written.at(-1)).toMatchObject({ event_id: "id-1", count: 60 });
  });

  test("are two events after six quiet minutes", () => {
    const { recorder, written, pass } = logging();
    recorder.record(warning());
    pass(6 * 60_000);
    recorder.record(warning());
    expect(written.map(({ event_id }) => event_id)).toEqual(["id-1", "id-2"]);
  });

  test("lose no count at the end of the process", () => {
    const { log, recorder, written, timers } = logging();
    recorder.record(warning());
    recorder.record(warning());
    log[Symbol.dispose]();
    expect(written.at(-1)).toMatchObject({ event_id: "id-1", count: 2 });
    expect(timers).toEqual([]);
  });

  test("are not merged where they are transitions: each says what changed", () => {
    const { recorder, written } = logging();
    recorder.changed(change());
    recorder.changed(change());
    expect(written.map(({ event_id }) => event_id)).toEqual(["id-1", "id-2"]);
  });

  property.prop([fc.array(fc.tuple(fc.nat(5_000), fc.nat(400_000)), { maxLength: 200 })])(
    "count each occurrence exactly once",
    (occurrences) => {
      const { log, recorder, written, pass } = logging();
      for (const [note, ms] of occurrences) {
        recorder.record(warning({ note: `note ${note % 7}` }));
        pass(ms);
      }
      log[Symbol.dispose]();
      const counts = new Map(written.map(({ event_id, count = 1 }) => [event_id, count]));
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(occurrences.length);
    },
  );
});

describe("the severity", () => {
  test.each<{ of: Partial<EventRecord>; want: Severity }>([
    { of: { type: "Normal", reason: "Recovered" }, want: "INFO" },
    { of: { reason: "DriftHealed" }, want: "WARNING" },
    { of: { reason: "ClusterUnreachable" }, want: "ERROR" },
    { of: { reason: "DeletionsHeld" }, want: "CRITICAL" },
    { of: { type: "Normal", reason: "DeletionsHeld" }, want: "INFO" },
  ])("of an Event $of.type $of.reason is $want", ({ of, want }) =>
    expect(decisionOfEvent(warning(of), 0).severity).toBe(want),
  );

  test.each<{ to: string; reason: string; want: Severity }>([
    { to: "Available", reason: "Available", want: "INFO" },
    { to: "", reason: "Gone", want: "INFO" },
    { to: "Degraded", reason: "PodsNotReady", want: "WARNING" },
    { to: "Failed", reason: "ImagePullBackOff", want: "ERROR" },
    { to: "Unreachable", reason: "ClusterUnreachable", want: "ERROR" },
    { to: "Failed", reason: "ClusterIdentityChanged", want: "CRITICAL" },
  ])("of a transition to $to because of $reason is $want", ({ to, reason, want }) =>
    expect(decisionOfChange(change({ to, reason })).severity).toBe(want),
  );
});

describe("the tags of a file", () => {
  test.each([
    { text: "env: prod\ntier: 1\n", want: { env: "prod", tier: "1" } },
    { text: '{"env": "prod", "canary": true}', want: { env: "prod", canary: "true" } },
    { text: "# none yet\n", want: {} },
  ])("are those of $text", ({ text, want }) => expect(parseTags(text)).toEqual(want));

  test.each([
    { text: "- env", says: "holds no map" },
    { text: "env: [a", says: "is no YAML (line 1)" },
    { text: "env: {a: b}", says: "has a tag env that is no text" },
    { text: "'my env': prod", says: 'has a tag of the name "my env"' },
    { text: "password: hunter2", says: "has a tag password: secrets do not belong into events" },
    { text: `env: ${"x".repeat(300)}`, says: "has a tag env of 300 characters" },
  ])("are refused: $text", ({ text, says }) => {
    expect(() => parseTags(text)).toThrow(says);
    expect(() => parseTags(text)).not.toThrow("hunter2");
  });
});

function never(): never {
  throw new Error("no timer is needed");
}
