import { describe, expect, test } from "vitest";
import { type Answering, AnsweringRecord } from "./answering.ts";

const pace = { reason: "WritesThrottled", message: "429" };

/** What is said after each of the samples; `-` where nothing new is. */
function said(times: readonly number[], paces: readonly boolean[] = []): (Answering["latencyMs"] | "-")[] {
  const record = new AnsweringRecord();
  return times.map((ms, index) => {
    const next = record.take({ ms, pace: paces[index] === true ? pace : undefined });
    return next === undefined ? "-" : next.latencyMs;
  });
}

describe("how long a cluster takes to answer", () => {
  test.each([
    {
      name: "is said when three answers in a row were slow",
      times: [2500, 2480, 2520, 2500],
      want: ["-", "-", 2500, "-"],
    },
    {
      name: "is not said for one slow answer",
      times: [20, 20, 20, 2500, 20, 20, 20],
      want: ["-", "-", null, "-", "-", "-", "-"],
    },
    {
      name: "ends when three answers in a row were fast",
      times: [2000, 2000, 2000, 30, 30, 30],
      want: ["-", "-", 2000, "-", "-", null],
    },
    {
      name: "stays where answers are neither",
      times: [2000, 2000, 2000, 800, 800, 800],
      want: ["-", "-", 2000, "-", "-", "-"],
    },
    {
      name: "is said anew when it is another figure",
      times: [1000, 1000, 1000, 2600, 2600, 2600],
      want: ["-", "-", 1000, "-", "-", 2600],
    },
    {
      name: "is not said anew for a little more",
      times: [2000, 2000, 2000, 2400, 2500, 2300],
      want: ["-", "-", 2000, "-", "-", "-"],
    },
  ])("$name", ({ times, want }) => expect(said(times)).toEqual(want));

  test("keeps the figure that an earlier manager has said", () => {
    const record = new AnsweringRecord(2400);
    const next = [2500, 2600, 2500].map((ms) => record.take({ ms, pace: undefined }));
    expect(next.at(-1)?.latencyMs).toBe(2400);
  });

  test("is measured anew after contact was lost", () => {
    const record = new AnsweringRecord();
    for (const ms of [2000, 2000]) record.take({ ms, pace: undefined });
    record.reset();
    expect(record.take({ ms: 2000, pace: undefined })).toBeUndefined();
  });
});

describe("whether writes flow", () => {
  const paces = (given: readonly boolean[]): unknown[] => {
    const record = new AnsweringRecord();
    return given.map((is) => {
      const next = record.take({ ms: 10, pace: is ? pace : undefined });
      return next === undefined ? "-" : (next.pace?.reason ?? next.pace);
    });
  };

  test.each([
    {
      name: "is said when they did not three times in a row",
      given: [true, true, true],
      want: ["-", "-", "WritesThrottled"],
    },
    {
      name: "ends when they did three times in a row",
      given: [true, true, true, false, true, false, false, false],
      want: ["-", "-", "WritesThrottled", "-", "-", "-", "-", null],
    },
    { name: "is not said for one time", given: [false, false, false, true, false], want: ["-", "-", null, "-", "-"] },
  ])("$name", ({ given, want }) => expect(paces(given)).toEqual(want));
});
