import { expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type ListOptions, NODES, type ObjectList, type ResourceType } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { RoomReading } from "../../scheduler/index.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { capacityNow, CapacityReader } from "./capacityReader.ts";
import { seen } from "../testing/builders.ts";
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

/** A member of which nodes and pods come one a page. */
function member(namespaces?: readonly string[]) {
  const clock = new FakeClock(0);
  const state = {
    nodes: [node("a"), node("b")],
    pods: [pod("a", "500m"), pod("b", "1")],
    refusal: undefined as Error | undefined,
    slowMs: 0,
  };
  const lists: { at: number; plural: string; options: ListOptions }[] = [];
  const list = async ({ plural }: ResourceType, options: ListOptions): Promise<ObjectList> => {
    lists.push({ at: clock.monotonic(), plural, options });
    if (state.slowMs > 0) await clock.sleep(state.slowMs);
    if (state.refusal !== undefined) throw state.refusal;
    const items = plural === NODES.plural ? state.nodes : state.pods;
    const page = Number(options.continue ?? 0);
    const more = page + 1 < items.length ? { continue: String(page + 1) } : {};
    return { items: items.slice(page, page + 1), resourceVersion: "1", ...more };
  };
  const end = new AbortController();
  const session = { cluster: "shanghai", client: { list }, namespaces, signal: end.signal } as unknown as MemberSession;
  const found: RoomReading[] = [];
  const { logger, lines } = logLines();
  const reader = new CapacityReader({ session, clock, logger, found: (reading) => void found.push(reading) });
  /** When a reading began, in seconds. */
  const readings = (): number[] =>
    lists
      .filter(({ plural, options }) => plural === NODES.plural && options.continue === undefined)
      .map(({ at }) => at / 1000);
  return { clock, state, lists, session, found, reader, readings, end, lines };
}

const workload = (hash: string): MemberObject => {
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
  const counts = { desired: 1, updated: 1, ready: 1, available: 1 };
  return {
    key: "shop",
    ref,
    observed: seen({ ref, hash, health: { state: "Available", replicas: counts } }),
  } as MemberObject;
};

test("nothing is read before somebody asks, and once a minute while somebody does", async () => {
  const { clock, reader, readings, found, lists } = member();
  await clock.advance(120_000);
  expect(lists).toEqual([]);
  reader.want(true);
  await clock.advance(125_000);
  expect(readings()).toEqual([120, 180, 240]);
  // Nothing has changed: the same value each time.
  expect(found).toHaveLength(3);
  expect(new Set(found).size).toBe(1);
  expect(found[0]).toMatchObject({ room: { groups: [{ nodes: [{ free: { cpu: 1500 } }, { free: { cpu: 1000 } }] }] } });
  reader.want(false);
  await clock.advance(300_000);
  expect(readings()).toHaveLength(3);
});

test("nodes and pods come page by page, and finished pods not at all", async () => {
  const { clock, reader, lists } = member();
  reader.want(true);
  await clock.advance(0);
  expect(
    lists.map(({ plural, options }) => `${plural} ${options.continue ?? ""} ${options.fieldSelector ?? ""}`),
  ).toEqual([
    "nodes  ",
    "nodes 1 ",
    "pods  status.phase!=Succeeded,status.phase!=Failed",
    "pods 1 status.phase!=Succeeded,status.phase!=Failed",
  ]);
});

test("a workload that Meridian has changed is a reason to read soon, and ten changes are no more than one", async () => {
  const { clock, reader, readings } = member();
  reader.want(true);
  await clock.advance(20_000);
  for (let i = 0; i < 10; i += 1) reader.consider(workload(`h${i}`));
  await clock.advance(20_000);
  expect(readings()).toEqual([0, 25]);
  // What is only observed anew is none.
  reader.consider(workload("h9"));
  await clock.advance(20_000);
  expect(readings()).toEqual([0, 25]);
});

test("a member that answers slowly is read less often", async () => {
  const { clock, reader, readings, state } = member();
  state.slowMs = 5_000;
  reader.want(true);
  await clock.advance(450_000);
  expect(readings()).toEqual([0, 420]);
});

test("a right that is missing is named with the command that grants it, and asked for seldom", async () => {
  const { clock, reader, readings, state, found } = member();
  state.refusal = new ApiError(403, "Forbidden", "no");
  reader.want(true);
  await clock.advance(599_000);
  expect(readings()).toEqual([0]);
  expect(found).toEqual([
    {
      reason: "RoomUnknown",
      message: "Meridian's account may not list the nodes and pods of the cluster",
      remedy: "let it list nodes and pods: run `meridian join shanghai --renew --member-kubeconfig FILE`",
    },
  ]);
});

test("what was read stands for some minutes though it cannot be read any more", async () => {
  const { clock, reader, state, found } = member();
  reader.want(true);
  await clock.advance(1_000);
  state.refusal = new ApiError(500, "InternalError", "etcd is away");
  await clock.advance(290_000);
  expect(found).toHaveLength(1);
  await clock.advance(120_000);
  expect(found.at(-1)).toMatchObject({
    reason: "RoomUnknown",
    message: "its nodes and pods could not be read: etcd is away",
  });
});

test("an account of some namespaces is not tried", async () => {
  const { session, lists, clock, reader, found } = member(["shop"]);
  const want = {
    reason: "RoomUnknown",
    message: "the cluster was joined for some namespaces only, and shows no nodes",
    remedy:
      "join it for all of its namespaces: run `meridian join shanghai --renew --namespaces '*' --member-kubeconfig FILE`",
  };
  expect(await capacityNow(session)).toEqual(want);
  reader.want(true);
  await clock.advance(0);
  expect([found, lists]).toEqual([[want], []]);
});

