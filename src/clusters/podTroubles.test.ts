import { expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { createLogger } from "../observability/index.ts";
import type { ListOptions, ObjectList } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import type { MemberObject, MemberObjects } from "./memberObjects.ts";
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
function reading(pages: KubeObject[][], names: string[]) {
  const clock = new FakeClock(0);
  const reads: { at: number; options: ListOptions }[] = [];
  let underWay = 0;
  let most = 0;
  const list = async (_type: unknown, options: ListOptions): Promise<ObjectList> => {
    reads.push({ at: clock.monotonic(), options });
    most = Math.max(most, (underWay += 1));
    await Promise.resolve();
    underWay -= 1;
    const page = Number(options.continue ?? 0);
    const more = page + 1 < pages.length ? { continue: String(page + 1) } : {};
    return { items: pages[page] ?? [], resourceVersion: "1", ...more };
  };
  const told: (string | undefined)[] = [];
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
      tell: (_object: unknown, trouble: { reason: string } | undefined) => void told.push(trouble?.reason),
    } as unknown as MemberObjects,
    clock,
    logger: createLogger({ level: "silent" }),
  });
  const considerAll = (): void => {
    for (const object of objects.values()) troubles.consider(object);
  };
  return { clock, reads, told, end, considerAll, most: () => most };
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
});

test("a workload that changes all the time is read no more often than every three seconds", async () => {
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
