import { expect, test } from "vitest";
import type { RolloutStatus } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { GateReply } from "../../rollout/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ObjectStates } from "../states/index.ts";
import { ASK_AGAIN_MS, Gates } from "./gates.ts";

const QUERY = "up";
const UNKNOWN: GateReply = { answer: "Unknown", why: "the query gives no sample" };

function run(soakingSince = "2026-01-01T00:00:10Z"): RolloutStatus {
  const startedAt = "2026-01-01T00:00:00Z";
  return {
    state: "Paused",
    revision: 2,
    startedAt,
    since: startedAt,
    stages: [{ name: "canary", state: "Paused", startedAt, soakingSince }],
  };
}

/** Gates with a Prometheus whose answers the test gives. */
function setUp({ hasServer = true }: { hasServer?: boolean } = {}) {
  const clock = new FakeClock();
  const asked: { query: string; signal: AbortSignal; answer: (reply: GateReply | Error) => void }[] = [];
  const ask = (query: string, signal: AbortSignal): Promise<GateReply> =>
    new Promise((resolve, reject) => {
      const answer = (reply: GateReply | Error): void => (reply instanceof Error ? reject(reply) : resolve(reply));
      asked.push({ query, signal, answer });
    });
  const { logger, lines } = logLines();
  const gates = new Gates({ ask: hasServer ? ask : undefined, states: new ObjectStates(), clock, logger });
  const changed: string[] = [];
  gates.changes.subscribe((owner) => changed.push(owner));
  const gated = (owner = "shop", status = run(), query = QUERY) => ({ owner, query, status });
  const answer = async (index: number, reply: GateReply | Error): Promise<void> => {
    asked[index]?.answer(reply);
    await clock.advance(0);
  };
  const replyTo = (...of: Parameters<typeof gated>) => gates.replies(gated(...of)).get("canary");
  return { clock, asked, gates, changed, gated, answer, replyTo, lines };
}

test("a query is asked once, however often the object is planned, and its answer wakes the object", async () => {
  const { gates, asked, gated, answer, replyTo, changed, clock } = setUp();
  for (let times = 0; times < 3; times++) gates.ask(gated(), ["canary"]);
  expect(asked.map(({ query }) => query)).toEqual([QUERY]);
  await answer(0, { answer: "Passed" });
  expect(replyTo()).toEqual({ answer: "Passed" });
  expect(changed).toEqual(["shop"]);
  // The stage now waits for an approval, and its answer stays.
  gates.ask(gated(), []);
  expect(replyTo()).toEqual({ answer: "Passed" });
  await clock.advance(10 * ASK_AGAIN_MS);
  expect(asked).toHaveLength(1);
});

test("an answer that says nothing, or none, is asked for again, and wakes the object only when it is another one", async () => {
  const { gates, asked, gated, answer, replyTo, changed, clock } = setUp();
  gates.ask(gated(), ["canary"]);
  await answer(0, UNKNOWN);
  gates.ask(gated(), ["canary"]);
  await clock.advance(ASK_AGAIN_MS - 1);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  await answer(1, UNKNOWN);
  expect(changed).toEqual(["shop"]);
  await clock.advance(ASK_AGAIN_MS);
  await answer(2, new Error("the connection was closed"));
  expect(replyTo()).toMatchObject({ answer: "Unknown" });
  expect(changed).toEqual(["shop", "shop"]);
  await clock.advance(ASK_AGAIN_MS);
  await answer(3, { answer: "Failed" });
  expect(replyTo()).toEqual({ answer: "Failed" });
  expect(changed).toEqual(["shop", "shop", "shop"]);
});

test("a stage that soaks anew, and a query that was changed, are asked anew", async () => {
  const { gates, asked, gated, answer, replyTo } = setUp();
  gates.ask(gated(), ["canary"]);
  await answer(0, { answer: "Failed" });
  const later = run("2026-01-01T00:09:00Z");
  expect(replyTo("shop", later)).toBeUndefined();
  gates.ask(gated("shop", later), ["canary"]);
  expect(asked).toHaveLength(2);
  gates.ask(gated("shop", later, "up > 1"), ["canary"]);
  await answer(1, { answer: "Passed" });
  expect(replyTo("shop", later, "up > 1")).toBeUndefined();
  expect(asked.map(({ query }) => query)).toEqual([QUERY, QUERY, "up > 1"]);
});

test("an object that is forgotten is not asked for any more, and what comes late goes nowhere", async () => {
  const { gates, asked, gated, answer, replyTo, changed, clock } = setUp();
  gates.ask(gated(), ["canary"]);
  gates.forget("shop");
  await answer(0, { answer: "Passed" });
  expect(replyTo()).toBeUndefined();
  gates.ask(gated(), ["canary"]);
  await answer(1, UNKNOWN);
  gates.forget("shop");
  await clock.advance(2 * ASK_AGAIN_MS);
  expect(asked).toHaveLength(2);
  expect(changed).toEqual(["shop"]);
});

test("of a thousand objects that wait for one query, those who wait for their turn share one answer; four are under way at most", async () => {
  const { gates, asked, gated, answer, replyTo } = setUp();
  for (let one = 0; one < 4; one++) gates.ask(gated(`other-${one}`, run(), `up == ${one}`), ["canary"]);
  for (let one = 0; one < 1_000; one++) gates.ask(gated(`shop-${one}`), ["canary"]);
  expect(asked).toHaveLength(4);
  await answer(0, { answer: "Passed" });
  expect(asked.map(({ query }) => query).slice(4)).toEqual([QUERY]);
  await answer(4, { answer: "Passed" });
  expect(replyTo("shop-999")).toEqual({ answer: "Passed" });
  expect(asked).toHaveLength(5);
});

