import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type ListOptions, NODES } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { CapacityReading } from "../../scheduler/index.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { CapacityReader, capacityNow } from "./capacityReader.ts";
import { changeFeed, memberObject, seen } from "../testing/builders.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";

const node = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { allocatable: { cpu: "2", pods: "10" } },
});
const pod = (nodeName: string, cpu: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { nodeName, containers: [{ resources: { requests: { cpu } } }] },
});
const unknown = (message: string) => ({ reason: "RoomUnknown", message });

/** A member whose nodes and pods come one a page. `readings`: seconds at which a reading began. */
function member(namespaces?: readonly string[]) {
  const clock = new FakeClock(0);
  const state = { refusal: undefined as Error | undefined, slowMs: 0 };
  const nodes = [node("a"), node("b")];
  const pods = [pod("a", "500m"), pod("b", "1")];
  const lists: { at: number; what: string; options: ListOptions }[] = [];
  const client = new ScriptedClient(async ({ what, options }) => {
    lists.push({ at: clock.monotonic(), what, options });
    if (state.slowMs > 0) await clock.sleep(state.slowMs);
    if (state.refusal !== undefined) throw state.refusal;
    const items = what === NODES.plural ? nodes : pods;
    const page = Number(options["continue"] ?? 0);
    const next = page + 1 < items.length ? { continue: String(page + 1) } : {};
    return { items: items.slice(page, page + 1), resourceVersion: "1", ...next };
  });
  const end = new AbortController();
  const session = { cluster: "shanghai", client, namespaces, signal: end.signal } as unknown as MemberSession;
  const found: CapacityReading[] = [];
  const { logger, lines } = logLines();
  const feed = changeFeed();
  const reader = new CapacityReader({
    ...{ session, clock, logger, found: (reading) => void found.push(reading) },
    objects: feed,
  });
  const readings = (): number[] =>
    lists.flatMap(({ at, what, options }) =>
      what === NODES.plural && options.continue === undefined ? [at / 1000] : [],
    );
  return { clock, state, client, lists, session, found, reader, feed, readings, end, lines };
}

/** A reader that was turned on, 20 seconds later. */
async function measuring() {
  const parts = member();
  parts.reader.want(true);
  await parts.clock.advance(20_000);
  expect(parts.readings()).toEqual([0]);
  return parts;
}

const workload = (hash: string): MemberObject => {
  const replicas = { desired: 1, updated: 1, ready: 1, available: 1 };
  return memberObject({ observed: seen({ hash, health: { state: "Available", replicas } }) });
};

test("capacity is read once a minute while it is wanted, and an unchanged reading is the identical value", async () => {
  const { clock, reader, readings, found, lists } = member();
  await clock.advance(120_000);
  expect(lists).toEqual([]);
  reader.want(true);
  reader.want(true);
  await clock.advance(125_000);
  expect([readings(), found.length, new Set(found).size]).toEqual([[120, 180, 240], 3, 1]);
  const nodes = [{ free: { cpu: 1500 } }, { free: { cpu: 1000 } }];
  expect(found[0]).toMatchObject({ room: { groups: [{ nodes }] } });
  reader.want(false);
  await clock.advance(300_000);
  expect([readings().length, clock.pending]).toEqual([3, 0]);
  reader.want(true);
  await clock.advance(0);
  expect([found[3] === found[0], found[3]]).toEqual([false, found[0]]);
});

test("nodes and pods are listed page by page, without finished pods", async () => {
  const { session, client, lists, end } = member();
  await capacityNow(session);
  const running = "status.phase!=Succeeded,status.phase!=Failed";
  expect(lists.map(({ what, options }) => [what, options.continue, options.fieldSelector, options.limit])).toEqual([
    ["nodes", undefined, undefined, 500],
    ["nodes", "1", undefined, 500],
    ["pods", undefined, running, 500],
    ["pods", "1", running, 500],
  ]);
  expect(new Set(client.signals)).toEqual(new Set([end.signal]));
  const empty = new ScriptedClient(() => ({ items: [], resourceVersion: "1", continue: "" }));
  expect(await capacityNow({ ...session, client: empty.client })).toHaveProperty("room");
  expect(empty.lines).toEqual(["list nodes", "list pods"]);
});

