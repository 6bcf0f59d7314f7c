import { describe, expect, test } from "vitest";
import type { Condition, FederatedStatus } from "../../apis/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { ApiError, NotLeaderError, type ReconcileContext, TransportError } from "../../runtime/index.ts";
import { phaseOf, writeStatus } from "./statusWrites.ts";
import { APP, app } from "../testing/planning.ts";

const saying = (conditions: Record<string, string>, reason = ""): FederatedStatus => ({
  conditions: Object.entries(conditions).map(([type, status]) => ({ type, status, reason }) as Condition),
});
const NEITHER = { Available: "False", Progressing: "False" };

test.each<[FederatedStatus, string]>([
  [saying({ Available: "True", Progressing: "True" }), "Available"],
  [saying({ Available: "False", Progressing: "True" }), "Progressing"],
  [saying(NEITHER), "Degraded"],
  [saying({ Available: "Unknown", Applied: "True" }), "Degraded"],
  [saying(NEITHER, "RolloutPaused"), "Progressing"],
  [saying(NEITHER, "CrashLoopBackOff"), "Degraded"],
  [saying({}), "Degraded"],
  [{}, "Degraded"],
])("the phase of the status %j is %s", (status, want) => expect(phaseOf(status)).toBe(want));

describe("a write of a status", () => {
  async function writing(answer: () => unknown, said = saying({ Available: "True" })) {
    const { tracer, spans } = recordSpans();
    const { logger, lines } = logLines();
    const written: unknown[] = [];
    const write = async (...args: unknown[]): Promise<void> => {
      written.push(args);
      const result = answer();
      if (result instanceof Error) throw result;
    };
    const found = { object: app({ uid: "u" }), kind: {} as PlacedKind };
    const { signal } = new AbortController();
    const context = { logger, span: undefined } as unknown as ReconcileContext;
    const status = { ...said, replicas: { desired: 3, updated: 3, ready: 3, available: 3 } };
    const error: unknown = await writeStatus({ store: { write }, tracer }, APP, found, status, context, signal).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { spans, lines, written, error, sent: [found, status, signal] };
  }

  test("is a span and a line of the log", async () => {
    const { spans, lines, written, sent, error } = await writing(() => app());
    expect([written, error]).toEqual([[sent], undefined]);
    expect(spans.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["UpdateStatus", { "reconcile.key": APP, "status.phase": "Available", "http.status_code": 200 }],
    ]);
    expect(lines).toMatchObject([
      {
        level: "info",
        object: APP,
        resource_uid: "u",
        phase: "Available",
        generation: 1,
        replicas: { desired: 3 },
        msg: "status written: Available",
      },
    ]);
  });

  test("names what Ready waits for in the line while the object is not available", async () => {
    const waiting = { type: "Ready", status: "False", reason: "Forbidden", message: "a: jobs are not granted" };
    const of = async (status: FederatedStatus) => (await writing(() => app(), status)).lines[0];
    const conditions = [waiting as Condition];
    expect(await of({ conditions })).toMatchObject({
      phase: "Degraded",
      reason: "Forbidden",
      message: waiting.message,
    });
    const available = { type: "Available", status: "True" } as Condition;
    expect(await of({ conditions: [waiting as Condition, available] })).not.toHaveProperty("reason");
    expect(await of({ conditions: [] })).not.toHaveProperty("reason");
  });

  test.each([
    { name: "was refused", failure: new ApiError(409, "Conflict", "changed"), code: 409 },
    { name: "did not arrive", failure: new TransportError("ConnectionReset", "reset"), code: undefined },
  ])("that $name is an error that says so, of the span too, and no line", async ({ failure, code }) => {
    const { spans, lines, error } = await writing(() => failure);
    expect(lines).toEqual([]);
    expect(error).toBeInstanceOf(failure.constructor);
    const message = `the status was not written: ${failure.message}`;
    expect(error).toMatchObject({ reason: failure.reason, message, cause: failure });
    if (code !== undefined) expect(error).toMatchObject({ status: code });
    expect(spans).toHaveLength(1);
    expect(spans[0]?.attributes["http.status_code"]).toBe(code);
    expect(spans[0]?.status.code).toBe(2);
  });

  test("that is not this process's to make is left as it is", async () => {
    const failure = new NotLeaderError("the Lease is not held");
    expect((await writing(() => failure)).error).toBe(failure);
  });
});
