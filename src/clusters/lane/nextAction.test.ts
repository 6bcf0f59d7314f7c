import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import { type Labels, textOf } from "../model/carriedLabels.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { CONFIG_REF, deleteRow, holdRow, memberObject, releaseRow, row, seen } from "../testing/builders.ts";
import { type KnownKinds, type MemberState, nextAction } from "./nextAction.ts";

const NOW = 1_000;
const LATER = 5_000;
const ATTEMPT = "Create Apply  h1 Abort  ";
const NAMESPACE = { apiVersion: "v1", kind: "Namespace", name: "team" };
const DOOMED = { ref: NAMESPACE, row: deleteRow({ ref: NAMESPACE }), observed: seen() };
const DOOMED_RETRY = () => ({ attempt: "Delete Delete member-1    ", until: LATER });
const RESTRICTED = { enforce: "restricted" };
const UNLABELLED = { ref: NAMESPACE, observed: seen() };
const LABELLED = { ref: NAMESPACE, observed: seen({ podSecurity: textOf(RESTRICTED) }) };
const DRIFT = { row: row(), observed: seen(), carriedOut: true };

const known = (overrides: Partial<KnownKinds> = {}): KnownKinds => ({
  ...{ isSynced: () => true, lacks: () => "No", denial: () => undefined, mayRemove: () => true },
  ...overrides,
});
interface Given {
  isClosed: boolean;
  session: KnownKinds | undefined;
  breaker: MemberState["pacing"]["breaker"];
  throttledUntil: number;
  admits: () => boolean;
  stageOf: MemberState["queue"]["stageOf"];
  mustWait: () => boolean;
  retryOf: MemberState["backoffs"]["retryOf"];
  drift: MemberState["drift"];
  /** Namespaces: something of ours is in it; until when it was seen empty; whether it may be inspected; its labels. */
  isUsed: boolean;
  emptyUntil: number | undefined;
  hasPlace: boolean;
  labels: Labels | undefined;
}
const open = (retryAt: number | undefined): Given["breaker"] => ({ state: () => ({ kind: "Open", retryAt }) });
const CALM: Given = {
  isClosed: false,
  session: known(),
  breaker: { state: () => ({ kind: "Closed" }) },
  throttledUntil: Number.NEGATIVE_INFINITY,
  stageOf: () => undefined,
  mustWait: () => false,
  retryOf: () => undefined,
  drift: { pausedUntil: () => undefined, isContested: () => false },
  admits: () => true,
  isUsed: false,
  emptyUntil: undefined,
  hasPlace: true,
  labels: undefined,
};
/** A member in contact, with nothing in the way of a request. */
function member(overrides: Partial<Given> = {}): MemberState {
  const given = { ...CALM, ...overrides };
  const { isClosed, session, breaker, throttledUntil, admits, stageOf, mustWait, retryOf, drift } = given;
  return {
    ...{ isClosed, session, drift, pacing: { breaker, throttledUntil, admits } },
    ...{ queue: { stageOf }, phases: { mustWait }, backoffs: { retryOf } },
    inspections: { pausedUntil: () => given.emptyUntil, hasPlace: given.hasPlace },
    objects: { isUsed: () => given.isUsed },
    namespaceLabels: { of: () => given.labels },
  };
}
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
    ["Inspect", DOOMED],
    ["Release", { ref: NAMESPACE, row: releaseRow({ ref: NAMESPACE }), observed: seen() }],
    ["Label", UNLABELLED],
  ])("%s", (kind, object) => {
    expect(nextAction(memberObject(object), member({ labels: RESTRICTED }), NOW)).toMatchObject({
      kind: "Act",
      action: { kind },
    });
  });

  test.each<[object, Partial<MemberObject>, MemberState]>([
    [{ why: "Closed" }, { row: row() }, member({ isClosed: true })],
    [{ why: "NothingToDo" }, { ref: NAMESPACE, row: row({ ref: NAMESPACE }) }, member()],
    [{ why: "NothingToDo" }, { ref: NAMESPACE, row: deleteRow({ ref: NAMESPACE }) }, member()],
    [{ why: "NothingToDo" }, { ref: NAMESPACE, row: holdRow({ confirm: true, ref: NAMESPACE }) }, member()],
    [{ why: "NothingToDo" }, LABELLED, member({ labels: RESTRICTED })],
    [{ why: "NothingToDo" }, { ...UNLABELLED, row: releaseRow({ uid: "before" }) }, member({ labels: RESTRICTED })],
    [{ why: "NotKnown" }, DOOMED, member({ session: known({ mayRemove: () => false }) })],
    [{ why: "NamespaceInUse" }, DOOMED, member({ isUsed: true, emptyUntil: LATER, retryOf: DOOMED_RETRY })],
    [{ why: "SeenEmpty", until: LATER }, DOOMED, member({ emptyUntil: LATER, breaker: open(undefined) })],
    [{ why: "Backoff", until: LATER }, DOOMED, member({ retryOf: DOOMED_RETRY })],
    [{ why: "NoContact" }, DOOMED, member({ breaker: open(undefined), hasPlace: false })],
    [{ why: "NoInspectionPlace" }, DOOMED, member({ hasPlace: false })],
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

  test("that is a namespace is deleted when it was just found empty, if nothing of ours came into it", () => {
    const next = (foundEmpty: string, given: Partial<Given> = {}) =>
      nextAction(memberObject(DOOMED), member({ hasPlace: false, ...given }), NOW, foundEmpty);
    expect(next("member-1")).toMatchObject({ kind: "Act", action: { kind: "Delete" } });
    expect(next("member-1", { isUsed: true })).toMatchObject({ kind: "Wait", why: "NamespaceInUse" });
    expect(next("member-1", { throttledUntil: LATER })).toMatchObject({ kind: "Wait", why: "Throttled" });
    expect(next("another life", { hasPlace: true })).toMatchObject({ kind: "Act", action: { kind: "Inspect" } });
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
    isUsed: often(false, fc.constant(true)),
    emptyUntil: often<number | undefined>(undefined, fc.constant(LATER)),
    hasPlace: often(true, fc.constant(false)),
    labels: fc.constantFrom(undefined, RESTRICTED),
  })
  .map(({ stage, mustWait, retry, pausedUntil, admits, ...rest }) => ({
    ...rest,
    stageOf: () => stage,
    mustWait: () => mustWait,
    retryOf: () => (retry === undefined ? undefined : { attempt: retry, until: LATER }),
    drift: { pausedUntil: () => pausedUntil, isContested: () => false },
    admits: () => admits,
  }));

const foundEmpty = fc.constantFrom(undefined, "member-1", "another");

describe("in any state", () => {
  property.prop([objects, members, foundEmpty], { numRuns: 3_000 })(
    "a request is sent only where it may be",
    (given, state, empty) => {
      const object = memberObject(given);
      const next = nextAction(object, member(state), NOW, empty);
      if (next.kind !== "Act") return;
      const { session, breaker } = state;
      expect(session?.isSynced(object.ref)).toBe(true);
      expect(breaker.state().kind).not.toBe("Open");
      expect(state.throttledUntil).toBeLessThanOrEqual(NOW);
      expect([state.isClosed, state.stageOf(), state.admits()]).toEqual([false, undefined, true]);
      const { kind } = next.action;
      if (kind === "Create" || kind === "Update" || kind === "Delete") expect(state.mustWait()).toBe(false);
      if (kind === "Create" || kind === "Update") expect(object.row?.verb).toBe("Apply");
      if (object.ref.kind === "Namespace") expect(["Inspect", "Delete", "Release", "Label"]).toContain(kind);
      else expect(["Inspect", "Label"]).not.toContain(kind);
      if (kind === "Inspect" || (kind === "Delete" && object.ref.kind === "Namespace"))
        expect(state.isUsed).toBe(false);
      if (kind === "Inspect") expect([state.emptyUntil, state.hasPlace]).toEqual([undefined, true]);
      if (kind === "Delete" && object.ref.kind === "Namespace") expect(object.observed?.uid).toBe(empty);
      if (kind === "Label") expect(object.row).toBeUndefined();
      if (kind === "Delete" || kind === "Release" || kind === "Confirm" || kind === "Inspect")
        expect(session?.mayRemove(object.ref)).toBe(true);
      if (kind === "Delete" || kind === "Release" || kind === "Inspect")
        expect(object.row).toMatchObject({ verb: kind === "Inspect" ? "Delete" : kind, uid: object.observed?.uid });
    },
  );

  property.prop([objects, members], { numRuns: 3_000 })("every wait names what ends it", (given, state) => {
    const next = nextAction(memberObject(given), member(state), NOW);
    if (next.kind === "Act") return;
    const hasTime = ["Backoff", "DriftPause", "Unreached", "Throttled", "SeenEmpty"].includes(next.why);
    expect("until" in next).toBe(hasTime);
  });
});