describe("a workload that Meridian has changed", () => {
  test("causes one reading soon, and observations without a change none", async () => {
    const { clock, feed, readings } = await measuring();
    for (let i = 0; i < 10; i += 1) feed.change(workload(`h${i}`));
    await clock.advance(20_000);
    feed.change(workload("h9"));
    await clock.advance(20_000);
    expect(readings()).toEqual([0, 25]);
  });

  test("causes a reading at least ten seconds after the last one, or in the next minute if it is being read", async () => {
    const soon = member();
    soon.reader.want(true);
    await soon.clock.advance(1_000);
    soon.feed.change(workload("h1"));
    await soon.clock.advance(8_999);
    expect(soon.readings()).toEqual([0]);
    await soon.clock.advance(1);
    expect(soon.readings()).toEqual([0, 10]);
    const during = member();
    during.state.slowMs = 100;
    during.reader.want(true);
    await during.clock.advance(100);
    during.feed.change(workload("h1"));
    await during.clock.advance(30_000);
    expect(during.readings()).toEqual([0]);
    await during.clock.advance(31_000);
    expect(during.readings()).toHaveLength(2);
  });

  test("causes a reading when it is gone, once", async () => {
    const { clock, reader, feed, readings } = member();
    reader.want(true);
    feed.change(workload("h1"));
    await clock.advance(20_000);
    for (const ms of [20_000, 15_000]) {
      feed.change(memberObject());
      await clock.advance(ms);
    }
    expect(readings()).toEqual([0, 25]);
  });

  test("causes none without replicas, or while capacity is not wanted", async () => {
    const { clock, reader, feed, readings } = await measuring();
    feed.change(memberObject({ observed: seen() }));
    await clock.advance(30_000);
    reader.want(false);
    feed.change(workload("h2"));
    await clock.advance(120_000);
    expect(readings()).toEqual([0]);
  });
});

test("a slow member is read less often", async () => {
  const { clock, reader, readings, state } = member();
  state.slowMs = 5_000;
  reader.want(true);
  await clock.advance(450_000);
  expect(readings()).toEqual([0, 420]);
});

describe("a reading that fails", () => {
  test("for a missing permission has the command that grants it, and is repeated after ten minutes", async () => {
    const { clock, reader, readings, state, found } = member();
    state.refusal = new ApiError(403, "Forbidden", "no");
    reader.want(true);
    await clock.advance(599_000);
    expect(readings()).toEqual([0]);
    const remedy = "let it list nodes and pods: run `meridian join shanghai --renew --member-kubeconfig FILE`";
    expect(found).toEqual([
      { ...unknown("Meridian's account may not list the nodes and pods of the cluster"), remedy },
    ]);
  });

  test("leaves the last reading valid for five minutes, with a log line each time", async () => {
    const { clock, reader, state, found, lines } = member();
    reader.want(true);
    await clock.advance(0);
    state.refusal = new Error("no route");
    await clock.advance(300_000);
    expect([found.length, lines.length]).toEqual([1, 5]);
    expect(lines[0]).toMatchObject({ level: "debug", cluster: "shanghai" });
    await clock.advance(60_000);
    expect(found.slice(1)).toEqual([unknown("its nodes and pods could not be read: no route")]);
  });

  test.each([
    [new ApiError(500, "InternalError", "etcd is away"), "etcd is away"],
    [new Error("no route"), "no route"],
  ])("is a result for a command that reads once, unless it was aborted: %s", async (refusal, message) => {
    const { session, state, end } = member();
    state.refusal = refusal;
    expect(await capacityNow(session)).toEqual(unknown(`its nodes and pods could not be read: ${message}`));
    end.abort(new Error("enough"));
    await expect(capacityNow(session)).rejects.toThrow("enough");
  });

  test("is not tried with an account of some namespaces", async () => {
    const { session, lists, clock, reader, found } = member(["shop"]);
    const command = "run `meridian join shanghai --renew --namespaces '*' --member-kubeconfig FILE`";
    const want = {
      ...unknown("the cluster was joined for some namespaces only, and shows no nodes"),
      remedy: `join it for all of its namespaces: ${command}`,
    };
    expect(await capacityNow(session)).toEqual(want);
    reader.want(true);
    await clock.advance(0);
    expect([found, lists]).toEqual([[want], []]);
  });
});

test.each([false, true])("a running reading is not reported once it is unwanted; session over: %s", async (isOver) => {
  const { clock, reader, feed, state, found, readings, end, lines } = member();
  state.slowMs = 1_000;
  reader.want(true);
  await clock.advance(500);
  reader.want(false);
  reader.want(true);
  await clock.advance(100);
  if (isOver) end.abort(new Error("over"));
  else reader.want(false);
  if (isOver) state.refusal = new Error("closed");
  await clock.advance(600_000);
  expect(feed.state.subscribed).toBe(isOver ? 0 : 1);
  expect([found, readings(), clock.pending, lines]).toEqual([[], [0], 0, []]);
});
