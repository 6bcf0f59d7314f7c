import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createLogger, logContext, type LogLevel } from "./logger.ts";
import { startSpan } from "../tracing/spans.ts";
import { createTracing } from "../tracing/tracing.ts";

function capture(level: LogLevel = "debug") {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level,
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  return { lines, logger };
}

class ApplyError extends Error {
  override readonly name = "ApplyError";
  readonly reason = "QuotaExceeded";
}

describe("a log line", () => {
  test("of an error has stack_trace, event_reason, type, message and causes", () => {
    const { lines, logger } = capture();
    logger.error(
      { err: new ApplyError("no room", { cause: new RangeError("9 of 8 pods") }), cluster: "shanghai-1" },
      "apply failed",
    );
    expect(lines[0]).toMatchObject({
      level: "error",
      msg: "apply failed",
      cluster: "shanghai-1",
      event_reason: "QuotaExceeded",
      error: { type: "ApplyError", message: "no room", causes: ["RangeError: 9 of 8 pods"] },
    });
    expect(lines[0]?.["stack_trace"]).toContain("logger.test.ts");
    expect(lines[0]).not.toHaveProperty("err");
  });

  test("keeps the event_reason that its caller chose", () => {
    const { lines, logger } = capture();
    logger.warn({ err: new Error("x"), event_reason: "DriftHealed" }, "m");
    expect(lines[0]).toMatchObject({ event_reason: "DriftHealed", error: { type: "Error" } });
  });

  test("has an error that was passed alone", () => {
    const { lines, logger } = capture();
    logger.error(new TypeError("broken"));
    expect(lines[0]).toMatchObject({ msg: "broken", error: { type: "TypeError" } });
  });

  test("of a child has the trace and the object", async () => {
    const { lines, logger } = capture();
    const { tracer } = await createTracing({ serviceVersion: "0", identity: "t", env: {} });
    const span = startSpan(tracer, "Reconcile");
    logger
      .child(logContext(span.spanContext(), { reconcileId: "r-1", resourceUid: "u-1", cluster: "c-1" }))
      .info("hello");
    expect(lines[0]).toMatchObject({
      trace_id: span.spanContext().traceId,
      reconcile_id: "r-1",
      resource_uid: "u-1",
      cluster: "c-1",
    });
    expect(span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.spanContext().traceId).not.toMatch(/^0+$/);
  });

  test("never holds a credential, wherever it was put", () => {
    const { lines, logger } = capture();
    const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";
    logger.child({ authorization: `Basic ${token}` }).error(
      {
        err: new Error(`refused Bearer ${token}`, { cause: new Error(token) }),
        request: { headers: { Authorization: "Basic c2VjcmV0" } },
        kubeconfig: "hunter2",
      },
      "with token %s",
      token,
    );
    logger.child({ note: `Bearer ${token}` }).info({ Password: "hunter2", note: token, replicas: 2 }, "plain");
    const text = JSON.stringify(lines);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ replicas: 2 });
    for (const secret of [token, "c2VjcmV0", "hunter2"]) expect(text).not.toContain(secret);
  });

  test("of the level error always has stack_trace and event_reason", () => {
    const { lines, logger } = capture();
    logger.error({ lease: "meridian", event_reason: "LeaseLost" }, "lost the Lease");
    logger.error("broken");
    logger.error({ err: new TypeError("thrown") }, "failed");
    logger.warn({ lease: "meridian" }, "a warning needs none");
    expect(lines[0]).toMatchObject({ event_reason: "LeaseLost", lease: "meridian", msg: "lost the Lease" });
    expect(lines[1]).toMatchObject({ event_reason: "InternalError", msg: "broken" });
    expect(lines[2]).toMatchObject({ event_reason: "TypeError" });
    for (const line of lines.slice(0, 3)) expect(line["stack_trace"]).toContain("logger.test.ts");
    expect(lines[3]).not.toHaveProperty("stack_trace");
  });

  test("says of the process what its environment says", () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    createLogger({ level: "info", destination, attributes: { "deployment.environment": "prod" } }).info("hello");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ "deployment.environment": "prod", msg: "hello" });
  });

  test.each(["undefined", "process.exit(3)", "setImmediate(() => { throw new Error('broken') })"])(
    "written before the process ends is there, whatever ends it: %s",
    async (end) => {
      const file = fileURLToPath(new URL("logger.ts", import.meta.url));
      const script = `
        const { createLogger } = await import(${JSON.stringify(file)});
        const logger = createLogger({ level: "info" });
        for (let line = 0; line < 500; line++) logger.info({ line }, "hello");
        ${end};`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      expect((await text(child.stdout)).trim().split("\n")).toHaveLength(500);
    },
  );

  test("below the level is not written", () => {
    const { lines, logger } = capture("warn");
    logger.info("quiet");
    expect(lines).toEqual([]);
  });
});
