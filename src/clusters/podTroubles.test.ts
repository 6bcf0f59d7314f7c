import { expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { logLines } from "../observability/testing/logLines.ts";
import { ApiError, type ListOptions, type ObjectList } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";
import { PodTroubles } from "./podTroubles.ts";
import { seen } from "./testing/builders.ts";
import type { MemberSession } from "./types.ts";

const READY: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "ready",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "shop-1", uid: "u", controller: true }],
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};
const BROKEN: KubeObject = {
  ...READY,
  status: { containerStatuses: [{ name: "web", state: { waiting: { reason: "ImagePullBackOff", message: "no" } } }] },
};

/** A session of which the pods come in these pages, again and again, and unhealthy workloads of these names. */
function reading(pages: KubeObject[][], names: string[], refusal?: Error) {
  const clock = new FakeClock(0);
  const reads: { at: number; options: ListOptions }[] = [];
  let underWay = 0;
  let most = 0;
  const list = async (_type: unknown, options: ListOptions): Promise<ObjectList> => {
    reads.push({ at: clock.monotonic(), options });
    most = Math.max(most, (underWay += 1));
    await Promise.resolve();
    underWay -= 1;
    if (refusal !== undefined) throw refusal;
    const page = Number(options.continue ?? 0);
    const more = page + 1 < pages.length ? { continue: String(page + 1) } : {};
    return { items: pages[page] ?? [], resourceVersion: "1", ...more };
  };
  const told: (string | undefined)[] = [];
  const { logger, lines } = logLines();
  const objects = new Map(
    names.map((name) => {
      const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
      const observed = seen({ ref, uid: name, podSelector: `app=${name}` });
      return [name, { key: name, ref, observed } as MemberObject];
    }),
  );
  const end = new AbortController();
  const troubles = new PodTroubles({
    session: { cluster: "shanghai", client: { list }, signal: end.signal } as unknown as MemberSession,
    objects: {
      get: (key: string) => objects.get(key),
      tell(object: MemberObject, trouble: MemberObject["trouble"]) {
        object.trouble = trouble;
        told.push(trouble?.reason);
      },
    } as unknown as MemberObjects,
    clock,
    logger,
  });
  const considerAll = (): void => {
    for (const object of objects.values()) troubles.consider(object);
  };
  return { clock, reads, told, lines, objects, troubles, end, considerAll, most: () => most };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) await clock.advance(50);
}

test("pods are read page by page, until a page tells of trouble, and a hundred of them at most", async () => {
  const found = reading([[READY], [READY, BROKEN], [BROKEN]], ["shop"]);
  found.considerAll();
  await pass(found.clock, 4_000);
  expect(found.reads.map(({ options }) => [options.limit, options.continue])).toEqual([
    [20, undefined],
    [20, "1"],
  ]);
  expect(found.reads[0]?.options).toMatchObject({ namespace: "default", labelSelector: "app=shop" });
  expect(found.told).toEqual(["ImagePullBackOff"]);

  const endless = reading(
    Array.from({ length: 50 }, () => [READY]),
    ["shop"],
  );
  endless.considerAll();
  await pass(endless.clock, 4_000);
  expect(endless.reads).toHaveLength(5);
  expect(endless.told).toEqual([undefined]);
});

test("one workload after the other, with a pause, however many are not healthy", async () => {
  const { clock, reads, considerAll, most } = reading(
    [[BROKEN]],
    Array.from({ length: 40 }, (_, i) => `shop-${i}`),
  );
  considerAll();
  await pass(clock, 2_900);
  expect(reads).toEqual([]);
  await pass(clock, 2_100);
  expect(most()).toBe(1);
  expect(reads.length).toBeGreaterThan(5);
  expect(reads.length).toBeLessThanOrEqual(11);
  // While everything rolls out at once, the reads are to cost little.
  const { length } = reads;
  await pass(clock, 10_000);
  expect(reads.length - length).toBeLessThanOrEqual(11);
});

