import { describe, expect, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import { createLogger, createMetrics, type Origin } from "../../observability/index.ts";
import { parsePrometheusText, valuesBy } from "../../observability/testing/prometheusText.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { ApiError, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Lane } from "./lane.ts";
import type { MemberObject } from "../model/memberObject.ts";
import type { MemberWriter } from "./memberWriter.ts";
import type { TellOfNamespace } from "../model/namespaces.ts";
import { CLUSTER, CONFIG_REF, deleteRow, objectsWithLog, OWNER, releaseRow, row, seen } from "../testing/builders.ts";

const SECRET: ObjectRef = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "login" };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const ASKED: Origin = {
  spanContext: { traceId: TRACE, spanId: "b7ad6b7169203331", traceFlags: 1 },
  reconcileId: "reconcile-1",
  at: 0,
};

/** A lane whose member gives this answer to every write, and what is told of that. */
function laneOn(answer: (...args: unknown[]) => unknown = () => ({ altered: [] })) {
  const clock = new FakeClock();
  const { tracer, spans } = recordSpans();
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const metrics = createMetrics({ processMetrics: false });
  const call = async (...args: unknown[]): Promise<unknown> => {
    const result = await answer(...args);
    if (result instanceof Error) throw result;
    return result;
  };
  const parts = objectsWithLog((object: MemberObject) => lane.enqueue(object));
  const lane: Lane = new Lane({
    cluster: CLUSTER,
    objects: parts.objects,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "info", destination: { write } }).child({ cluster: CLUSTER }),
    metrics,
    tracer,
    suspect: () => undefined,
    share: () => 32,
    working: () => undefined,
  });
  const writer = { create: call, update: call, delete: call, release: call, observe: () => undefined };
  const known = { isSynced: () => true, mayRemove: () => true, isOver: false, invalidateDiscovery: () => undefined };
  lane.attach({ ...writer, ...known } as unknown as MemberWriter);
  lane.setContact(true);
  let revision = 0;
  /** A row that the plan {@link ASKED} asks for. */
  const ask = (wanted: ReturnType<typeof row | typeof deleteRow | typeof releaseRow>): void =>
    parts.objects.takeRow({ ref: wanted.ref, row: wanted, revision: ++revision, origin: ASKED });
  const families = async () => parsePrometheusText((await metrics.scrape()).body);
  return { ...parts, ask, clock, spans, lines, families };
}

const followable = {
  trace_id: TRACE,
  reconcile_id: "reconcile-1",
  object: refKey(OWNER),
  resource_uid: OWNER.uid,
  cluster: CLUSTER,
  member_object: refKey(CONFIG_REF),
};

describe("a namespace that a write finds missing is told", () => {
  const made = async (make: () => Promise<boolean>) => {
    const parts = laneOn(async (_row, telling) => {
      await (telling as TellOfNamespace)("team", make);
      return { altered: [] };
    });
    parts.ask(row());
    await parts.clock.advance(1);
    return { ...parts, span: parts.spans.find(({ name }) => name === "SyncNamespace") };
  };

  test("beneath the write, and in one line of the object for which it is made", async () => {
    const { span, spans, lines } = await made(() => Promise.resolve(true));
    const write = spans.find(({ name }) => name === "SyncConfigMap");
    expect(span).toMatchObject({
      parentSpanContext: { spanId: write?.spanContext().spanId },
      attributes: { cluster: CLUSTER, "k8s.resource.name": "team", "sync.result": "created" },
    });
    expect(lines.map(({ msg, member_object: of }) => [msg, of])).toEqual([
      ["applied: created", "/Namespace//team"],
      ["applied: created", refKey(CONFIG_REF)],
    ]);
    expect(lines[0]).toMatchObject({ ...followable, member_object: "/Namespace//team", level: "info" });
  });

  test("by no line where somebody else has made it, and as an error where it cannot be made", async () => {
    const there = await made(() => Promise.resolve(false));
    expect(there.span?.attributes["sync.result"]).toBe("confirmed");
    expect(there.lines).toHaveLength(1);
    const refused = await made(() => Promise.reject(new ApiError(403, "Forbidden", "no")));
    expect(refused.span?.attributes["error.type"]).toBe("Forbidden");
  });
});

