import { describe, expect, test } from "vitest";
import { logLines } from "../observability/testing/logLines.ts";
import type { Report, ReportAnswer, ReportSession } from "../ports/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { Reporter } from "./reporter.ts";
import { CONFIG_REF } from "./testing/builders.ts";

function reporting(heartbeatMs?: number) {
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const sessions: (ReportSession & { at: number; answer: (answer: ReportAnswer) => void; reports: Report[] })[] = [];
  const state = { refusesOpen: false, refusesSend: false };
  const reporter: Reporter = new Reporter({
    cluster: "shanghai-1",
    worker: "w",
    clock,
    logger,
    heartbeatMs,
    random: () => 0.5,
    everything: () => reporter.send({ complete: { revision: 7 } }),
    sink: {
      open: (_cluster, session, answer) => {
        const reports: Report[] = [];
        sessions.push({ ...session, answer, reports, at: clock.monotonic() });
        if (state.refusesOpen) throw new Error("not opened");
        return {
          send: (report) => {
            if (state.refusesSend) throw new Error("not sent");
            reports.push(report);
          },
          [Symbol.dispose]: () => undefined,
        };
      },
    },
  });
  const reports = () => sessions.at(-1)?.reports;
  const numbers = () => sessions.map(({ number }) => number);
  return { clock, lines, sessions, state, reporter, reports, numbers };
}

const EVERYTHING = { seq: 0, complete: { revision: 7 } };

describe("a reporter", () => {
  test("sends nothing without a session, and everything at the begin of each session", () => {
    const { reporter, sessions, reports } = reporting();
    reporter.send({ capacity: "Stopped" });
    expect([reporter.isOpen, sessions]).toEqual([false, []]);
    reporter.open(3);
    expect(reports()).toEqual([EVERYTHING]);
    reporter.send({ capacity: "Stopped" });
    expect(reports()).toEqual([EVERYTHING, { seq: 1, capacity: "Stopped" }]);
    reporter.open(4);
    expect(reports()).toEqual([EVERYTHING]);
    expect(sessions).toMatchObject([
      { worker: "w", number: 1, epoch: 3 },
      { worker: "w", number: 2, epoch: 4 },
    ]);
  });

  test.each(["Resync", "Superseded"] as const)("opens another session some time after %s", async (kind) => {
    const { clock, reporter, sessions, reports, numbers } = reporting();
    reporter.open(3);
    sessions[0]?.answer({ kind, why: "lost" });
    reporter.send({ capacity: "Stopped" });
    await clock.advance(0);
    expect([reporter.isOpen, numbers(), reports()]).toEqual([false, [1], [EVERYTHING]]);
    await clock.advance(30_000);
    expect([reporter.isOpen, numbers(), reports()]).toEqual([true, [1, 2], [EVERYTHING]]);
    sessions[0]?.answer({ kind, why: "of an earlier session" });
    expect(reporter.isOpen).toBe(true);
  });

  test.each(["refusesOpen", "refusesSend"] as const)("logs a sink that %s, and waits longer each time", async (how) => {
    const { clock, lines, reporter, sessions, state, reports } = reporting();
    state[how] = true;
    reporter.open(3);
    expect(lines).toMatchObject([{ event_reason: "ReportFailed" }]);
    await clock.advance(20_000);
    const waits = sessions.slice(1).map(({ at }, index) => at - (sessions[index]?.at ?? 0));
    expect(waits.length).toBeGreaterThan(2);
    expect(waits).toEqual([...new Set(waits)].toSorted((a, b) => a - b));
    state[how] = false;
    await clock.advance(30_000);
    expect([reporter.isOpen, reports()]).toEqual([true, [EVERYTHING]]);
  });

  test("gives signs of life, if these are asked for", async () => {
    const { clock, reporter, reports } = reporting(1_000);
    reporter.open(3);
    await clock.advance(2_500);
    expect(reports()).toEqual([EVERYTHING, { seq: 1 }, { seq: 2 }]);
    const quiet = reporting();
    quiet.reporter.open(3);
    expect(quiet.clock.pending).toBe(0);
  });

  test("splits many observations, and sends the other parts with the last of them", () => {
    const { reporter, reports } = reporting();
    reporter.open(3);
    const observations = Array.from({ length: 1_001 }, () => ({ ref: CONFIG_REF }) as never);
    reporter.send({ observations, complete: { revision: 8 } });
    const seen = reports()?.slice(1) ?? [];
    expect(seen.map((report) => report.observations?.length)).toEqual([500, 500, 1]);
    expect(seen.map(({ complete }) => complete?.revision)).toEqual([undefined, undefined, 8]);
  });

  test("sends nothing after its disposal", async () => {
    const { clock, reporter, sessions, reports } = reporting(1_000);
    reporter.open(3);
    reporter[Symbol.dispose]();
    sessions[0]?.answer({ kind: "Resync", why: "late" });
    reporter.send({});
    reporter.open(4);
    await clock.advance(60_000);
    expect([reports(), sessions.length, clock.pending]).toEqual([[EVERYTHING], 1, 0]);
  });
});
