import { describe, expect, test } from "vitest";
import { fullMessage } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, holdRow, row, seen } from "../testing/builders.ts";
import { applied, hang, laneOn, type LaneParts, named } from "../testing/laneHarness.ts";

const SILENCE = new TransportError("Timeout", "no answer");
const UNREACHED = new TransportError("ConnectionRefused", "refused");
const INVALID = new ApiError(422, "Invalid", "spec is wrong");
const ETCD = new ApiError(500, "InternalError", "etcd is away");
const later = (retryAfterMs: number) => new ApiError(429, "TooManyRequests", "slow down", { retryAfterMs });
const NO_RIGHT = new ApiError(403, "Forbidden", 'User "m" cannot create resource "configmaps" in API group ""');
const RIGHT = `Meridian's account cannot create resource "configmaps" in API group ""`;
const REJECTED = "the member refused the credentials";
const BUG = "internal error; see the manager's log";
const SUSPECT = { suspicions: 1 };
const JOIN = "configmaps are not granted; run `meridian join shanghai-1 --renew --member-kubeconfig FILE`";
const LONG = `spec is wrong ${"since it is ".repeat(40)}`.trim();
const WAITS = "the member does not serve ConfigMap of v1 yet; it waits for the definition";
const UNAUTHORIZED = new ApiError(401, "Unauthorized", "Unauthorized");
const NO_NAMESPACE = new ApiError(404, "NotFound", 'namespaces "default" not found');
const MALFORMED = new ApiError(422, "Invalid", "no", { details: { causes: [{ field: "data.a", message: "long" }] } });
const NO_KIND = new ApiError(404, "NotFound", "404 page not found");
const NO_WORDS = new TypeError("a bug");

/** `failure` is `reason: message`; a final failure is retried after 2 s. `log`: `level reason: message`. */
test.each<[Error, failure: string, log: string, result: string, againAt: number, more?: object]>([
  [new NotLeaderError("not held"), "none", "debug NotLeader: tried in vain", "failed", 100],
  [later(3_000), "none", "debug Throttled: tried in vain", "failed", 3_000],
  [UNREACHED, "ClusterUnreachable: refused", "warn ConnectionRefused: failed: refused", "failed", 100, SUSPECT],
  [
    UNAUTHORIZED,
    `CredentialsRejected: ${REJECTED}`,
    `warn CredentialsRejected: failed: ${REJECTED}`,
    "failed",
    100,
    SUSPECT,
  ],
  [SILENCE, "ClusterUnreachable: no answer", "warn Timeout: failed: no answer", "failed", 100, SUSPECT],
  [NO_NAMESPACE, "NamespaceMissing: the namespace went away", "debug NamespaceMissing: tried in vain", "failed", 100],
  [MALFORMED, "Invalid: data.a: long", "warn Invalid: refused by the member: data.a: long", "refused", 2_000],
  [
    new ApiError(403, "Forbidden", LONG),
    `Forbidden: ${LONG}`,
    `warn Forbidden: refused by the member: ${LONG}`,
    "refused",
    2_000,
  ],
  [ETCD, "ServerError: etcd is away", "warn ServerError: refused by the member: etcd is away", "refused", 100],
  [
    NO_RIGHT,
    `Forbidden: ${JOIN}`,
    `warn Forbidden: refused by the member: ${JOIN}`,
    "refused",
    2_000,
    { isJoined: true },
  ],
  [NO_RIGHT, `Forbidden: ${RIGHT}`, `warn Forbidden: refused by the member: ${RIGHT}`, "refused", 2_000],
  [
    NO_KIND,
    `KindNotServed: ${WAITS}`,
    "warn KindNotServed: refused by the member: 404 page not found",
    "refused",
    2_000,
    { doubts: 1 },
  ],
  [NO_WORDS, `InternalError: ${BUG}`, "error InternalError: a member object could not be written", "failed", 2_000],
])("%s is the failure %j", async (error, want, log, result, againAt, more = {}) => {
  const { isJoined = false, ...counts } = more as { isJoined?: boolean };
  const { take, find, clock, calls, state, lines, spans } = laneOn(() => error);
  state.isJoined = isJoined;
  take(row());
  await clock.advance(0);
  const { failure, writing } = find();
  expect(failure === undefined ? "none" : `${failure.reason}: ${fullMessage(failure.message)}`).toBe(want);
  if (failure !== undefined) expect(failure.final).toBe(againAt === 2_000);
  expect(failure?.fields).toEqual(error === MALFORMED ? ["data.a"] : undefined);
  expect(
    lines.map(({ level, event_reason: reason, msg }) => `${String(level)} ${String(reason)}: ${String(msg)}`),
  ).toEqual([log]);
  expect(spans.map(({ attributes }) => attributes["sync.result"])).toEqual([result]);
  expect(state).toMatchObject({ suspicions: 0, doubts: 0, ...counts });
  await clock.advance(againAt - 1);
  expect([calls.length, writing]).toEqual([1, false]);
  await clock.advance(1);
  expect(calls).toHaveLength(2);
});