test("pages are asked for with a bound, and the empty page token ends the list", async () => {
  const { session, lists, end } = member();
  await capacityNow(session);
  expect(lists.map(({ options }) => [options.limit, options.signal === end.signal])).toEqual(
    lists.map(() => [500, true]),
  );
  expect("continue" in (lists[0]?.options ?? {})).toBe(false);
  const asked: string[] = [];
  const list = async ({ plural }: ResourceType): Promise<ObjectList> => {
    asked.push(plural);
    return { items: [], resourceVersion: "1", continue: "" };
  };
  expect(await capacityNow({ ...session, client: { list } } as unknown as MemberSession)).toHaveProperty("room");
  expect(asked).toEqual(["nodes", "pods"]);
});

test.each([
  { what: "the server's words", refusal: new ApiError(500, "InternalError", "etcd is away"), said: "etcd is away" },
  { what: "what went wrong", refusal: new Error("no route"), said: "no route" },
])("a command that asks once hears $what", async ({ refusal, said }) => {
  const { session, state } = member();
  state.refusal = refusal;
  expect(await capacityNow(session)).toEqual({
    reason: "RoomUnknown",
    message: `its nodes and pods could not be read: ${said}`,
  });
});

test("a command that is broken off hears nothing", async () => {
  const { session, state, end } = member();
  state.refusal = new Error("no route");
  end.abort(new Error("enough"));
  await expect(capacityNow(session)).rejects.toThrow("enough");
});

test("readings are ten seconds apart at least, whatever changes", async () => {
  const { clock, reader, readings } = member();
  reader.want(true);
  await clock.advance(1_000);
  reader.consider(workload("h1"));
  await clock.advance(8_999);
  expect(readings()).toEqual([0]);
  await clock.advance(1);
  expect(readings()).toEqual([0, 10]);
});

test("a change while the room is being read waits for the next minute", async () => {
  const { clock, reader, readings, state } = member();
  state.slowMs = 100;
  reader.want(true);
  await clock.advance(100);
  reader.consider(workload("h1"));
  await clock.advance(30_000);
  expect(readings()).toEqual([0]);
  await clock.advance(31_000);
  expect(readings()).toHaveLength(2);
});

test("a workload that is gone is a reason to read soon, once", async () => {
  const { clock, reader, readings } = member();
  reader.want(true);
  reader.consider(workload("h1"));
  await clock.advance(20_000);
  const gone = { ...workload("h1"), observed: undefined };
  reader.consider(gone);
  await clock.advance(20_000);
  reader.consider(gone);
  await clock.advance(15_000);
  expect(readings()).toEqual([0, 25]);
});

test("what has no replicas takes up no room", async () => {
  const { clock, reader, readings } = member();
  reader.want(true);
  await clock.advance(20_000);
  reader.consider({ ...workload("h1"), observed: seen({ health: { state: "Available" } }) });
  await clock.advance(30_000);
  expect(readings()).toEqual([0]);
});

test("what changes while nobody asks is no reason to read", async () => {
  const { clock, reader, readings } = member();
  reader.consider(workload("h1"));
  await clock.advance(20_000);
  expect(readings()).toEqual([]);
  reader.want(true);
  await clock.advance(0);
  reader.want(false);
  reader.consider(workload("h2"));
  await clock.advance(120_000);
  expect(readings()).toEqual([20]);
});

test("who asks twice is answered once; who asks anew, anew", async () => {
  const { clock, reader, readings, found } = member();
  reader.want(true);
  reader.want(true);
  await clock.advance(20_000);
  expect(readings()).toEqual([0]);
  reader.want(false);
  reader.want(true);
  await clock.advance(0);
  expect(readings()).toEqual([0, 20]);
  expect([found[0] === found[1], found[0]]).toEqual([false, found[1]]);
  expect(clock.pending).toBe(1);
});

test("an answer that nobody asks for any more is not passed on", async () => {
  const { clock, reader, state, found, readings } = member();
  state.slowMs = 1_000;
  reader.want(true);
  await clock.advance(500);
  reader.want(false);
  reader.want(true);
  await clock.advance(100);
  expect(readings()).toEqual([0]);
  reader.want(false);
  await clock.advance(600_000);
  expect([found, readings(), clock.pending]).toEqual([[], [0], 0]);
});

test("the end of the session ends it, also while it reads", async () => {
  const { clock, reader, state, found, readings, end, lines } = member();
  state.slowMs = 1_000;
  reader.want(true);
  await clock.advance(500);
  end.abort(new Error("over"));
  state.refusal = new Error("closed");
  await clock.advance(600_000);
  expect([found, readings(), clock.pending, lines]).toEqual([[], [0], 0, []]);
});

test("what was read counts for five minutes to the second, and the failure is logged each time", async () => {
  const { clock, reader, state, found, lines } = member();
  reader.want(true);
  await clock.advance(0);
  state.refusal = new Error("no route");
  await clock.advance(300_000);
  expect([found.length, lines.length]).toEqual([1, 5]);
  expect(lines[0]).toMatchObject({ level: "debug", cluster: "shanghai" });
  await clock.advance(60_000);
  expect(found.slice(1)).toEqual([
    { reason: "RoomUnknown", message: "its nodes and pods could not be read: no route" },
  ]);
});
