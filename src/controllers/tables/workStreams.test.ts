import { describe, expect, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import { PROTOCOL_VERSION, type WorkDelta, type WorkMessage, type WorkProgress } from "../../ports/index.ts";
import { CONFIGMAPS, Emitter, SECRETS } from "../../runtime/index.ts";
import { absent, applyRow, CLUSTER, CONFIG_REF, SHOP, workTables } from "../testing/builders.ts";
import { ProtocolVersionError } from "./workStreams.ts";

const SHOP_KEY = refKey(SHOP);
const WIDGET: ObjectRef = { apiVersion: "shop.example/v1", kind: "Widget", namespace: "default", name: "shop" };
const origin = (reconcileId: string) => ({
  spanContext: { traceId: "t", spanId: "s", traceFlags: 1 },
  reconcileId,
  at: 0,
});
const rows = (...more: object[]) => ({ kind: "Rows", rows: more });

function tables(more: Parameters<typeof workTables>[0] = {}) {
  const stages = new Emitter<void>();
  const progress = { hasBegun: true, isComplete: true, stages };
  const all = workTables({ progress, ...more });
  const reach = (stage: "hasBegun" | "isComplete"): void => {
    progress[stage] = true;
    stages.emit();
  };
  /** The stream of a worker; each call of `next` returns the next delta. */
  const worker = (since?: WorkProgress, version = PROTOCOL_VERSION) => {
    const stop = new AbortController();
    const messages = all.streams.assignment(CLUSTER, { version, since }, stop.signal);
    const stream = messages[Symbol.asyncIterator]();
    const numbers: number[] = [];
    const next = async (): Promise<WorkDelta | undefined> => {
      const message = ((await stream.next()).value as WorkMessage | null) ?? undefined;
      if (message === undefined) return undefined;
      const { seq, ...delta } = message;
      numbers.push(seq);
      return delta;
    };
    /** The deltas up to the end marker, or to the first of another kind. */
    const begin = async (last = "End") => {
      const deltas: (WorkDelta | undefined)[] = [];
      do deltas.push(await next());
      while (deltas.at(-1)?.kind !== last);
      return deltas;
    };
    return { next, begin, numbers, stop: () => stop.abort() };
  };
  return { ...all, progress, reach, worker };
}

describe("the stream of a worker", () => {
  const kinds = (others: readonly GroupKind[], watched = [CONFIGMAPS]) => ({ kind: "Kinds", kinds: watched, others });
  const RECORDED = { group: "networking.k8s.io", kind: "Ingress" };
  const WIDGETS = { group: "shop.example", kind: "Widget" };

  test("begins with the expected owners, the kinds, and the effective rows", async () => {
    const { assignments, worker } = tables({ expected: () => [SHOP_KEY], recordedKinds: () => [RECORDED] });
    assignments.replace(SHOP_KEY, [applyRow({ ref: WIDGET }), applyRow()], {
      origin: origin("first"),
      isBacklog: true,
    });
    assignments.replace(SHOP_KEY, [applyRow({ ref: WIDGET })]);
    expect(await worker().begin()).toEqual([
      { kind: "Start", epoch: 1 },
      { kind: "Expected", owners: [SHOP_KEY] },
      kinds([RECORDED, WIDGETS]),
      { kind: "Capacity", wanted: false },
      rows({ ref: WIDGET, row: applyRow({ ref: WIDGET }), revision: 1, origin: origin("first"), backlog: true }),
      { kind: "End", ...assignments.summaryOf(CLUSTER) },
    ]);
  });

  test("sends each change, the last of several for one member object, until it is stopped", async () => {
    const { assignments, worker, state, kindChanges } = tables();
    const { begin, next, stop } = worker();
    await begin();
    const change = next();
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h2" })]);
    assignments.replace(SHOP_KEY, [applyRow({ hash: "h3" })]);
    expect(await change).toMatchObject(rows({ row: { hash: "h3" } }));
    assignments.replace(SHOP_KEY, []);
    expect(await next()).toMatchObject(rows({ row: undefined }));
    state.kinds = [CONFIGMAPS, SECRETS];
    kindChanges.emit();
    expect(await next()).toEqual(kinds([], [CONFIGMAPS, SECRETS]));
    stop();
    expect(await next()).toBeUndefined();
  });

  test("follows the kinds, which outlive the planner, no longer than it lasts", async () => {
    let followers = 0;
    const onChange = (): Disposable => {
      followers += 1;
      return { [Symbol.dispose]: () => void (followers -= 1) };
    };
    const { worker } = tables({ kinds: { memberKinds: () => [CONFIGMAPS], onChange } });
    expect(followers).toBe(0);
    const { begin, next, stop } = worker();
    await begin();
    expect(followers).toBe(1);
    stop();
    await next();
    expect(followers).toBe(0);
  });

  test("sends a kind with its first row, and no longer after its last row", async () => {
    const { assignments, observations, worker } = tables();
    const { begin, next } = worker();
    await begin();
    const later = next();
    assignments.replace(SHOP_KEY, [applyRow({ ref: WIDGET })]);
    expect([await later, await next()]).toEqual([
      kinds([WIDGETS]),
      rows({ ref: WIDGET, row: applyRow({ ref: WIDGET }), revision: 1, origin: undefined }),
    ]);
    assignments.replace(SHOP_KEY, []);
    expect(await next()).toMatchObject(rows({ ref: WIDGET, row: undefined, revision: 2 }));
    const last = next();
    observations.report(CLUSTER, [absent({ ref: WIDGET, revision: 2 })]);
    expect(await last).toEqual(kinds([]));
  });

  test("says when the room of the cluster is to be measured, and when no longer", async () => {
    const { capacities, state, worker } = tables();
    const { begin, next } = worker();
    await begin();
    const begins = next();
    state.measured.add(CLUSTER);
    capacities.wanted.emit("elsewhere");
    capacities.wanted.emit(CLUSTER);
    expect(await begins).toEqual({ kind: "Capacity", wanted: true });
    const ends = next();
    state.measured.clear();
    capacities.wanted.emit(CLUSTER);
    expect(await ends).toEqual({ kind: "Capacity", wanted: false });
  });
});

describe("the stage of planning", () => {
  test("keeps the set back until the hub's caches have synced, and its end until all is planned", async () => {
    const { assignments, progress, reach, worker } = tables();
    Object.assign(progress, { hasBegun: false, isComplete: false });
    const { next, begin, numbers } = worker();
    expect(await next()).toEqual({ kind: "NotSynced" });
    const started = next();
    reach("hasBegun");
    expect(await started).toEqual({ kind: "Start", epoch: 1 });
    await begin("Capacity");
    const early = next();
    assignments.replace(SHOP_KEY, [applyRow()]);
    expect(await early).toMatchObject(rows({ row: { hash: "h1" } }));
    const ended = next();
    reach("isComplete");
    expect(await ended).toEqual({ kind: "End", ...assignments.summaryOf(CLUSTER) });
    const later = next();
    reach("isComplete");
    assignments.replace(SHOP_KEY, []);
    expect(await later).toMatchObject(rows({ row: undefined }));
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  test("decides what a sign of life says", async () => {
    const { assignments, clock, progress, reach, worker } = tables({ heartbeatMs: 1_000 });
    progress.isComplete = false;
    const { next, begin, stop } = worker();
    await begin("Capacity");
    const early = next();
    await clock.advance(1_000);
    expect(await early).toEqual({ kind: "Heartbeat" });
    const ended = next();
    reach("isComplete");
    const summary = assignments.summaryOf(CLUSTER);
    expect(await ended).toEqual({ kind: "End", ...summary });
    const late = next();
    await clock.advance(1_000);
    expect(await late).toEqual({ kind: "Heartbeat", ...summary });
    stop();
    expect([await next(), clock.pending]).toEqual([undefined, 0]);
  });
});

test("a worker in this process gets no signs of life", async () => {
  const { clock, worker } = tables();
  await worker().begin();
  expect(clock.timersSet).toBe(0);
});

test("a worker with another version of the protocol is refused", async () => {
  const { worker } = tables();
  await expect(worker(undefined, PROTOCOL_VERSION + 1).next()).rejects.toThrow(ProtocolVersionError);
});

test.each([
  { since: { epoch: 1, revision: 2 }, after: 2, want: "other gone" },
  { since: { epoch: 0, revision: 2 }, after: undefined, want: "shop" },
  { since: { epoch: 1, revision: 4 }, after: undefined, want: "shop" },
])("a worker that has the work of $since is sent $want", async ({ since, after, want }) => {
  const { assignments, worker } = tables();
  assignments.replace(SHOP_KEY, [applyRow()]);
  assignments.replace(SHOP_KEY, [applyRow(), applyRow({ ref: { ...CONFIG_REF, name: "other" } })]);
  assignments.replace(SHOP_KEY, [applyRow()]);
  const deltas = await worker(since).begin();
  const sent = deltas.flatMap((delta) => (delta?.kind === "Rows" ? delta.rows : []));
  const names = sent.map(({ ref, row }) => (row === undefined ? `${ref.name} gone` : ref.name));
  expect(names).toEqual([want]);
  expect(deltas[0]).toEqual({ kind: "Start", epoch: 1, since: after });
});

test("a large set is sent in several messages, of which each but the last says that more follow", async () => {
  const { assignments, worker } = tables();
  const many = Array.from({ length: 1_001 }, (_, index) => applyRow({ ref: { ...CONFIG_REF, name: `c${index}` } }));
  assignments.replace(SHOP_KEY, many);
  const sent = (await worker().begin()).filter((delta) => delta?.kind === "Rows");
  expect(sent.map((delta) => [delta.rows.length, delta.more])).toEqual([
    [500, true],
    [500, true],
    [1, undefined],
  ]);
});