describe("after a refusal", () => {
  const refused = async () => {
    const parts = laneOn(() => INVALID);
    parts.take(row());
    await parts.clock.advance(10);
    return parts;
  };

  test.each<[string, (parts: LaneParts) => void, number]>([
    ["another hash", ({ take }) => take(row({ hash: "h2" })), 2],
    ["an observed object", ({ see }) => see({ hash: "old" }), 2],
    ["a call of retryNow", ({ lane, find }) => lane.retryNow(find()), 2],
    ["nothing new", ({ lane, find }) => lane.enqueue(find()), 1],
  ])("%s leads to another attempt, or does not", async (_, change, attempts) => {
    const parts = await refused();
    change(parts);
    await parts.clock.advance(10);
    expect(parts.calls).toHaveLength(attempts);
  });

  test("an object in sync or without a row has no retry; wanted again it is tried at once", async () => {
    const settled = await refused();
    settled.see();
    const withdrawn = await refused();
    withdrawn.withdraw();
    for (const { clock, calls } of [settled, withdrawn]) {
      await clock.advance(60_000);
      expect([calls.length, clock.pending]).toEqual([1, 0]);
    }
    withdrawn.take(row());
    await withdrawn.clock.advance(10);
    expect(withdrawn.calls).toHaveLength(2);
  });

  test("a success resets the backoff", async () => {
    const { see, take, clock, calls, state } = laneOn(() => ETCD);
    take(row());
    await clock.advance(1_000);
    state.answer = () => see();
    await clock.advance(1_000);
    state.answer = () => ETCD;
    calls.length = 0;
    take(row({ hash: "h2" }));
    await clock.advance(99);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
  });

  test("the failure of a removal does not count once its row was withdrawn", async () => {
    const answered = Promise.withResolvers<Error>();
    const { see, take, withdraw, find, clock, calls } = laneOn(() => answered.promise);
    see();
    take(deleteRow());
    await clock.advance(10);
    withdraw();
    answered.resolve(new ApiError(403, "Forbidden", "no"));
    await clock.advance(60_000);
    expect([find().failure, calls.length, clock.pending]).toEqual([undefined, 1, 0]);
  });
});

test("requests that the end of the session aborts say nothing about the member", async () => {
  const broken = Promise.withResolvers<Error>();
  const { lane, take, find, clock, calls, state, member } = laneOn(() => broken.promise);
  take(row());
  await clock.advance(10);
  state.end.abort(new Error("over"));
  lane.detach();
  broken.resolve(new TransportError("Aborted", "the session has ended"));
  await clock.advance(60_000);
  expect([find().failure, state.suspicions]).toEqual([undefined, 0]);
  state.answer = () => undefined;
  lane.attach(member);
  await clock.advance(10);
  expect(calls).toEqual(["create shop", "create shop"]);
});