test("a workload that changes all the time, and in which nothing is wrong, is read every fifteen seconds at most", async () => {
  const { clock, reads, considerAll } = reading([[READY]], ["shop"]);
  for (let passed = 0; passed < 120_000; passed += 500) {
    considerAll();
    await pass(clock, 500);
  }
  const pauses = reads.map(({ at }, index) => Math.round((at - (reads[index - 1]?.at ?? 0)) / 1_000));
  expect(pauses.slice(0, 6)).toEqual([3, 6, 12, 15, 15, 15]);
});

test("a workload in trouble that changes all the time is read no more often than every three seconds", async () => {
  const { clock, reads, considerAll } = reading([[BROKEN]], ["shop"]);
  for (let passed = 0; passed < 120_000; passed += 500) {
    considerAll();
    await pass(clock, 500);
  }
  expect(reads.length).toBeGreaterThan(20);
  expect(reads.length).toBeLessThanOrEqual(41);
});

test("the end of the session ends the reads", async () => {
  const { clock, reads, end, considerAll } = reading([[BROKEN]], ["a", "b", "c"]);
  considerAll();
  await pass(clock, 3_050);
  end.abort(new Error("over"));
  const { length } = reads;
  considerAll();
  await pass(clock, 120_000);
  expect(reads).toHaveLength(length);
});

test("a workload that is healthy again, or on its way out, is asked about no more", async () => {
  for (const change of [{ podSelector: undefined }, { deleting: true }]) {
    const { clock, reads, objects, troubles, considerAll } = reading([[BROKEN]], ["shop"]);
    considerAll();
    await pass(clock, 2_000);
    const object = objects.get("shop");
    if (object?.observed === undefined) throw new Error("no object");
    object.observed = { ...object.observed, ...change };
    troubles.consider(object);
    await pass(clock, 20_000);
    expect([reads, clock.pending]).toEqual([[], 0]);
  }
});

test("a workload that stays in trouble is read less and less often, once a minute in the end", async () => {
  const { clock, reads, considerAll } = reading([[BROKEN]], ["shop"]);
  considerAll();
  await pass(clock, 300_000);
  const pauses = reads.map(({ at }, index) => Math.round((at - (reads[index - 1]?.at ?? 0)) / 1_000));
  expect(pauses).toEqual([3, 6, 12, 24, 48, 60, 60, 60]);
});

test("another life or state of a workload is read as the first was", async () => {
  const { clock, reads, objects, troubles, considerAll } = reading([[BROKEN]], ["shop"]);
  considerAll();
  await pass(clock, 50_000);
  const before = reads.length;
  const object = objects.get("shop");
  if (object?.observed === undefined) throw new Error("no object");
  for (const change of [{ uid: "another" }, { hash: "h2" }]) {
    object.observed = { ...object.observed, ...change };
    troubles.consider(object);
    await pass(clock, 3_050);
  }
  expect(reads).toHaveLength(before + 2);
});

test("a member that does not let pods be read is asked again after ten minutes, which is no trouble", async () => {
  const { clock, reads, told, lines, considerAll } = reading([], ["a", "b"], new ApiError(403, "Forbidden", "no"));
  considerAll();
  await pass(clock, 595_000);
  expect([reads.length, told]).toEqual([1, []]);
  expect(lines).toMatchObject([
    { level: "debug", cluster: "shanghai", object: "a", msg: "the pods of a workload could not be read" },
  ]);
  await pass(clock, 70_000);
  expect(reads).toHaveLength(2);
});

test("a member that cannot answer now is asked again at the usual pace", async () => {
  const { clock, reads, told, considerAll } = reading([], ["a"], new ApiError(500, "InternalError", "etcd is away"));
  considerAll();
  await pass(clock, 10_000);
  expect([reads.length, told]).toEqual([2, []]);
});
