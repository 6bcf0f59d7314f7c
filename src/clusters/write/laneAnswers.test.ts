import { describe, expect, test } from "vitest";
import type { Failure } from "../../desiredstate/index.ts";
import { parsePrometheusText, valuesBy } from "../../observability/testing/prometheusText.ts";
import { ApiError, CONFIGMAPS, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, releaseRow, row, seen } from "../testing/builders.ts";
import { laneOn, type LaneParts, named } from "../testing/laneHarness.ts";

const RIGHT = 'cannot create resource "configmaps" in API group "" in the namespace "default"';
const NO_RIGHT = `configmaps "shop" is forbidden: User "m" ${RIGHT}`;
const LONG = `spec is wrong ${"since it is ".repeat(40)}`;

interface Answered {
  name: string;
  error: Error;
  isJoined?: boolean;
  failure: Failure | undefined;
  log: Record<string, unknown>;
  result: "refused" | "failed";
  /** When it is tried again. */
  againAt: number;
  suspicions?: number;
  invalidations?: number;
}

const inVain = (reason: string) => ({ level: "debug", msg: "tried in vain", action: "Create", event_reason: reason });
const outOfReach = (reason: string, message: string) => ({
  level: "warn",
  msg: `failed: ${message}`,
  event_reason: reason,
});
const refusal = (reason: string, message: string) => ({
  level: "warn",
  msg: expect.stringContaining(`refused by the member: ${message}`) as string,
  event_reason: reason,
});