describe("an apply without effect", () => {
  test("is a failure with one log line, retried slowly and not with every event, until it has an effect", async () => {
    const { see, take, clock, calls, state, find, lines, spans } = laneOn(() => applied("data.key"));
    state.observe = () => see({ value: "other" });
    take(row());
    await clock.advance(10);
    const message = expect.stringMatching(/: data\.key$/) as string;
    expect(find().failure).toMatchObject({ reason: "AppliedWithoutEffect", message, final: false });
    for (let event = 0; event < 10; event += 1) {
      see({ value: "other", resourceVersion: `1${event}` });
      await clock.advance(10);
    }
    expect(calls).toEqual(["create shop"]);
    await clock.advance(10_000);
    expect(calls.slice(1)).toEqual(["update shop", "update shop"]);
    await clock.advance(60_000);
    expect(calls.length).toBeLessThanOrEqual(6);
    expect(lines).toMatchObject([{ level: "warn", event_reason: "AppliedWithoutEffect" }]);
    expect(new Set(spans.map(({ attributes }) => attributes["sync.result"]))).toEqual(new Set(["failed"]));

    state.answer = () => applied();
    state.observe = () => see();
    await clock.advance(40_000);
    expect(find().failure).toBeUndefined();
    calls.length = 0;
    await clock.advance(100_000);
    expect(calls).toEqual([]);
  });

  test("of an earlier row delays nothing", async () => {
    const { see, take, clock, calls, state, find } = laneOn();
    state.answer = (call) => {
      if (call !== "create shop") return applied();
      take(row({ hash: "h2" }));
      return applied("data.key");
    };
    state.observe = () => see(calls.length === 1 ? { value: "other" } : { hash: "h2" });
    take(row());
    await clock.advance(10);
    expect([calls, find().failure]).toEqual([["create shop", "update shop"], undefined]);
  });
});

describe("an object that is no longer wanted and cannot be confirmed may exist", () => {
  const forbidden = (verb: string) =>
    new ApiError(403, "Forbidden", `cannot ${verb} resource "configmaps" in API group ""`);

  test.each<[string, (Error | undefined)[], true | undefined]>([
    ["not after a write without permission", [forbidden("patch")], undefined],
    ["after another refusal", [forbidden("get")], true],
    ["after silence", [SILENCE], true],
    ["after a success", [undefined], true],
    ["after a success and a write without permission", [undefined, forbidden("patch")], true],
  ])("%s", async (_, answers, want) => {
    const { take, clock, state, reports } = laneOn();
    for (const [index, answer] of answers.entries()) {
      state.answer = () => answer;
      take(row({ hash: `h${index}` }));
      await clock.advance(0);
    }
    state.known = false;
    take(holdRow({ confirm: true }));
    await clock.advance(0);
    expect(reports.at(-1)).toMatchObject([{ revision: answers.length + 1 }]);
    expect(reports.at(-1)?.[0]?.mayBeThere).toBe(want);
  });

  test("not after it was read by name", async () => {
    const { take, find, clock } = laneOn();
    take(row());
    await clock.advance(0);
    take(holdRow({ confirm: true }));
    await clock.advance(0);
    expect([find().isAbsent, find().mayBeThere]).toEqual([true, false]);
  });
});

