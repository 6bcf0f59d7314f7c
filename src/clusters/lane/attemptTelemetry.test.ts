import { describe, expect, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import type { Origin } from "../../observability/index.ts";
import { ApiError, TransportError } from "../../runtime/index.ts";
import type { RecordNamespace } from "../model/namespaces.ts";
import { CLUSTER, CONFIG_REF, deleteRow, OWNER, releaseRow, row } from "../testing/builders.ts";
import { applied, CLUSTER_UID, laneOn } from "../testing/laneHarness.ts";

const SECRET: ObjectRef = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "login" };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const ORIGIN: Origin = {
  spanContext: { traceId: TRACE, spanId: "b7ad6b7169203331", traceFlags: 1 },
  reconcileId: "reconcile-1",
  // When the clock of the lane starts.
  at: Date.UTC(2026, 0, 1),
};

/** A lane that takes rows of the plan {@link ORIGIN}. `lines`: log lines above debug. */
function tracing(answer: Parameters<typeof laneOn>[0] = () => applied()) {
  const parts = laneOn(answer);
  const ask = (given: Row): void => parts.objects.takeRow({ ...parts.revisions.set(given), origin: ORIGIN });
  const lines = () => parts.lines.filter(({ level }) => level !== "debug");
  return { ...parts, ask, lines };
}

const PLACE = { cluster: CLUSTER, "k8s.cluster.name": CLUSTER, "k8s.cluster.uid": CLUSTER_UID };

const followable = {
  trace_id: TRACE,
  reconcile_id: "reconcile-1",
  object: refKey(OWNER),
  resource_uid: OWNER.uid,
  ...PLACE,
  member_object: refKey(CONFIG_REF),
};

describe("a namespace that a write creates", () => {
  const creating = async (make: () => Promise<boolean>) => {
    const parts = tracing(async (_call, _row, record: RecordNamespace) => {
      await record("team", make);
      return applied();
    });
    parts.ask(row());
    await parts.clock.advance(1);
    return { ...parts, span: parts.spans.find(({ name }) => name === "SyncNamespace") };
  };

  test("has a span below the write's span and a log line of the same plan", async () => {
    const { span, spans, lines } = await creating(() => Promise.resolve(true));
    const write = spans.find(({ name }) => name === "SyncConfigMap");
    expect(span).toMatchObject({
      parentSpanContext: { spanId: write?.spanContext().spanId },
      attributes: { ...PLACE, "k8s.resource.name": "team", "sync.result": "created" },
    });
    expect(lines()).toMatchObject([
      { ...followable, member_object: "/Namespace//team", level: "info", msg: "applied: created" },
      { ...followable, msg: "applied: created" },
    ]);
  });

  test("has no log line if it exists, and an error in the span if it cannot be created", async () => {
    const existing = await creating(() => Promise.resolve(false));
    expect([existing.span?.attributes["sync.result"], existing.lines().length]).toEqual(["confirmed", 1]);
    const refused = await creating(() => Promise.reject(new ApiError(403, "Forbidden", "no")));
    expect(refused.span?.attributes["error.type"]).toBe("Forbidden");
  });
});