describe("what it comes to when", () => {
  test.each<Answered>([
    {
      name: "the Lease is not held any more",
      error: new NotLeaderError("not held"),
      failure: undefined,
      log: inVain("NotLeader"),
      result: "failed",
      againAt: 100,
    },
    {
      name: "the member asks for patience",
      error: new ApiError(429, "TooManyRequests", "slow down", { retryAfterMs: 3_000 }),
      failure: undefined,
      log: inVain("Throttled"),
      result: "failed",
      againAt: 3_000,
    },
    {
      name: "the member is not reached",
      error: new TransportError("ConnectionRefused", "connection refused"),
      failure: { reason: "ClusterUnreachable", message: "connection refused", final: false },
      log: outOfReach("ConnectionRefused", "connection refused"),
      result: "failed",
      againAt: 100,
      suspicions: 1,
    },
    {
      name: "the member takes the credentials no more",
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      failure: { reason: "CredentialsRejected", message: "the member refused the credentials", final: false },
      log: outOfReach("CredentialsRejected", "the member refused the credentials"),
      result: "failed",
      againAt: 100,
      suspicions: 1,
    },
    {
      name: "no answer comes in time",
      error: new TransportError("Timeout", "no answer within 10 s"),
      failure: { reason: "ClusterUnreachable", message: "no answer within 10 s", final: false },
      log: outOfReach("Timeout", "no answer within 10 s"),
      result: "failed",
      againAt: 100,
      suspicions: 1,
    },
    {
      name: "the namespace goes away meanwhile",
      error: new ApiError(404, "NotFound", 'namespaces "default" not found', { details: { kind: "namespaces" } }),
      failure: { reason: "NamespaceMissing", message: "the namespace went away", final: false },
      log: inVain("NamespaceMissing"),
      result: "failed",
      againAt: 100,
    },
    {
      name: "a field is refused",
      error: new ApiError(422, "Invalid", "wrong", { details: { causes: [{ field: "data.a", message: "too long" }] } }),
      failure: { reason: "Invalid", message: "data.a: too long", final: true, fields: ["data.a"] },
      log: refusal("Invalid", "data.a: too long"),
      result: "refused",
      againAt: 2_000,
    },
    {
      name: "it is refused at length",
      error: new ApiError(403, "Forbidden", LONG),
      failure: {
        reason: "Forbidden",
        message: expect.stringMatching(/^spec is wrong .*…$/) as string,
        final: true,
        detail: LONG.trim(),
      },
      log: refusal("Forbidden", "spec is wrong"),
      result: "refused",
      againAt: 2_000,
    },
    {
      name: "the server fails",
      error: new ApiError(500, "InternalError", "etcd is away"),
      failure: { reason: "ServerError", message: "etcd is away", final: false },
      log: refusal("ServerError", "etcd is away"),
      result: "refused",
      againAt: 100,
    },
    {
      name: "the account that join made has no right",
      error: new ApiError(403, "Forbidden", NO_RIGHT),
      isJoined: true,
      failure: {
        reason: "Forbidden",
        message: "configmaps are not granted: run `meridian join shanghai-1 --renew --member-kubeconfig FILE`",
        final: true,
      },
      log: refusal("Forbidden", "configmaps are not granted"),
      result: "refused",
      againAt: 2_000,
    },
    {
      name: "another account has no right",
      error: new ApiError(403, "Forbidden", NO_RIGHT),
      failure: { reason: "Forbidden", message: `Meridian's account ${RIGHT}`, final: true },
      log: refusal("Forbidden", "Meridian's account cannot create"),
      result: "refused",
      againAt: 2_000,
    },
    {
      name: "the kind is not served",
      error: new ApiError(404, "NotFound", "404 page not found"),
      failure: {
        reason: "KindNotServed",
        message: "the member does not serve ConfigMap of v1 yet; it waits for the definition",
        final: true,
      },
      log: refusal("KindNotServed", "404 page not found"),
      result: "refused",
      againAt: 2_000,
      invalidations: 1,
    },
    {
      name: "Meridian itself is wrong",
      error: new TypeError("a bug"),
      failure: { reason: "InternalError", message: "internal error; see the manager's log", final: true },
      log: { level: "error", msg: "a member object could not be written", event_reason: "InternalError" },
      result: "failed",
      againAt: 2_000,
    },
  ])("$name", async ({ error, isJoined = false, failure, log, result, againAt, suspicions = 0, invalidations = 0 }) => {
    const { take, find, clock, calls, state, lines, spans } = laneOn(() => error);
    state.isJoined = isJoined;
    take(row());
    await clock.advance(0);
    expect(find().failure).toEqual(failure);
    expect(lines).toEqual([expect.objectContaining(log)]);
    expect(spans.map(({ attributes }) => attributes["sync.result"])).toEqual([result]);
    expect([state.suspicions, state.invalidations, find().writing]).toEqual([suspicions, invalidations, false]);
    await clock.advance(againAt - 1);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
  });

  test("the same refusal comes again, it is said once; another one is said", async () => {
    const { take, clock, state, lines, calls } = laneOn(() => new ApiError(422, "Invalid", "wrong"));
    take(row());
    await clock.advance(10_000);
    expect(calls.length).toBeGreaterThan(1);
    expect(lines.map(({ level }) => level)).toEqual(["warn", ...calls.slice(1).map(() => "debug")]);
    lines.length = 0;
    state.answer = () => new ApiError(403, "Forbidden", "no");
    await clock.advance(30_000);
    expect(lines[0]).toMatchObject({ level: "warn", event_reason: "Forbidden" });
  });

  test("an apply has no effect, that is said once", async () => {
    const { objects, take, clock, calls, state, lines, spans } = laneOn(() => ({
      type: CONFIGMAPS,
      object: row().object,
      altered: ["data.key"],
    }));
    state.observe = () => objects.observe(CONFIG_REF, seen({ value: "other" }));
    take(row());
    await clock.advance(10_000);
    expect(calls.length).toBeGreaterThan(1);
    expect(lines.map(({ level, msg, event_reason: reason }) => [level, reason, msg])).toEqual([
      ["warn", "AppliedWithoutEffect", expect.stringMatching(/^applied without effect: .*data\.key$/)],
    ]);
    expect(new Set(spans.map(({ attributes }) => attributes["sync.result"]))).toEqual(new Set(["failed"]));
    expect(spans).toHaveLength(calls.length);
  });

  test("it succeeds after failures, the next failure is the first one", async () => {
    const { objects, take, clock, calls, state } = laneOn(() => new ApiError(500, "InternalError", "etcd is away"));
    take(row());
    await clock.advance(1_000);
    state.answer = () => objects.observe(CONFIG_REF, seen());
    await clock.advance(1_000);
    state.answer = () => new ApiError(500, "InternalError", "etcd is away");
    calls.length = 0;
    take(row({ hash: "h2" }));
    await clock.advance(99);
    expect(calls).toEqual(["update shop"]);
    await clock.advance(1);
    expect(calls).toEqual(["update shop", "update shop"]);
  });
});