describe("the pace of a lane", () => {
  const many = ({ take }: LaneParts, name: string, count: number): void => {
    for (let index = 0; index < count; index += 1) take(named(`${name}-${index}`));
  };

  test("is sixteen concurrent requests at first, and one more after a run of successes", async () => {
    const parts = laneOn(hang);
    many(parts, "config", 20);
    await parts.clock.advance(10);
    expect(parts.calls).toHaveLength(16);
    const faster = laneOn();
    many(faster, "config", 64);
    await faster.clock.advance(0);
    faster.state.answer = hang;
    many(faster, "more", 20);
    await faster.clock.advance(0);
    expect(faster.calls).toHaveLength(64 + 17);
  });

  test("is halved by Retry-After, which the whole lane obeys", async () => {
    const parts = laneOn((call) => later(call.endsWith("a") ? 5_000 : 1_000));
    const { take, clock, calls, state, lane } = parts;
    expect(lane.pace).toBeUndefined();
    take(named("a"));
    take(named("b"));
    await clock.advance(10);
    expect(lane.pace).toMatchObject({ reason: "WritesThrottled" });
    state.answer = hang;
    many(parts, "config", 20);
    await clock.advance(4_980);
    expect(calls).toEqual(["create a", "create b"]);
    await clock.advance(20);
    expect(calls).toHaveLength(2 + 8);
    await clock.advance(10_000);
    expect(lane.pace).toBeUndefined();
  });

  test("falls to trials and probes after some unreached requests; any answer restores it", async () => {
    const { take, clock, calls, state } = laneOn(() => UNREACHED);
    for (const name of ["a", "b", "c", "d", "e", "f"]) take(named(name));
    await clock.advance(450);
    const sent = calls.length;
    expect([state.suspicions, sent < 12]).toEqual([sent, true]);
    let answers = 0;
    state.answer = () => ((answers += 1) === 1 ? new ApiError(403, "Forbidden", "no") : hang());
    calls.length = 0;
    await clock.advance(20_000);
    // One trial; after its answer the others are sent concurrently.
    expect(calls.length).toBeGreaterThanOrEqual(5);
  });

  test("falls to none at once, also for an object that has changed during its write", async () => {
    const { take, clock, calls, state } = laneOn(() => UNREACHED);
    for (const name of ["a", "b", "c", "d"]) take(named(name));
    await clock.advance(10);
    const answered = Promise.withResolvers<Error>();
    state.answer = () => answered.promise;
    take(row());
    await clock.advance(10);
    take(row({ hash: "h2" }));
    calls.length = 0;
    answered.resolve(UNREACHED);
    await clock.advance(0);
    expect(calls).toEqual([]);
    state.answer = () => undefined;
    await clock.advance(1_000);
    expect(calls).toContain("create shop");
  });

  test("is zero between two sessions, without a timer", async () => {
    const { lane, take, clock } = laneOn();
    lane.detach();
    take(row());
    await clock.advance(10);
    expect(clock.pending).toBe(0);
  });

  test("is zero without contact, and renewed contact ends every wait", async () => {
    const { lane, take, clock, calls, state } = laneOn(() => UNREACHED);
    take(row());
    await clock.advance(10_000);
    lane.setContact(false);
    calls.length = 0;
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    state.answer = () => undefined;
    lane.setContact(true);
    await clock.advance(1);
    expect(calls).toContain("create shop");
  });
});

