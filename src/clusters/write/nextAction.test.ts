import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { CONFIG_REF, deleteRow, holdRow, memberObject, releaseRow, row, seen } from "../testing/builders.ts";
import { type KnownKinds, type MemberState, nextAction } from "./nextAction.ts";

const NOW = 1_000;
const LATER = 5_000;
const ATTEMPT = "Create Apply  h1 Abort  ";
const NAMESPACE = { apiVersion: "v1", kind: "Namespace", name: "team" };
const DRIFT = { row: row(), observed: seen(), carriedOut: true };

const known = (overrides: Partial<KnownKinds> = {}): KnownKinds => ({
  ...{ isSynced: () => true, lacks: () => "No", denial: () => undefined, mayRemove: () => true },
  ...overrides,
});
const open = (retryAt: number | undefined): MemberState["breaker"] => ({ state: () => ({ kind: "Open", retryAt }) });
/** A member in contact, with nothing in the way of a request. */
const member = (overrides: Partial<MemberState> = {}): MemberState => ({
  isClosed: false,
  session: known(),
  breaker: { state: () => ({ kind: "Closed" }) },
  throttledUntil: Number.NEGATIVE_INFINITY,
  stageOf: () => undefined,
  mustWait: () => false,
  retryOf: () => undefined,
  drift: { pausedUntil: () => undefined, isContested: () => false },
  admits: () => true,
  ...overrides,
});
const unsynced = (overrides: Partial<KnownKinds> = {}) =>
  member({ session: known({ isSynced: () => false, ...overrides }) });

describe("a member object", () => {
  test.each<[string, Partial<MemberObject>]>([
    ["Create", { row: row() }],
    ["Update", { row: row(), observed: seen({ hash: "old" }) }],
    ["Delete", { row: deleteRow(), observed: seen() }],
    ["Release", { row: releaseRow(), observed: seen() }],
    ["Confirm", { row: holdRow({ confirm: true }) }],
    ["Read", { row: holdRow({ reporting: {} }), observed: seen() }],
  ])("%s", (kind, object) => {
    expect(nextAction(memberObject(object), member(), NOW)).toMatchObject({ kind: "Act", action: { kind } });
  });

  test.each<[object, Partial<MemberObject>, MemberState]>([
    [{ why: "Closed" }, { row: row() }, member({ isClosed: true })],
    [{ why: "NotInLane" }, { ref: NAMESPACE, row: deleteRow({ ref: NAMESPACE }), observed: seen() }, member()],
    [{ why: "InQueue" }, { row: row() }, member({ stageOf: () => "InQueue" })],
    [{ why: "InWrite" }, {}, member({ stageOf: () => "InWrite" })],
    [{ why: "NothingToDo" }, { observed: seen() }, member()],
    [{ why: "NotKnown" }, { row: deleteRow() }, member({ session: known({ mayRemove: () => false }) })],
    [{ why: "NotKnown" }, { row: deleteRow() }, member({ session: undefined })],
    [{ why: "OthersFirst" }, { row: row() }, member({ mustWait: () => true, breaker: open(undefined) })],
    [{ why: "Backoff", until: LATER }, { row: row() }, member({ retryOf: () => ({ attempt: ATTEMPT, until: LATER }) })],
    [
      { why: "DriftPause", until: LATER },
      DRIFT,
      member({ drift: { pausedUntil: () => LATER, isContested: () => false }, breaker: open(undefined) }),
    ],
    [
      { why: "DriftPause", until: LATER, failure: { reason: "Contested" } },
      DRIFT,
      member({ drift: { pausedUntil: () => LATER, isContested: () => true } }),
    ],
    [{ why: "NoSession" }, { row: row() }, member({ session: undefined, throttledUntil: LATER })],
    [{ why: "NoContact" }, { row: row() }, member({ breaker: open(undefined), throttledUntil: LATER })],
    [{ why: "Unreached", until: LATER }, { row: row() }, member({ breaker: open(LATER), throttledUntil: 2_000 })],
    [{ why: "Throttled", until: LATER }, { row: row() }, member({ breaker: open(2_000), throttledUntil: LATER })],
    [
      { why: "NotGranted", failure: { reason: "Forbidden", message: "no", final: true } },
      { row: row() },
      unsynced({ denial: () => "no", lacks: () => "Surely" }),
    ],
    [{ why: "NotWatched", failure: { reason: "KindNotServed" } }, { row: row() }, unsynced({ lacks: () => "Perhaps" })],
    [{ why: "NotWatched" }, { row: row() }, unsynced()],
    [{ why: "NotWatched", isAbsent: true }, { row: holdRow({ confirm: true }) }, unsynced({ lacks: () => "Surely" })],
    [{ why: "SilentKind" }, { row: row() }, member({ admits: () => false })],
  ])("waits: %j", (want, object, state) => {
    const { attempt: _attempt, ...wait } = { attempt: "", ...nextAction(memberObject(object), state, NOW) };
    expect(wait).toMatchObject({ kind: "Wait", ...want });
    expect(["until", "failure", "isAbsent"].filter((field) => field in wait)).toEqual(
      ["until", "failure", "isAbsent"].filter((field) => field in want),
    );
  });

  test("does not wait for the retry of another attempt, nor for a drift pause before a new row", () => {
    const state = member({
      retryOf: () => ({ attempt: "another", until: LATER }),
      drift: { pausedUntil: () => LATER, isContested: () => true },
    });
    expect(nextAction(memberObject({ row: row() }), state, NOW).kind).toBe("Act");
  });
});

