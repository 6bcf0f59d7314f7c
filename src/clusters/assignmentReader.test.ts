import { describe, expect, test } from "vitest";
import { refKey } from "../apis/index.ts";
import { logLines } from "../observability/testing/logLines.ts";
import type { AssignmentRequest, WorkDelta, WorkMessage } from "../ports/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { AssignmentReader } from "./assignmentReader.ts";
import { CONFIG_REF } from "./testing/builders.ts";

const start = (epoch = 1, since?: number): WorkDelta => ({ kind: "Start", epoch, since });
const rows = (...names: string[]): WorkDelta => ({
  kind: "Rows",
  rows: names.map((name) => ({ ref: { ...CONFIG_REF, name }, revision: 1 })),
});
const end = (checksum = 0): WorkDelta => ({ kind: "End", revision: 5, checksum });
const numbered = (...deltas: WorkDelta[]): WorkMessage[] => deltas.map((delta, seq) => ({ ...delta, seq }));
const AGAIN = 30_000;

/** A reader of these streams, one after the other. The last stream stays open, and the others end or stay open. */
function reading(
  streams: WorkMessage[][],
  { staysOpen = false, silentAfterMs = undefined as number | undefined } = {},
) {
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const asked: (AssignmentRequest & { at: number })[] = [];
  /** Names of the member objects that have a row, by their keys. */
  const held = new Map<string, string>();
  const taken: string[] = [];
  const stop = new AbortController();
  const reader = new AssignmentReader({
    cluster: "shanghai-1",
    clock,
    logger,
    silentAfterMs,
    random: () => 0.5,
    source: {
      async *assignment(_cluster, request, signal) {
        asked.push({ ...request, at: clock.monotonic() });
        yield* streams[asked.length - 1] ?? [];
        if (!staysOpen && asked.length < streams.length) return;
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    },
    assignee: {
      checksum: 0,
      beginEpoch: (epoch) => void taken.push(`epoch ${epoch}`),
      withRows: () => held.keys(),
      take: (delta) => {
        const refs = delta.kind === "Rows" ? delta.rows.map(({ ref }) => ref) : [];
        for (const ref of refs) held.set(refKey(ref), ref.name);
        taken.push(...refs.map(({ name }) => name));
        return Promise.resolve();
      },
      withdraw: (keys) => {
        for (const key of keys) held.delete(key);
      },
      tookAll: () => void taken.push("all"),
      endStream: () => undefined,
    },
  });
  void reader.run(stop.signal);
  const reasons = () => lines.map((line) => line["event_reason"]);
  return { clock, reader, asked, held, taken, reasons };
}

describe("a reader of assignments", () => {
  test("keeps rows of an earlier epoch until the end of the set, and withdraws those not sent again", async () => {
    const first = numbered(start(1), rows("a", "b"), end());
    const open = reading([first, numbered(start(2), rows("a"))]);
    await open.clock.settle(AGAIN);
    expect([...open.held.values()]).toEqual(["a", "b"]);
    expect(open.reader.progress).toBeUndefined();
    const ended = reading([first, numbered(start(2), rows("a"), end())]);
    await ended.clock.settle(AGAIN);
    expect([...ended.held.values()]).toEqual(["a"]);
    expect(ended.taken).toEqual(["epoch 1", "a", "b", "all", "epoch 2", "a", "all"]);
    expect(ended.reader.progress).toEqual({ epoch: 2, revision: 5 });
  });

  test("withdraws nothing when only later changes are sent", async () => {
    const { clock, asked, held } = reading([numbered(start(), rows("a"), end()), numbered(start(1, 5), end())]);
    await clock.settle(AGAIN);
    expect(asked.map(({ since }) => since)).toEqual([undefined, { epoch: 1, revision: 5 }]);
    expect([...held.values()]).toEqual(["a"]);
  });

  test("gives up the stream of an older epoch, and keeps the rows", async () => {
    const streams = [numbered(start(2), rows("a"), end()), numbered(start(1), rows("b"), end()), []];
    const { clock, asked, held, reasons } = reading(streams);
    await clock.settle(2 * AGAIN);
    expect([[...held.values()], asked.length]).toEqual([["a"], 3]);
    expect(reasons()).toEqual(["AssignmentEnded", "AssignmentFailed"]);
  });

  test.each([
    { sum: "of the end", last: [end(9)] },
    { sum: "of a heartbeat", last: [end(), { kind: "Heartbeat", revision: 5, checksum: 9 } as const] },
  ])("asks for the whole set after another checksum $sum", async ({ last }) => {
    const { clock, asked, held, reasons } = reading([
      numbered(start(), rows("a"), end()),
      numbered(start(1, 5), ...last),
      [],
    ]);
    await clock.settle(2 * AGAIN);
    expect(asked.map(({ since }) => since)).toEqual([undefined, { epoch: 1, revision: 5 }, undefined]);
    expect([[...held.values()], reasons().at(-1)]).toEqual([["a"], "AssignmentFailed"]);
  });

  test("asks again after silence", async () => {
    const { clock, asked, reasons } = reading([numbered(start()), []], { staysOpen: true, silentAfterMs: 60_000 });
    await clock.settle(59_999);
    expect(asked).toHaveLength(1);
    await clock.settle(AGAIN);
    expect([asked.length, reasons()]).toEqual([2, ["AssignmentFailed"]]);
  });

  test("takes messages once and in order, whatever their order and number of times", async () => {
    const [first, a, b, last] = numbered(start(), rows("a"), rows("b"), end()) as [WorkMessage, ...WorkMessage[]];
    const { clock, taken } = reading([[first, b, a, a, b, first, last].filter((message) => message !== undefined)]);
    await clock.settle();
    expect(taken).toEqual(["epoch 1", "a", "b", "all"]);
  });

  test("asks again when a message is still missing at the second sign of life", async () => {
    const alive = (seq: number): WorkMessage => ({ kind: "Heartbeat", seq });
    const first = { ...start(), seq: 0 };
    const waits = reading([[first, alive(2)], []], { staysOpen: true });
    await waits.clock.settle(AGAIN);
    expect(waits.asked).toHaveLength(1);
    const broken = reading([[first, alive(2), alive(3)], []], { staysOpen: true });
    await broken.clock.settle(AGAIN);
    expect([broken.asked.length, broken.reasons()]).toEqual([2, ["AssignmentFailed"]]);
  });

  test("waits longer while streams bring no work", async () => {
    const idle = numbered(start());
    const { clock, asked } = reading([idle, idle, idle, idle, numbered(start(), rows("a")), []]);
    await clock.settle(5 * AGAIN);
    const waits = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
    const growing = waits.slice(0, 4);
    expect(growing).toEqual([...new Set(growing)].toSorted((a, b) => a - b));
    expect([waits.length, waits[4]]).toEqual([5, waits[0]]);
  });
});