describe("a kind without answers", () => {
  const NAMES = ["a", "b", "c", "d", "e"];
  /** Lane that got no answer for five objects of a kind. The next trial comes half a second after the last. */
  async function silent() {
    const parts = laneOn(() => SILENCE);
    for (const name of NAMES) parts.take(named(name));
    await parts.clock.advance(400);
    expect(parts.calls).toHaveLength(5);
    parts.calls.length = 0;
    return parts;
  }

  test("does not stop other kinds, and is named until it is answered", async () => {
    const { lane, take, clock, calls, state } = await silent();
    expect(fullMessage(lane.pace?.message ?? "")).toMatch(/^no answer to writes of [A-Z]/);
    state.answer = (call) => (call.includes("other") ? undefined : SILENCE);
    take(row({ ref: { ...CONFIG_REF, apiVersion: "apps/v1", kind: "Deployment", name: "other" } }));
    await clock.advance(10);
    expect(calls).toEqual(["create other"]);
    state.answer = () => undefined;
    await clock.advance(10_000);
    expect([lane.pace, new Set(calls).size]).toEqual([undefined, 6]);
    await lane[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  test("is tried at once with renewed contact", async () => {
    const { lane, clock, calls, state } = await silent();
    state.answer = hang;
    lane.setContact(true);
    await clock.advance(0);
    expect(calls).toHaveLength(5);
  });

  test.each([
    ["was not sent", new NotLeaderError("not held"), 1],
    ["was not reached", UNREACHED, 1],
    ["broke in the manager", new TypeError("a bug"), 1],
    ["was refused", INVALID, 4],
    ["got a server error", new ApiError(500, "InternalError", "no"), 5],
  ])("is tried with one object, and with as many as are due when that %s", async (_, error, underWay) => {
    const { clock, calls, state } = await silent();
    state.answer = () => {
      state.answer = hang;
      return error;
    };
    await clock.advance(1_600);
    expect(calls).toHaveLength(1 + underWay);
  });

  test("is tried after longer pauses while it stays silent", async () => {
    const { clock, calls } = await silent();
    const counts: number[] = [];
    for (const ms of [100, 999, 1]) {
      await clock.advance(ms);
      counts.push(calls.length);
    }
    expect(counts).toEqual([1, 1, 2]);
  });

  test("has an answer when an object is found that is being deleted", async () => {
    const found = seen({ visible: false, deleting: true });
    const { take, clock, calls, state } = laneOn((line) => (line.startsWith("find") ? found : SILENCE));
    for (const name of NAMES) take(named(name));
    await clock.advance(10);
    take(deleteRow({ ref: { ...CONFIG_REF, name: "leaving" } }));
    await clock.advance(400);
    calls.length = 0;
    state.answer = (line) => (line.startsWith("find") ? found : undefined);
    await clock.advance(90);
    expect(calls.slice(0, 6).toSorted()).toEqual([...NAMES.map((name) => `create ${name}`), "find leaving"]);
  });

  test("is tried in the next session when the session ends during a trial", async () => {
    const { lane, clock, calls, state, member } = await silent();
    const broken = Promise.withResolvers<Error>();
    state.answer = () => broken.promise;
    await clock.advance(100);
    expect(calls).toHaveLength(1);
    state.end.abort(new Error("over"));
    lane.detach();
    broken.resolve(new TransportError("Aborted", "the session has ended"));
    await clock.advance(0);
    state.end = new AbortController();
    state.answer = () => undefined;
    lane.attach(member);
    await clock.advance(0);
    expect(calls.length).toBeGreaterThan(1);
  });
});

describe("metrics", () => {
  test.each<[string, unknown, Row, observedHash: string | undefined, object, failures: number | undefined]>([
    ["an apply", applied(), row(), undefined, { apply: 1, verify: 1 }, undefined],
    ["an update", applied(), row(), "old", { apply: 1, verify: 1 }, undefined],
    ["a refused apply", INVALID, row(), undefined, { apply: 1 }, 1],
    ["an unreached apply", UNREACHED, row(), undefined, {}, 1],
    ["a removal", undefined, deleteRow(), "h1", {}, undefined],
    ["a refused removal", new ApiError(403, "Forbidden", "no"), deleteRow(), "h1", {}, 1],
    ["a bug", new Error("a bug"), row(), undefined, {}, 1],
  ])("count %s", async (_, answer, given, hash, want, failures) => {
    const { see, take, clock, phases, errors } = laneOn(() => answer);
    if (hash !== undefined) see({ hash });
    take(given);
    await clock.advance(1);
    expect([await phases(), await errors()]).toEqual([want, failures]);
  });

  test("say what waits, and that the breaker has opened once for a run of failures", async () => {
    const { lane, take, clock, state, trips } = laneOn(() => UNREACHED);
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) take(named(name));
    await clock.advance(400);
    expect(lane.load).toMatchObject({ isBreakerOpen: true, silentKinds: 0 });
    expect(await trips()).toBe(1);
    state.answer = () => applied();
    lane.setContact(true);
    await clock.advance(20_000);
    expect(lane.load).toEqual({ isBreakerOpen: false, silentKinds: 0, queued: 0, oldestMs: 0 });
    lane.detach();
    take(named("h"));
    await clock.advance(3_000);
    expect(lane.load).toMatchObject({ queued: 1, oldestMs: 3_000 });
  });

  test("measure the time of the answers", async () => {
    const parts: LaneParts = laneOn(() => parts.clock.sleep(2_000).then(() => applied()));
    parts.take(row());
    await parts.clock.advance(2_000);
    parts.state.answer = () => parts.clock.sleep(3_000).then(() => INVALID);
    parts.take(named("b"));
    await parts.clock.advance(3_000);
    expect(await parts.phases("sum")).toEqual({ apply: 5, verify: 0 });
  });
});
