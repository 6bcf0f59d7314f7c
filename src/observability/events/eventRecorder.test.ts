import { beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { EventRecorder, type EventRecord } from "./eventRecorder.ts";
import { logLines } from "../testing/logLines.ts";

const start = Date.UTC(2026, 10, 21, 8, 0, 0);
interface Written {
  posted: KubeObject[];
  patched: { namespace: string; name: string; body: unknown }[];
  dropped: string[];
}

/** A recorder whose server, time and timers the test holds in its hand. */
function recording({
  refuse = () => false,
  answered = () => Promise.resolve(),
  debug,
  signal,
}: { refuse?: () => boolean; answered?: () => Promise<void>; debug?: boolean; signal?: AbortSignal } = {}) {
  const written: Written = { posted: [], patched: [], dropped: [] };
  const { logger, lines } = logLines();
  const timers = new Set<{ at: number; callback: () => void }>();
  let time = start;
  const recorder = new EventRecorder({
    post: async (event) => {
      if (refuse()) throw new Error("namespace is terminating");
      written.posted.push(event);
      await answered();
      return event;
    },
    patch: async (namespace, name, body) => {
      if (refuse()) throw new Error("not found");
      written.patched.push({ namespace, name, body });
      return { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name } };
    },
    now: () => time,
    identity: "meridian-0",
    logger,
    ...(debug === undefined ? {} : { debug }),
    ...(signal === undefined ? {} : { signal }),
    onDrop: (cause) => void written.dropped.push(cause),
    after: (ms, callback) => {
      const timer = { at: time + ms, callback };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
  });
  const settle = async () => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };
  const advance = async (ms: number) => {
    time += ms;
    const due = Array.from(timers).filter((timer) => timer.at <= time);
    for (const timer of due) {
      timers.delete(timer);
      timer.callback();
    }
    await settle();
  };
  return { recorder, written, advance, settle, lines };
}

const applied: EventRecord = {
  regarding: {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    namespace: "default",
    name: "shop",
    uid: "u-1",
  },
  type: "Normal",
  reason: "Applied",
  action: "Apply",
  note: "applied to 3 clusters",
};

describe("EventRecorder", () => {
  let r: ReturnType<typeof recording>;
  beforeEach(() => {
    r = recording();
  });

  test("writes one Event of events.k8s.io/v1 beside its object", async () => {
    r.recorder.record(applied);
    await r.recorder.flush();
    expect(r.written.posted).toHaveLength(1);
    expect(r.written.posted[0]).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { namespace: "default", name: expect.stringMatching(/^shop\.[0-9a-f]+$/) as string },
      eventTime: "2026-11-21T08:00:00.000000Z",
      reportingController: "paas.cmft.com/meridian",
      reportingInstance: "meridian-0",
      type: "Normal",
      reason: "Applied",
      action: "Apply",
      note: "applied to 3 clusters",
      regarding: { kind: "DemoApplication", name: "shop", uid: "u-1" },
    });
    expect(r.written.posted[0]).not.toHaveProperty("series");
  });

  test.each([
    { name: "metallb-system:controller", want: "metallb-system-controller" },
    { name: "system:Node:", want: "system-node" },
    { name: `${"a".repeat(219)}-b`, want: "a".repeat(219) },
    { name: ":..:", want: "object" },
  ])("gives the Event about $name a name that an Event may have", async ({ name, want }) => {
    r.recorder.record({
      ...applied,
      regarding: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name },
    });
    await r.recorder.flush();
    const written = r.written.posted[0]?.metadata.name ?? "";
    expect(written.slice(0, written.lastIndexOf("."))).toBe(want);
  });

  test("says of the end of a trouble when it began", async () => {
    r.recorder.record({ ...applied, reason: "Recovered", since: "2026-11-21T07:50:00Z" });
    await r.recorder.flush();
    expect(r.written.posted[0]?.metadata.annotations).toEqual({
      "federation.paas.cmft.com/since": "2026-11-21T07:50:00Z",
    });
  });

  test("puts Events about cluster-scoped objects into the namespace default", async () => {
    r.recorder.record({ ...applied, regarding: { apiVersion: "v1", kind: "MemberCluster", name: "m-1" } });
    await r.recorder.flush();
    expect(r.written.posted[0]?.metadata.namespace).toBe("default");
  });

  test("makes a series of what repeats, patched once in 30 s with the whole count", async () => {
    for (let i = 0; i < 5; i += 1) {
      r.recorder.record(applied);
      await r.advance(1_000);
    }
    expect(r.written.patched).toEqual([]);
    await r.advance(30_000);
    expect(r.written.posted).toHaveLength(1);
    expect(r.written.patched).toEqual([
      {
        namespace: "default",
        name: r.written.posted[0]?.metadata.name,
        body: { series: { count: 5, lastObservedTime: "2026-11-21T08:00:04.000000Z" } },
      },
    ]);
    r.recorder.record(applied);
    await r.advance(1_000);
    expect(r.written.patched).toHaveLength(1);
    await r.advance(30_000);
    expect(r.written.patched[1]?.body).toMatchObject({ series: { count: 6 } });
  });

  test("starts a new Event when the last was six minutes ago", async () => {
    r.recorder.record(applied);
    await r.advance(6 * 60_000);
    r.recorder.record(applied);
    await r.recorder.flush();
    expect(r.written.posted).toHaveLength(2);
    expect(r.written.posted[0]?.metadata.name).not.toBe(r.written.posted[1]?.metadata.name);
  });

  test.each<{ name: string; other: Partial<EventRecord> }>([
    { name: "reason", other: { reason: "Drifted" } },
    { name: "note", other: { note: "applied to 2 clusters" } },
    { name: "object", other: { regarding: { ...applied.regarding, name: "cart" } } },
    { name: "life of the object", other: { regarding: { ...applied.regarding, uid: "u-2" } } },
  ])("keeps Events with another $name apart", async ({ other }) => {
    r.recorder.record(applied);
    r.recorder.record({ ...applied, ...other });
    await r.recorder.flush();
    expect(r.written.posted).toHaveLength(2);
  });

  test("flush writes counts that were not due yet", async () => {
    r.recorder.record(applied);
    await r.recorder.flush();
    r.recorder.record(applied);
    await r.recorder.flush();
    expect(r.written.patched).toMatchObject([{ body: { series: { count: 2 } } }]);
  });

  test("cuts a note at 1 kB of UTF-8 without breaking a character", async () => {
    r.recorder.record({ ...applied, note: "é".repeat(2_000) });
    await r.recorder.flush();
    const note = r.written.posted[0]?.["note"] as string;
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(note).toMatch(/^é+…$/);
  });

  test("takes credentials out of the note", async () => {
    r.recorder.record({ ...applied, note: "refused: Bearer abcdef.123" });
    await r.recorder.flush();
    expect(r.written.posted[0]?.["note"]).not.toContain("abcdef.123");
  });

  test("drops and counts what the server refuses, and begins anew the next time", async () => {
    let refusing = true;
    r = recording({ refuse: () => refusing });
    r.recorder.record(applied);
    await r.recorder.flush();
    expect(r.written).toMatchObject({ posted: [], dropped: ["failed"] });
    refusing = false;
    r.recorder.record(applied);
    await r.recorder.flush();
    expect(r.written.posted).toHaveLength(1);
  });

  test("drops what does not fit into the queue, instead of growing, and says so once", async () => {
    for (let i = 0; i < 1_100; i += 1) r.recorder.record({ ...applied, note: `note ${i}` });
    await r.recorder.flush();
    expect(r.written.posted.length + r.written.dropped.length).toBe(1_100);
    expect(r.written.dropped.length).toBeGreaterThan(0);
    expect(new Set(r.written.dropped)).toEqual(new Set(["queue_full"]));
    expect(r.written.posted.length).toBeGreaterThanOrEqual(1_000);
    expect(r.lines.filter(({ level }) => level === "warn")).toMatchObject([
      { cause: "queue_full", event_reason: "EventQueueFull", event: { reason: "Applied" } },
    ]);
  });
});