const times = fc.constantFrom(undefined, NOW - 1, NOW, NOW + 1, LATER);
const objects = fc.record({
  ref: fc.constantFrom(CONFIG_REF, CONFIG_REF, CONFIG_REF, NAMESPACE),
  row: fc.constantFrom<(Row | undefined)[]>(
    ...[undefined, row(), row({ hash: "h2" }), row({ reporting: {} }), deleteRow(), releaseRow()],
    ...[deleteRow({ uid: "another" }), holdRow(), holdRow({ confirm: true })],
  ),
  observed: fc.constantFrom(
    ...[undefined, seen(), seen({ deleting: true }), seen({ visible: false }), seen({ uid: "another" })],
    seen({ visible: false, deleting: true }),
  ),
  isAbsent: fc.boolean(),
  carriedOut: fc.boolean(),
});
const sessions = fc
  .record({
    isSynced: fc.boolean(),
    lacks: fc.constantFrom("No", "Perhaps", "Surely"),
    denial: fc.constantFrom(undefined, "no"),
    mayRemove: fc.boolean(),
  })
  .map(({ isSynced, lacks, denial, mayRemove }) =>
    known({ isSynced: () => isSynced, lacks: () => lacks, denial: () => denial, mayRemove: () => mayRemove }),
  );
const often = <T>(usual: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const breakerStates = fc.oneof(
  fc.constantFrom({ kind: "Closed" } as const, { kind: "HalfOpen" } as const),
  // A breaker is open only until its trial.
  fc.constantFrom(undefined, NOW + 1, LATER).map((retryAt) => ({ kind: "Open", retryAt }) as const),
);
const members = fc
  .record({
    isClosed: often(false, fc.constant(true)),
    session: often<KnownKinds | undefined>(known(), fc.option(sessions, { nil: undefined })),
    breaker: often({ kind: "Closed" }, breakerStates).map((state) => ({ state: () => state })),
    throttledUntil: often(Number.NEGATIVE_INFINITY, fc.constantFrom(NOW, LATER)),
    stage: often<"InQueue" | "InWrite" | undefined>(undefined, fc.constantFrom("InQueue", "InWrite")),
    mustWait: often(false, fc.constant(true)),
    retry: often<string | undefined>(undefined, fc.constantFrom(ATTEMPT, "another")),
    pausedUntil: often<number | undefined>(undefined, times),
    admits: often(true, fc.constant(false)),
  })
  .map(({ stage, mustWait, retry, pausedUntil, admits, ...rest }) => ({
    ...rest,
    stageOf: () => stage,
    mustWait: () => mustWait,
    retryOf: () => (retry === undefined ? undefined : { attempt: retry, until: LATER }),
    drift: { pausedUntil: () => pausedUntil, isContested: () => false },
    admits: () => admits,
  }));

describe("in any state", () => {
  property.prop([objects, members], { numRuns: 3_000 })("a request is sent only where it may be", (given, state) => {
    const object = memberObject(given);
    const next = nextAction(object, state, NOW);
    if (next.kind !== "Act") return;
    const { session, breaker } = state;
    expect(session?.isSynced(object.ref)).toBe(true);
    expect(breaker.state().kind).not.toBe("Open");
    expect(state.throttledUntil).toBeLessThanOrEqual(NOW);
    expect([state.isClosed, state.stageOf(), state.admits()]).toEqual([false, undefined, true]);
    expect(object.ref.kind).not.toBe("Namespace");
    const { kind } = next.action;
    if (kind === "Create" || kind === "Update" || kind === "Delete") expect(state.mustWait()).toBe(false);
    if (kind === "Create" || kind === "Update") expect(object.row?.verb).toBe("Apply");
    if (kind === "Delete" || kind === "Release" || kind === "Confirm")
      expect(session?.mayRemove(object.ref)).toBe(true);
    if (kind === "Delete" || kind === "Release")
      expect(object.row).toMatchObject({ verb: kind, uid: object.observed?.uid });
  });

  property.prop([objects, members], { numRuns: 3_000 })("every wait names what ends it", (given, state) => {
    const next = nextAction(memberObject(given), state, NOW);
    if (next.kind === "Act") return;
    const hasTime = ["Backoff", "DriftPause", "Unreached", "Throttled"].includes(next.why);
    expect("until" in next).toBe(hasTime);
  });
});
