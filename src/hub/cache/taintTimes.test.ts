import { describe, expect, test } from "vitest";
import { clusterObject } from "../../../test/builders/policyObjects.ts";
import type { MemberCluster, Taint } from "../../apis/index.ts";
import { MEMBERCLUSTERS } from "../../runtime/index.ts";
import { placement, subject } from "../../scheduler/testing.ts";
import { schedule } from "../../scheduler/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { TaintTimes } from "./taintTimes.ts";
import { setUpHub } from "../testing/fakeHub.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const tolerates5Minutes = placement({ tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 300 }] });

/** A hub with the cluster `east`; `stays` says whether what runs there may stay. */
async function withCluster(...taints: Taint[]) {
  const parts = setUpHub();
  const { server, cache, clock, settle } = parts;
  server.create(MEMBERCLUSTERS, withTaints(taints));
  const taint = async (...added: Taint[]): Promise<void> => {
    server.merge(MEMBERCLUSTERS, undefined, "east", { spec: { taints: added } });
    await settle();
  };
  const decide = () =>
    schedule(subject({ current: new Map([["east", 1]]) }), tolerates5Minutes, cache.clusterSnapshots(), cache.now());
  const stays = (): boolean => decide().clusters.length === 1;
  const recheckIn = (): number => (decide().recheckAt ?? Number.NaN) - cache.now();
  const at = (offsetMs: number): Taint => ({
    key: "k",
    effect: "NoExecute",
    timeAdded: new Date(clock.now() + offsetMs).toISOString(),
  });
  return { ...parts, taint, stays, recheckIn, at };
}

function withTaints(taints: readonly Taint[]) {
  const object = clusterObject({}, "east") as unknown as MemberCluster;
  return { ...object, spec: { ...object.spec, taints } } as never;
}

describe("a taint that comes while the process watches", () => {
  test.each([
    { name: "forward", jump: HOUR },
    { name: "back", jump: -HOUR },
  ])("is tolerated for as long as the placement says, though the clock jumps $name", async ({ jump }) => {
    const { start, taint, stays, recheckIn, at, clock } = await withCluster();
    await start();
    await taint(at(0));
    await clock.advance(2 * MINUTE);
    clock.jumpTo(clock.now() + jump);
    expect(recheckIn()).toBe(3 * MINUTE);
    await clock.advance(3 * MINUTE - 1);
    expect(stays()).toBe(true);
    await clock.advance(1);
    expect(stays()).toBe(false);
  });

  test.each([
    { name: "is behind", offset: -HOUR },
    { name: "jumped ahead before", offset: -2 * HOUR },
  ])("counts from then, though the clock that wrote its time $name", async ({ offset }) => {
    const { start, taint, recheckIn, at } = await withCluster();
    await start();
    await taint(at(offset));
    expect(recheckIn()).toBe(5 * MINUTE);
  });

  test("may have been announced for later", async () => {
    const { start, taint, recheckIn, at } = await withCluster();
    await start();
    await taint(at(10 * MINUTE));
    expect(recheckIn()).toBe(15 * MINUTE);
  });
});

describe("a taint that was there before", () => {
  test("counts from the time that it names, and a jump of the clock changes nothing", async () => {
    const { server, start, recheckIn, at, clock } = await withCluster();
    server.merge(MEMBERCLUSTERS, undefined, "east", { spec: { taints: [at(-2 * MINUTE)] } });
    await start();
    expect(recheckIn()).toBe(3 * MINUTE);
    clock.jumpTo(clock.now() + HOUR);
    expect(recheckIn()).toBe(3 * MINUTE);
  });
});

describe("when a taint began", () => {
  const cluster = (taints: readonly Taint[], uid = "u"): MemberCluster =>
    ({ metadata: { name: "east", uid }, spec: { connection: {}, taints } }) as unknown as MemberCluster;
  const taint: Taint = { key: "k", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" };
  const timesOf = () => {
    const clock = new FakeClock(Date.parse("2026-01-01T00:00:00Z"));
    const times = new TaintTimes(clock);
    const see = (object: MemberCluster, old?: MemberCluster, initial = false): void =>
      times.take({
        type: old === undefined ? "Added" : "Updated",
        object,
        ...(old === undefined ? {} : { old }),
        initial,
      });
    const since = (object: MemberCluster) => times.of(object).map((one) => (one as { since?: number }).since);
    return { clock, times, see, since, start: clock.now() };
  };

  test("is forgotten with the taint, and with the cluster", async () => {
    const { clock, times, see, since, start } = timesOf();
    see(cluster([taint]));
    see(cluster([]), cluster([taint]));
    await clock.advance(1_000);
    see(cluster([taint]), cluster([]));
    expect(since(cluster([taint]))).toEqual([start + 1_000]);
    times.take({ type: "Deleted", object: cluster([taint]), old: cluster([taint]), initial: false });
    expect(since(cluster([taint]))).toEqual([undefined]);
  });

  test("is another time in another life of the cluster", async () => {
    const { clock, see, since, start } = timesOf();
    see(cluster([taint]));
    await clock.advance(1_000);
    see(cluster([taint], "another"), cluster([taint]));
    expect(since(cluster([taint], "another"))).toEqual([start + 1_000]);
  });

  test.each([undefined, "yesterday"])("is never of one whose time is %j", (timeAdded) => {
    const { see, since } = timesOf();
    const { timeAdded: _, ...rest } = taint;
    const timeless = { ...rest, ...(timeAdded === undefined ? {} : { timeAdded }) };
    see(cluster([timeless]));
    expect(since(cluster([timeless]))).toEqual([undefined]);
  });
});