test("without a Prometheus nobody is asked, and the answer says what is missing", async () => {
  const { gates, gated, replyTo, changed, clock } = setUp({ hasServer: false });
  gates.ask(gated(), ["canary"]);
  expect(replyTo()).toEqual({ answer: "Unknown", why: "the manager was started without --prometheus-url" });
  await clock.advance(10 * ASK_AGAIN_MS);
  expect(changed).toEqual(["shop"]);
});

test("the end breaks off what is under way", async () => {
  const { gates, asked, gated, answer, changed, lines, clock } = setUp();
  gates.ask(gated("other", run(), "up > 1"), ["canary"]);
  await answer(0, UNKNOWN);
  gates.ask(gated(), ["canary"]);
  gates[Symbol.dispose]();
  expect(asked[1]?.signal.aborted).toBe(true);
  expect(asked[1]?.signal.reason).toMatchObject({ message: "the rollouts end" });
  await answer(1, new Error("it was broken off"));
  gates.ask(gated("late"), ["canary"]);
  await clock.advance(2 * ASK_AGAIN_MS);
  expect([changed, lines, asked.length]).toEqual([["other"], [], 2]);
});

test("a server that does not answer is named in the log, and the reply says where to look", async () => {
  const { gates, gated, answer, replyTo, lines } = setUp();
  gates.ask(gated(), ["canary"]);
  await answer(0, new Error("the connection was closed"));
  expect(replyTo()).toEqual({ answer: "Unknown", why: "Prometheus does not answer; see the manager's log" });
  expect(lines).toMatchObject([
    {
      level: "warn",
      msg: "the query of a rollout's gate has no answer",
      error: { message: "the connection was closed" },
    },
  ]);
});

test("each stage has its own answer, and stages that have none are not in the replies", async () => {
  const { gates, gated, answer, asked } = setUp();
  const startedAt = "2026-01-01T00:00:00Z";
  const stage = (name: string) => ({ name, state: "Paused" as const, startedAt });
  const status: RolloutStatus = { ...run(), stages: [stage("canary"), stage("half"), stage("rest")] };
  gates.ask(gated("shop", status), ["canary"]);
  await answer(0, { answer: "Passed" });
  gates.ask(gated("shop", status), ["half"]);
  await answer(1, { answer: "Failed" });
  expect(gates.replies(gated("shop", status))).toEqual(
    new Map([
      ["canary", { answer: "Passed" }],
      ["half", { answer: "Failed" }],
    ]),
  );
  expect(asked).toHaveLength(2);
  const anew = { ...status, stages: [{ ...stage("canary"), startedAt: "2026-01-01T00:05:00Z" }, stage("half")] };
  expect([...gates.replies(gated("shop", anew)).keys()]).toEqual(["half"]);
  for (const other of [{ revision: 3 }, { startedAt: "2026-01-01T00:05:00Z" }])
    expect(gates.replies(gated("shop", { ...status, ...other }))).toEqual(new Map());
});

test("a question that nobody asks any more is neither asked nor answered, whether it waits or is under way", async () => {
  const { gates, asked, gated, answer, replyTo, changed, clock } = setUp();
  for (let one = 0; one < 4; one++) gates.ask(gated(`other-${one}`, run(), `up == ${one}`), ["canary"]);
  gates.ask(gated("shop"), ["canary"]);
  gates.ask(gated("cart"), ["canary"]);
  gates.ask(gated("cart"), []);
  gates.ask(gated("late", run(), "late"), ["canary"]);
  gates.forget("late");
  gates.ask(gated("other-1", run(), "up == 1"), []);
  await answer(0, { answer: "Passed" });
  await answer(1, { answer: "Passed" });
  expect(asked.slice(4).map(({ query }) => query)).toEqual([QUERY]);
  await answer(4, { answer: "Passed" });
  expect([replyTo("shop"), replyTo("cart"), replyTo("other-1", run(), "up == 1")]).toEqual([
    { answer: "Passed" },
    undefined,
    undefined,
  ]);
  expect(changed).toEqual(["other-0", "shop"]);
  await clock.advance(ASK_AGAIN_MS);
  expect(asked).toHaveLength(5);
});

test("who asks while a query is under way is not given its answer: it would be of a time before", async () => {
  const { gates, asked, gated, answer, replyTo } = setUp();
  gates.ask(gated("shop"), ["canary"]);
  gates.ask(gated("cart"), ["canary"]);
  expect(asked.map(({ query }) => query)).toEqual([QUERY, QUERY]);
  await answer(0, { answer: "Passed" });
  expect([replyTo("shop"), replyTo("cart")]).toEqual([{ answer: "Passed" }, undefined]);
});

test("an answer that says nothing is not kept for a stage that is over", async () => {
  const { gates, gated, answer, replyTo, asked, clock } = setUp();
  gates.ask(gated(), ["canary"]);
  await answer(0, UNKNOWN);
  gates.ask(gated(), []);
  expect(replyTo()).toBeUndefined();
  await clock.advance(2 * ASK_AGAIN_MS);
  expect(asked).toHaveLength(1);
});