describe("how many requests are under way at a time", () => {
  const hang = (): Promise<void> => new Promise(() => undefined);
  const many = ({ take }: LaneParts, name: string, count: number): void => {
    for (let index = 0; index < count; index += 1) take(named(`${name}-${index}`));
  };

  test("is sixteen at first, however large the share", async () => {
    const parts = laneOn(hang);
    many(parts, "config", 20);
    await parts.clock.advance(10);
    expect(parts.calls).toHaveLength(16);
  });

  test("is one more after a row of answers", async () => {
    const parts = laneOn();
    many(parts, "config", 64);
    await parts.clock.advance(0);
    expect(parts.calls).toHaveLength(64);
    parts.state.answer = hang;
    many(parts, "more", 20);
    await parts.clock.advance(0);
    expect(parts.calls).toHaveLength(64 + 17);
  });

  test("is half as many after the member asked for patience", async () => {
    const parts = laneOn(() => new ApiError(429, "TooManyRequests", "slow down", { retryAfterMs: 1_000 }));
    parts.take(named("first"));
    await parts.clock.advance(0);
    parts.state.answer = hang;
    many(parts, "config", 20);
    await parts.clock.advance(1_000);
    expect(parts.calls).toHaveLength(1 + 8);
  });

  test("is said to be slowed down, until some time after the pause", async () => {
    const parts = laneOn(() => new ApiError(429, "TooManyRequests", "slow down", { retryAfterMs: 1_000 }));
    expect(parts.lane.pace).toBeUndefined();
    parts.take(named("first"));
    await parts.clock.advance(0);
    parts.state.answer = () => undefined;
    expect(parts.lane.pace).toMatchObject({ reason: "WritesThrottled" });
    await parts.clock.advance(10_000);
    expect(parts.lane.pace).toBeUndefined();
  });

  test("is none for as long as the most patient answer asks", async () => {
    const { take, clock, calls, state } = laneOn(
      (line) => new ApiError(429, "TooManyRequests", "", { retryAfterMs: line.endsWith("a") ? 5_000 : 1_000 }),
    );
    take(named("a"));
    take(named("b"));
    await clock.advance(10);
    state.answer = () => undefined;
    await clock.advance(4_980);
    expect(calls).toEqual(["create a", "create b"]);
    await clock.advance(20);
    expect(calls).toHaveLength(4);
  });

  test("is measured by how long the answers take", async () => {
    const answer = { type: CONFIGMAPS, object: row().object, altered: [] };
    const parts: LaneParts = laneOn(() => parts.clock.sleep(2_000).then(() => answer));
    parts.take(row());
    await parts.clock.advance(2_000);
    parts.state.answer = () => parts.clock.sleep(3_000).then(() => new ApiError(422, "Invalid", "no"));
    parts.take(named("b"));
    await parts.clock.advance(3_000);
    const page = parsePrometheusText((await parts.metrics.scrape()).body);
    expect(valuesBy(page, "operator_reconcile_duration_seconds_sum", "phase")).toEqual({ apply: 5, verify: 0 });
  });
});

describe("what changes while a write waits its turn", () => {
  test("and needs no write any more is left alone", async () => {
    const { lane, objects, take, find, clock, calls, spans } = laneOn();
    lane.setContact(false);
    take(deleteRow());
    objects.found(find(), undefined);
    expect(find().isAbsent).toBe(true);
    lane.setContact(true);
    await clock.advance(60_000);
    expect([calls, spans, find().isAbsent]).toEqual([[], [], true]);
  });

  test("and may not be removed yet waits on", async () => {
    const { lane, objects, take, clock, calls, state, spans } = laneOn();
    lane.setContact(false);
    objects.observe(CONFIG_REF, seen());
    take(deleteRow());
    state.known = false;
    lane.setContact(true);
    await clock.advance(60_000);
    expect([calls, spans]).toEqual([[], []]);
  });

  test("is taken up with the next session, where there is none", async () => {
    const { lane, objects, take, clock, calls, writer } = laneOn();
    lane.detach();
    objects.observe(CONFIG_REF, seen());
    take(deleteRow());
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    lane.attach(writer);
    await clock.advance(0);
    expect(calls).toEqual(["delete shop member-1"]);
  });
});

test.each([
  { row: deleteRow(), want: ["delete shop member-1", "find shop"] },
  { row: releaseRow(), want: ["release shop member-1", "find shop"] },
])(
  "what no watch shows is gone with the answer to its $row.verb, and looked for once",
  async ({ row: removal, want }) => {
    const { objects, take, find, clock, calls } = laneOn();
    objects.observe(CONFIG_REF, seen({ visible: false }));
    take(removal);
    await clock.advance(60_000);
    expect([calls, find().observed, find().isAbsent]).toEqual([want, undefined, true]);
  },
);