describe("a write", () => {
  test.each<[string, Row, isObserved: boolean, span: string, msg: string]>([
    ["created", row(), false, "SyncConfigMap", "applied: created"],
    ["deleted", deleteRow(), true, "DeleteConfigMap", "deleted"],
    ["released", releaseRow(), true, "ReleaseConfigMap", "released"],
  ])("is %s in a span of its plan, with one log line", async (result, given, isObserved, name, msg) => {
    const { ask, see, clock, spans, lines } = tracing();
    if (isObserved) see();
    ask(given);
    await clock.advance(1);
    expect(lines()).toMatchObject([{ ...followable, level: "info", msg }]);
    const parentSpanContext = { spanId: ORIGIN.spanContext.spanId };
    expect(spans).toMatchObject([{ name, parentSpanContext, attributes: { ...PLACE, "sync.result": result } }]);
  });

  test.each([
    ["a drift correction", true, { "sync.result": "healed" }, { event_reason: "DriftHealed", msg: "healed: data.key" }],
    ["an old plan", false, { "sync.result": "created" }, { msg: "applied: created" }],
  ])("has a span that only links to its plan: %s", async (_, isDrift, attributes, line) => {
    const { ask, see, clock, spans, lines } = tracing();
    if (isDrift) see({ owns: false });
    else await clock.advance(60_000);
    ask(row());
    await clock.advance(1);
    const [span] = spans;
    expect(span).toMatchObject({ attributes, links: [{ context: ORIGIN.spanContext }] });
    expect(span?.parentSpanContext).toBeUndefined();
    expect(lines()).toMatchObject([{ ...followable, trace_id: span?.spanContext().traceId, ...line }]);
  });

  test("that is refused has one log line for each reason, and an error in each span and in the metric", async () => {
    const { ask, clock, spans, lines, errors, state } = tracing(
      () => new ApiError(403, "Forbidden", "exceeded quota: pods"),
    );
    ask(row());
    await clock.advance(3_600_000);
    const msg = "refused by the member: exceeded quota: pods";
    expect(lines()).toMatchObject([{ ...followable, level: "warn", event_reason: "QuotaExceeded", msg }]);
    expect(lines()[0]?.["stack_trace"]).toEqual(expect.any(String));
    expect(spans.length).toBeGreaterThan(1);
    expect(spans[0]).toMatchObject({
      attributes: { "sync.result": "refused", "error.type": "Forbidden" },
      events: [{ name: "exception", attributes: { "exception.type": "ApiError" } }],
    });
    expect(await errors()).toBe(spans.length);
    state.answer = () => new ApiError(403, "Forbidden", "no");
    await clock.advance(60_000);
    expect(lines().slice(1)).toMatchObject([{ event_reason: "Forbidden" }]);
  });

  test("that does not reach the member is one error, however many objects wait, until the member answers", async () => {
    const { ask, clock, lines, errors, spans, state } = tracing(() => new TransportError("Timeout", "no answer"));
    ask(row());
    ask(row({ ref: SECRET }));
    await clock.advance(60_000);
    expect(spans[0]?.attributes).toMatchObject({ "sync.result": "failed", "error.type": "Timeout" });
    expect([lines().length, await errors()]).toEqual([2, 1]);
    state.answer = () => applied();
    await clock.advance(60_000);
    expect(lines().slice(2)).toMatchObject([{ msg: "applied: created" }, { msg: "applied: created" }]);
    state.answer = () => new TransportError("ConnectionReset", "connection closed");
    ask(row({ hash: "changed" }));
    await clock.advance(60_000);
    expect(lines().slice(4)).toMatchObject([{ event_reason: "ConnectionReset", msg: "failed: connection closed" }]);
    expect(await errors()).toBe(2);
  });

  test.each([
    ["that the watch shows later is logged once as found", 0, "applied: found there"],
    ["that a later attempt confirms is logged as created", 60_000, "applied: created"],
  ])("without an answer %s", async (_, ms, msg) => {
    const { see, ask, clock, lines, state } = tracing(() => new TransportError("Timeout", "no answer"));
    ask(row());
    await clock.advance(0);
    state.answer = () => applied();
    state.observe = () => see();
    if (ms === 0) for (let time = 0; time < 2; time += 1) see();
    await clock.advance(ms);
    expect(lines().filter(({ level }) => level === "info")).toMatchObject([{ msg }]);
  });

  test("of a Secret names the Secret, and no content that a server quotes", async () => {
    const quoting = new ApiError(422, "Invalid", "data.password: Invalid value: hunter2");
    const { ask, clock, spans, lines } = tracing(() => quoting);
    ask(row({ ref: SECRET }));
    await clock.advance(1);
    const [span] = spans;
    expect(span).toMatchObject({
      name: "SyncSecret",
      attributes: { "secret.name": "login", "sync.result": "refused" },
    });
    const { events, status, attributes } = span ?? {};
    expect(JSON.stringify([events, status, attributes, lines()])).not.toContain("hunter2");
    expect(lines()).toHaveLength(1);
  });
});