describe("an Event that is not written is told of", () => {
  const noted = (note: string): EventRecord => ({ ...applied, note });

  test("with what it says, once for each reason in ten minutes, and more quietly in between", async () => {
    const r = recording({ refuse: () => true });
    for (const note of ["first Bearer abcdef.123", "second", "third"]) r.recorder.record(noted(note));
    await r.recorder.flush();
    await r.advance(10 * 60_000);
    r.recorder.record(noted("fourth"));
    await r.recorder.flush();
    expect(r.lines.map(({ level }) => level)).toEqual(["warn", "debug", "debug", "warn"]);
    expect(r.lines[0]).toMatchObject({
      cause: "failed",
      event_reason: "Error",
      event: { reason: "Applied" },
      object: "paas.cmft.com/DemoApplication/default/shop",
      resource_uid: "u-1",
      error: { message: "namespace is terminating" },
      msg: "an Event was not written",
    });
    expect(JSON.stringify(r.lines)).not.toContain("abcdef");
    expect(r.lines.map((line) => line["dropped_before"])).toEqual([0, undefined, undefined, 2]);
  });

  test("more quietly when the process ends", async () => {
    const r = recording({ refuse: () => true, signal: AbortSignal.abort() });
    r.recorder.record(applied);
    await r.recorder.flush();
    expect(r.lines.map(({ level }) => level)).toEqual(["debug"]);
  });
});

describe("the pace", () => {
  test("warnings are written before Events of type Normal, however long those have waited", async () => {
    const r = recording();
    for (const name of ["a", "b", "c"]) r.recorder.record({ ...applied, regarding: { ...applied.regarding, name } });
    r.recorder.record({ ...applied, type: "Warning", reason: "DriftHealed", note: "put back" });
    await r.settle();
    await r.advance(40);
    expect(r.written.posted.map((event) => event["reason"])).toEqual([applied.reason, "DriftHealed"]);
  });

  test("a server that takes its time is asked ten times less often than it could answer", async () => {
    let answer = (): void => undefined;
    const r = recording({ answered: () => new Promise<void>((resolve) => (answer = resolve)) });
    for (const name of ["a", "b"]) r.recorder.record({ ...applied, regarding: { ...applied.regarding, name } });
    await r.advance(50);
    answer();
    await r.settle();
    await r.advance(499);
    expect(r.written.posted).toHaveLength(1);
    await r.advance(1);
    expect(r.written.posted).toHaveLength(2);
  });
});

test.each([
  [undefined, 0],
  [false, 0],
  [true, 1],
])("what is for finding faults is recorded only on demand (%s)", async (debug, count) => {
  const r = recording(debug === undefined ? {} : { debug });
  r.recorder.record({ ...applied, reason: "ReconcileStarted", debug: true });
  await r.recorder.flush();
  expect(r.written.posted).toHaveLength(count);
  for (const event of r.written.posted) expect(event).not.toHaveProperty("debug");
});
