import { describe, expect, test } from "vitest";
import type { EndedTrouble } from "../../status/index.ts";
import type { EventRecord } from "./eventRecorder.ts";
import { RecoveryRecorder } from "./recoveryRecorder.ts";

const MINUTE = 60_000;
const start = Date.UTC(2026, 10, 21, 8);

/** A recorder whose time the test holds in its hand. */
function recording() {
  const events: EventRecord[] = [];
  const timers = new Set<{ at: number; callback: () => void }>();
  let time = start;
  const counted: string[] = [];
  const recorder = new RecoveryRecorder({
    onEnd: (reason) => void counted.push(reason),
    events: { record: (event) => void events.push(event) },
    after: (ms, callback) => {
      const timer = { at: time + ms, callback };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
  });
  const pass = (ms: number): void => {
    const end = time + ms;
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      time = next.at;
      timers.delete(next);
      next.callback();
    }
    time = end;
  };
  const end = (cluster: string, more: Partial<EndedTrouble> = {}): void => {
    const until = new Date(time).toISOString();
    const since = new Date(time - 20_000).toISOString();
    const object = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop" };
    recorder.ended([
      { object, cluster, reason: "CrashLoopBackOff", since, until, message: "", ending: "Healthy", ...more },
    ]);
  };
  const notes = (): string[] => events.map(({ note }) => note);
  return { recorder, events, timers, pass, end, notes, counted };
}

describe("the Events of ends", () => {
  test("tell of the first at once, with its beginning", () => {
    const { end, events } = recording();
    end("a");
    expect(events).toEqual([
      {
        regarding: { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop" },
        type: "Normal",
        reason: "Recovered",
        action: "Run",
        note: "healthy again on a (CrashLoopBackOff for 20s)",
        since: "2026-11-21T07:59:40.000Z",
      },
    ]);
  });

  test("tell of clusters that follow one by one together", () => {
    const { end, pass, notes } = recording();
    for (let index = 10; index < 30; index += 1) {
      end(`r${index}`);
      pass(1_000);
    }
    pass(MINUTE);
    expect(notes()).toEqual([
      "healthy again on r10 (CrashLoopBackOff for 20s)",
      expect.stringMatching(/^healthy again on r11, .*, r29 \(CrashLoopBackOff for 20s\)$/),
    ]);
  });

  test("are few of what comes and goes for an hour, and say how often; the last end is told, too", () => {
    const { end, pass, notes, timers } = recording();
    for (let index = 0; index < 120; index += 1) {
      end("a");
      pass(MINUTE / 2);
    }
    pass(8 * MINUTE);
    expect(notes().length).toBeLessThan(15);
    expect(notes().at(-1)).toBe("healthy again on a (CrashLoopBackOff for 20s, 120 times)");
    const { length } = notes();
    pass(60 * MINUTE);
    expect([notes().length, timers.size]).toEqual([length, 0]);
    end("a");
    expect(notes()).toHaveLength(length + 1);
  });

  test("keep causes, and objects, apart", () => {
    const { end, notes } = recording();
    end("a");
    end("a", { reason: "QuotaExceeded" });
    end("a", { object: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "shop" } });
    expect(notes()).toHaveLength(3);
  });

  test("tell of what is gathered when the manager ends", () => {
    const { recorder, end, notes, timers } = recording();
    end("a");
    end("b");
    recorder[Symbol.dispose]();
    expect(notes()).toHaveLength(2);
    expect(timers.size).toBe(0);
  });

  test("are counted by reason, and what is no reason of Meridian apart", () => {
    const { end, counted } = recording();
    end("a");
    end("b");
    end("a", { reason: "MadeUpByAMember" });
    expect(counted).toEqual(["CrashLoopBackOff", "CrashLoopBackOff", "Other"]);
  });

  test("are bounded in what they gather, not in what they tell", () => {
    const { end, notes, timers, recorder } = recording();
    for (let index = 0; index < 2_100; index += 1)
      end("a", { object: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: `c${index}` } });
    expect(notes()).toHaveLength(2_100);
    expect(timers.size).toBe(2_048);
    expect(recorder.troubles.size).toBe(1_024);
  });
});
