import { describe, expect, test } from "vitest";
import { HUB_VERSION_ANNOTATION } from "../../apis/index.ts";
import { type DeleteRow, REPLACED, type Row } from "../../desiredstate/index.ts";
import { ApiError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, holdRow, OWNER, releaseRow, row, seen } from "../testing/builders.ts";
import { hang, laneOn, named } from "../testing/laneHarness.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

describe("a lane calls the writer", () => {
  const versioned = { object: { metadata: { annotations: { [HUB_VERSION_ANNOTATION]: "12" } } } };

  test("to create with the hub's version, and to update with the observation, the drift and the kept fields", async () => {
    const { take, see, clock, sent } = laneOn();
    take(row({ hubVersion: "12" }));
    await clock.advance(1);
    see({ owns: false });
    await clock.advance(1);
    expect(sent).toMatchObject([
      [versioned, expect.any(Function)],
      [versioned, { uid: "member-1" }, [{ path: "data.key" }], { yielded: [], kept: [] }],
    ]);
  });

  test.each<Partial<DeleteRow>>([{}, { agreed: true }, { keepsClaims: true }])("to delete with %j", async (given) => {
    const { see, take, clock, sent } = laneOn();
    see();
    take(deleteRow(given));
    await clock.advance(1);
    expect(sent).toEqual([[deleteRow(given)]]);
  });

  test.each<[string, Row | undefined]>([
    ["without a row", undefined],
    ["with a Hold row", holdRow({ wanted: false })],
    ["whose row names another UID", deleteRow({ uid: "before" })],
  ])("never for an object %s", async (_, given) => {
    const { take, withdraw, see, clock, calls } = laneOn();
    see();
    take(given ?? row());
    if (given === undefined) withdraw();
    await clock.advance(MINUTE);
    expect(calls).toEqual([]);
  });

  test("never to apply a namespace, except a custom kind of that name", async () => {
    const { lane, take, clock, calls } = laneOn(hang);
    take(row({ ref: { apiVersion: "v1", kind: "Namespace", name: "team" } }));
    take(row({ ref: { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Namespace" } }));
    lane.enqueueAll();
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
  });

  test("to read an object whose row asks for a report, until a read has succeeded", async () => {
    const { lane, see, take, find, clock, calls, state } = laneOn(() => new TransportError("Timeout", "silence"));
    see();
    take(row({ reporting: { withStatus: true } }));
    await clock.advance(10);
    expect(calls).toEqual(["read shop"]);
    const content = { ...row().object, status: { ready: 2 } };
    state.answer = () => seen({ evidence: { live: undefined, content } });
    await clock.advance(MINUTE);
    lane.enqueue(find());
    await clock.advance(MINUTE);
    expect([calls, find().observed?.evidence.content]).toEqual([["read shop", "read shop"], content]);
  });
});

describe("changes go before the backlog", () => {
  test.each([
    { name: "a new object", key: "late" },
    { name: "an object of the backlog", key: "old-9" },
  ])("for $name", async ({ key }) => {
    const { lane, objects, member, clock, calls, state } = laneOn();
    state.share = 1;
    lane.detach();
    const take = (name: string, revision: number, more: { backlog?: true } = {}): void => {
      const given = named(name);
      objects.takeRow({ ref: given.ref, row: { ...given, hash: `h${revision}` }, revision, ...more });
    };
    for (let index = 0; index < 10; index += 1) take(`old-${index}`, index + 1, { backlog: true });
    take(key, 100);
    lane.attach(member);
    await clock.advance(10);
    expect(calls).toHaveLength(key === "late" ? 11 : 10);
    expect(calls.indexOf(`create ${key}`)).toBe(0);
  });
});

describe("a write waits", () => {
  test.each([
    [deleteRow(), "delete shop member-1"],
    [releaseRow(), "release shop member-1"],
  ])("as a removal until all objects of the kind are known: %#", async (removal, want) => {
    const { lane, see, take, clock, calls, state, spans } = laneOn();
    state.known = false;
    see();
    take(removal);
    await clock.advance(MINUTE);
    expect([calls, spans]).toEqual([[], []]);
    state.known = true;
    lane.enqueueAll();
    await clock.advance(10);
    expect(calls).toEqual([want]);
  });

  test("for a session and for contact, and does not happen if its row was withdrawn or needs no action by then", async () => {
    const { lane, take, withdraw, see, find, objects, clock, calls, state, member, working } = laneOn();
    state.answer = () => see();
    lane.detach();
    take(row());
    take(named("withdrawn"));
    take(deleteRow({ ref: { ...CONFIG_REF, name: "absent" } }));
    await clock.advance(MINUTE);
    lane.setContact(false);
    lane.attach(member);
    withdraw({ ...CONFIG_REF, name: "withdrawn" });
    objects.found(find({ ...CONFIG_REF, name: "absent" }), undefined);
    await clock.advance(MINUTE);
    expect([calls, working]).toEqual([[], []]);
    lane.setContact(true);
    await clock.advance(10);
    expect([calls, working]).toEqual([["create shop"], [true, false]]);
  });

  test.each<[string, Row, string | undefined, string[]]>([
    ["a creation", row(), undefined, []],
    ["an update", row(), "old", []],
    ["a deletion", deleteRow(), "h1", []],
    ["but not a release", releaseRow(), "h1", ["release shop member-1"]],
    ["but not a confirmation", deleteRow(), undefined, ["find shop"]],
  ])("for earlier phases: %s", async (_, given, hash, want) => {
    const { see, take, clock, calls, state } = laneOn();
    state.mustWait = () => true;
    if (hash !== undefined) see({ hash });
    take(given);
    await clock.advance(MINUTE);
    expect(calls).toEqual(want);
  });

  test("for a place in the lane's share, also when the share changes", async () => {
    const answers: (() => void)[] = [];
    const { lane, take, clock, calls, state } = laneOn(() => new Promise<void>((resolve) => answers.push(resolve)));
    state.share = 3;
    lane.setContact(true);
    for (let n = 0; n < 12; n += 1) take(named(`config-${n}`));
    await clock.advance(10);
    expect(calls).toHaveLength(3);
    state.share = 5;
    answers.shift()?.();
    await clock.advance(10);
    expect(calls).toHaveLength(1 + 5);
  });

  test("for the end of an earlier write of the same object, whose failure does not count for the new row", async () => {
    const answered = Promise.withResolvers<Error>();
    const { find, take, clock, calls, state } = laneOn(() => answered.promise);
    take(row());
    await clock.advance(10);
    take(row({ hash: "h2" }));
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
    state.answer = hang;
    answered.resolve(new ApiError(422, "Invalid", "spec is wrong"));
    await clock.advance(10);
    expect([find().failure, calls]).toEqual([undefined, ["create shop", "create shop"]]);
  });
});

describe("an object that should be absent is read by name", () => {
  test("and is absent when no object of ours is found", async () => {
    const { take, find, clock, calls, sent, reports } = laneOn();
    take(deleteRow());
    await clock.advance(MINUTE);
    expect([calls, sent, find().isAbsent]).toEqual([["find shop"], [[OWNER]], true]);
    expect(reports.at(-1)).toMatchObject([{ absent: true, writing: false }]);
  });

  test("and removed when it is found, and then read again", async () => {
    const answers = [seen({ visible: false })];
    const { take, find, clock, calls } = laneOn(() => answers.shift());
    take(deleteRow());
    await clock.advance(MINUTE);
    expect(calls).toEqual(["find shop", "delete shop member-1", "find shop"]);
    expect([find().isAbsent, find().observed]).toEqual([true, undefined]);
  });

  test("again soon while it is being deleted", async () => {
    const { take, find, clock, calls, state } = laneOn(() => seen({ visible: false, deleting: true }));
    take(deleteRow());
    await clock.advance(99);
    expect([calls, find().isAbsent]).toEqual([["find shop"], false]);
    await clock.advance(2);
    expect(calls).toHaveLength(2);
    state.answer = () => undefined;
    await clock.advance(MINUTE);
    expect([calls.length, find().isAbsent]).toEqual([3, true]);
  });

  test.each([
    [deleteRow(), ["delete shop member-1", "find shop"]],
    [releaseRow(), ["release shop member-1", "find shop"]],
  ])("after its removal if no watch shows it: %#", async (removal, want) => {
    const { see, take, find, clock, calls } = laneOn();
    see({ visible: false });
    take(removal);
    await clock.advance(MINUTE);
    expect([calls, find().observed, find().isAbsent]).toEqual([want, undefined, true]);
  });
});

describe("an object of a kind that is not known on the member", () => {
  const message = "the member does not serve ConfigMap of v1 yet; it waits for the definition";
  const failure = { reason: "KindNotServed", message, final: false };

  test.each([
    ["No", false, undefined],
    ["Perhaps", false, failure],
    ["Surely", true, failure],
  ] as const)("lacks the kind: %s", async (lacks, isAbsent, want) => {
    const { take, find, clock, calls, state } = laneOn();
    Object.assign(state, { synced: false, known: false, lacks });
    const ref = { ...CONFIG_REF, name: "confirmed" };
    take(row());
    take(holdRow({ ref, confirm: true, wanted: false }));
    await clock.advance(10);
    expect([calls, find().failure, find(ref).isAbsent]).toEqual([[], want, isAbsent]);
  });

  test("is not absent while the kind is being watched", async () => {
    const { take, find, clock, state } = laneOn();
    Object.assign(state, { known: false, lacks: "Surely" });
    take(holdRow({ confirm: true, wanted: false }));
    await clock.advance(10);
    expect(find().isAbsent).toBe(false);
  });

  test("fails as forbidden while the kind is not granted, with one log line", async () => {
    const { lane, take, find, clock, calls, state, lines } = laneOn();
    const denial = "configmaps are not granted: run it";
    Object.assign(state, { synced: false, denial });
    take(row());
    for (let time = 0; time < 2; time += 1) {
      await clock.advance(10);
      lane.enqueueAll();
    }
    expect([calls, find().failure]).toEqual([[], { reason: "Forbidden", message: denial, final: true }]);
    expect(lines).toMatchObject([{ level: "warn", event_reason: "Forbidden", msg: `not sent: ${denial}` }]);
    state.synced = true;
    lane.enqueueAll();
    await clock.advance(10);
    expect([calls, find().failure]).toEqual([["create shop"], undefined]);
  });
});

describe("a drift correction", () => {
  test("is reported with the lost fields, and the next one waits", async () => {
    const { see, take, clock, calls, find } = laneOn();
    see({ owns: false });
    take(row());
    await clock.advance(1);
    const at = clock.now() - 1;
    expect(find().healed).toEqual({ at, lost: [{ path: "data.key" }], gone: false, contested: false });
    see({ owns: false, resourceVersion: "8" });
    await clock.advance(990);
    expect(calls).toEqual(["update shop"]);
    await clock.advance(20);
    expect(calls).toEqual(["update shop", "update shop"]);
  });

  test("may be a creation; first writes and new rows are none", async () => {
    const { see, gone, take, find, clock, calls } = laneOn();
    for (const hash of ["h1", "h2", "h3"]) {
      take(row({ hash }));
      await clock.advance(1);
      see({ hash });
    }
    expect([calls, find().healed]).toEqual([["create shop", "update shop", "update shop"], undefined]);
    gone();
    await clock.advance(1);
    expect(find().healed).toEqual({ at: clock.now() - 1, lost: [], gone: true, contested: false });
  });

  test("of a replaced object is paced, and not reported", async () => {
    const { see, gone, take, find, clock, calls } = laneOn();
    see();
    take(deleteRow({ why: { reason: REPLACED, message: "replaced" } }));
    await clock.advance(1);
    gone();
    see();
    await clock.advance(900);
    expect([calls, find().healed]).toEqual([["delete shop member-1"], undefined]);
    await clock.advance(200);
    expect(calls).toHaveLength(2);
  });

  test.each<[string, (round: number) => ReturnType<typeof seen> | undefined]>([
    ["changes data.key", (round) => seen({ owns: false, resourceVersion: `1${round}` })],
    ["changes", (round) => seen({ hash: `x${round}`, resourceVersion: `1${round}` })],
    ["deletes it", () => undefined],
  ])("slows down against somebody who %s each time; a new row is written at once", async (what, attack) => {
    const { objects, see, take, clock, calls, find, state } = laneOn();
    state.answer = () => see({ resourceVersion: `0${calls.length}` });
    take(row());
    await clock.advance(1);
    calls.length = 0;
    const startedAt = clock.monotonic();
    const healedAt: number[] = [];
    for (let round = 0; round < 1_500; round++) {
      if (find().observed?.hash === "h1") objects.observe(CONFIG_REF, attack(round));
      await clock.advance(20);
      if (calls.length > healedAt.length) healedAt.push(Math.round((clock.monotonic() - startedAt) / SECOND));
    }
    expect(healedAt).toEqual([0, 1, 3, 7, 15]);
    const message = expect.stringContaining(`somebody ${what}`) as string;
    expect(find().failure).toMatchObject({ reason: "Contested", message, final: false });
    expect(find().healed).toMatchObject({ contested: true });
    take(row({ hash: "h2" }));
    await clock.advance(1);
    expect(calls).toHaveLength(6);
  });

  test("happens after the pause, without a new event", async () => {
    const { see, gone, take, clock, calls, state, find } = laneOn();
    state.answer = () => see({ resourceVersion: `0${calls.length}` });
    take(row());
    for (let round = 0; round < 4; round++) {
      gone();
      await clock.advance(1);
    }
    expect(calls).toHaveLength(2);
    await clock.advance(SECOND);
    expect([calls.length, find().failure]).toEqual([3, undefined]);
  });
});

test("a lane has work while a write can be done now", async () => {
  const first = Promise.withResolvers<void>();
  const { lane, take, clock, state, working } = laneOn(() => first.promise);
  state.share = 1;
  take(named("a"));
  take(named("b"));
  await clock.advance(10);
  first.resolve();
  await clock.advance(10);
  lane.setContact(false);
  take(named("c"));
  await clock.advance(10);
  expect(working).toEqual([true, false]);
  lane.setContact(true);
  await clock.advance(10);
  expect(working).toEqual([true, false, true, false]);
});

describe("a closed lane", () => {
  test("waits for the running write, begins none, and then has no work", async () => {
    const written = Promise.withResolvers<void>();
    const { lane, take, clock, calls, state, working } = laneOn(() => written.promise);
    state.share = 1;
    lane.setContact(true);
    take(row());
    take(named("b"));
    await clock.advance(10);
    let closed = false;
    const closing = lane[Symbol.asyncDispose]().then(() => (closed = true));
    take(named("c"));
    await clock.advance(10 * SECOND);
    expect([closed, calls, working]).toEqual([false, ["create shop"], [true]]);
    written.resolve();
    await closing;
    await clock.advance(0);
    expect([calls, working, clock.pending]).toEqual([["create shop"], [true, false], 0]);
  });

  const answers = [
    ["a refusal", new ApiError(422, "Invalid", "no")],
    ["Retry-After", new ApiError(429, "TooManyRequests", "no", { retryAfterMs: 5_000 })],
    ["silence", new TransportError("Timeout", "no answer within 10 s")],
    ["a drift correction", undefined],
  ] as const;

  test.each(answers)("leaves no timer after %s", async (_, answer) => {
    const answered = Promise.withResolvers<unknown>();
    const running = laneOn(() => answered.promise);
    const waiting = laneOn(() => answer);
    for (const { see, take, clock } of [running, waiting]) {
      see({ owns: false });
      take(row());
      await clock.advance(150);
    }
    const closing = running.lane[Symbol.asyncDispose]();
    answered.resolve(answer);
    await closing;
    await running.clock.advance(0);
    expect([running.calls, running.clock.pending]).toEqual([["update shop"], 0]);

    expect(waiting.clock.pending).toBeGreaterThan(0);
    const { length } = waiting.calls;
    await waiting.lane[Symbol.asyncDispose]();
    expect(waiting.clock.pending).toBe(0);
    waiting.lane.enqueueAll();
    await waiting.clock.advance(MINUTE);
    expect(waiting.calls).toHaveLength(length);
  });
});