describe("a write to a member is told", () => {
  test("when it is new: under the plan that asked, and in one line", async () => {
    const { ask, clock, spans, lines, families } = laneOn();
    ask(row());
    await clock.advance(1);
    expect(lines).toMatchObject([{ ...followable, level: "info", msg: "applied: created" }]);
    expect(spans).toMatchObject([
      {
        name: "SyncConfigMap",
        parentSpanContext: { spanId: ASKED.spanContext.spanId },
        attributes: { cluster: CLUSTER, "sync.result": "created", "meridian.action": "Create" },
      },
    ]);
    const phases = valuesBy(await families(), "operator_reconcile_duration_seconds_count", "phase");
    expect(phases).toEqual({ apply: 1, verify: 1 });
  });

  test.each([
    { wanted: deleteRow(), name: "DeleteConfigMap", result: "deleted" },
    { wanted: releaseRow(), name: "ReleaseConfigMap", result: "released" },
  ])("when it is $result", async ({ wanted, name, result }) => {
    const { ask, objects, clock, spans, lines } = laneOn();
    objects.observe(CONFIG_REF, seen());
    ask(wanted);
    await clock.advance(1);
    expect(lines).toMatchObject([{ ...followable, msg: result }]);
    expect(spans).toMatchObject([{ name, attributes: { "sync.result": result } }]);
  });

  test("when it puts right what somebody did: beside the plan, which is not the cause", async () => {
    const { ask, objects, clock, spans, lines } = laneOn();
    objects.observe(CONFIG_REF, seen({ owns: false }));
    ask(row());
    await clock.advance(1);
    const [span] = spans;
    expect(span).toMatchObject({ attributes: { "sync.result": "healed" }, links: [{ context: ASKED.spanContext }] });
    expect(span?.parentSpanContext).toBeUndefined();
    expect(lines).toMatchObject([
      { ...followable, trace_id: span?.spanContext().traceId, event_reason: "DriftHealed", msg: "healed: data.key" },
    ]);
  });

  test("when it comes long after it was asked for: beside the plan", async () => {
    const { ask, clock, spans, lines } = laneOn();
    await clock.advance(60_000);
    ask(row());
    await clock.advance(1);
    expect(spans[0]?.parentSpanContext).toBeUndefined();
    expect(spans[0]?.links).toMatchObject([{ context: ASKED.spanContext }]);
    expect(lines[0]).toMatchObject({ reconcile_id: "reconcile-1", trace_id: spans[0]?.spanContext().traceId });
  });

  test("when it is refused: once in the log, every time in the metrics and the spans", async () => {
    const refusal = new ApiError(403, "Forbidden", "exceeded quota: pods");
    const { ask, clock, spans, lines, families } = laneOn(() => refusal);
    ask(row());
    await clock.advance(3_600_000);
    expect(lines).toMatchObject([
      {
        ...followable,
        level: "warn",
        event_reason: "QuotaExceeded",
        msg: "refused by the member: exceeded quota: pods",
      },
    ]);
    expect(lines[0]?.["stack_trace"]).toEqual(expect.any(String));
    expect(spans.length).toBeGreaterThan(1);
    expect(spans[0]).toMatchObject({
      attributes: { "sync.result": "refused", "error.type": "Forbidden" },
      events: [{ name: "exception", attributes: { "exception.type": "ApiError" } }],
    });
    const errors = valuesBy(await families(), "controller_runtime_reconcile_errors_total", "controller");
    expect(errors).toEqual({ worker: spans.length });
  });

  test.each([
    { reason: "Timeout", message: "10.0.0.1:6443 did not answer within 10 s" },
    { reason: "ConnectionReset", message: "connection closed by 10.0.0.1:6443" },
  ] as const)("when the member is out of reach by $reason: once in the log", async ({ reason, message }) => {
    const { ask, clock, spans, lines } = laneOn(() => new TransportError(reason, message));
    ask(row());
    await clock.advance(600_000);
    expect(spans.length).toBeGreaterThan(1);
    expect(spans[0]?.attributes).toMatchObject({ "sync.result": "failed", "error.type": reason });
    expect(lines).toMatchObject([{ ...followable, level: "warn", event_reason: reason, msg: `failed: ${message}` }]);
  });

  test("when the credentials are taken no more, by that reason", async () => {
    const { ask, clock, lines } = laneOn(() => new ApiError(401, "Unauthorized", "Unauthorized"));
    ask(row());
    await clock.advance(1);
    expect(lines).toMatchObject([{ ...followable, level: "warn", event_reason: "CredentialsRejected" }]);
  });

  test("when the member is out of reach: as one error, however many objects wait, until it answers again", async () => {
    let answer: unknown = new TransportError("Timeout", "no answer");
    const { ask, clock, lines, families } = laneOn(() => answer);
    const errors = async () =>
      valuesBy(await families(), "controller_runtime_reconcile_errors_total", "controller")["worker"];
    ask(row());
    ask(row({ ref: SECRET }));
    await clock.advance(60_000);
    expect(lines).toHaveLength(2);
    expect(await errors()).toBe(1);
    answer = { altered: [] };
    await clock.advance(60_000);
    expect(lines).toMatchObject([{}, {}, { msg: "applied: created" }, { msg: "applied: created" }]);
    answer = new TransportError("ConnectionReset", "connection closed");
    ask(row({ hash: "changed" }));
    await clock.advance(60_000);
    expect(lines).toHaveLength(5);
    expect(await errors()).toBe(2);
  });

  test("of a Secret: its name, and nothing that is in it or that a server says of it", async () => {
    const quoting = new ApiError(422, "Invalid", "data.password: Invalid value: hunter2");
    const { ask, clock, spans, lines } = laneOn(() => quoting);
    ask(row({ ref: SECRET }));
    await clock.advance(1);
    expect(spans[0]).toMatchObject({
      name: "SyncSecret",
      attributes: { "secret.name": "login", "sync.result": "refused" },
    });
    const { events, status, attributes } = spans[0] ?? {};
    expect(JSON.stringify([events, status, attributes, lines])).not.toContain("hunter2");
    expect(lines).toHaveLength(1);
  });
});
