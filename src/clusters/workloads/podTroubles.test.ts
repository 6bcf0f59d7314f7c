import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type ListOptions, type ObjectList } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { MemberObject } from "../model/memberObject.ts";
import type { MemberObjects } from "../model/memberObjects.ts";
import { PodTroubles } from "./podTroubles.ts";
import { seen } from "../testing/builders.ts";
import type { MemberSession } from "../types.ts";

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

/** As {@link BROKEN}, with the label of a workload. */
const brokenOf = (app: string): KubeObject => ({ ...BROKEN, metadata: { ...BROKEN.metadata, labels: { app } } });

/**
 * A session of which the pods come in these pages, again and again, and unhealthy workloads of these names; `selectorOf` one says by which labels
 * its pods are found.
 */
function reading(
  pages: KubeObject[][],
  names: string[],
  refusal?: Error,
  selectorOf: (name: string) => string = (name) => `app=${name}`,
) {
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
      const observed = seen({ ref, uid: name, podSelector: selectorOf(name) });
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
    undefined,
    (name) => `app in (${name})`,
  );
  considerAll();
  await pass(clock, 2_900);
  expect(reads).toEqual([]);
  await pass(clock, 2_100);
  expect(most()).toBe(1);
  expect(reads.length).toBeGreaterThan(5);
  expect(reads.length).toBeLessThanOrEqual(11);
  await pass(clock, 5_000);
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
  // A change comes every half second, and the read itself a moment after its time.
  expect(pauses.slice(0, 6)).toEqual([3, 6, 12, 16, 16, 16]);
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
  expect(pauses).toEqual([3, 6, 12, 21, 42, 51, 60, 60]);
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
    await pass(clock, 3_250);
  }
  expect(reads).toHaveLength(before + 2);
});

test("a member that does not let pods be read is asked again after ten minutes, which is no trouble", async () => {
  const { clock, reads, told, lines, considerAll } = reading([], ["a", "b"], new ApiError(403, "Forbidden", "no"));
  considerAll();
  await pass(clock, 595_000);
  expect([reads.length, told]).toEqual([1, []]);
  expect(lines).toMatchObject([
    { level: "debug", cluster: "shanghai", objects: ["a", "b"], msg: "the pods of a workload could not be read" },
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

describe("workloads of a namespace whose turn has come are read together", () => {
  const names = Array.from({ length: 30 }, (_, i) => `shop-${i}`);

  const workloadsOf = (options: ListOptions | undefined): string[] =>
    /^app in \((.*)\)$/.exec(options?.labelSelector ?? "")?.[1]?.split(",") ?? [];

  test("by the values of the one label that selects their pods, and each is told its own trouble", async () => {
    const { clock, reads, told, objects, considerAll } = reading([[brokenOf("shop-3"), brokenOf("shop-25")]], names);
    considerAll();
    await pass(clock, 4_000);
    expect(reads.map(({ at, options }) => [at, workloadsOf(options), options.limit, options.namespace])).toEqual([
      [3_200, names.slice(0, 25), 100, "default"],
      [3_400, names.slice(25), 100, "default"],
    ]);
    expect([...objects.values()].filter(({ trouble }) => trouble !== undefined).map(({ key }) => key)).toEqual([
      "shop-3",
      "shop-25",
    ]);
    expect(told).toHaveLength(30);
  });

  const wantPods = (objects: Map<string, MemberObject>, desired: number | undefined): void => {
    const replicas = desired === undefined ? {} : { replicas: { desired, updated: desired, ready: 0, available: 0 } };
    for (const object of objects.values()) {
      if (object.observed === undefined) throw new Error("no object");
      object.observed = { ...object.observed, health: { state: "Progressing", ...replicas } };
    }
  };

  test.each([
    { name: "ten pods each, where nothing says how many", pods: undefined, together: 25 },
    { name: "five pods each", pods: 5, together: 50 },
    { name: "a hundred pods each", pods: 100, together: 2 },
    { name: "more pods than are read together", pods: 400, together: 0 },
    { name: "no pods at all", pods: 0, together: 250 },
  ])("as many as have 250 pods: $together of $name", async ({ pods, together }) => {
    const many = Array.from({ length: 300 }, (_, i) => `s${i}`);
    const { clock, reads, objects, considerAll } = reading([[READY]], many);
    wantPods(objects, pods);
    considerAll();
    await pass(clock, 3_250);
    expect(workloadsOf(reads[0]?.options)).toHaveLength(together);
  });

  test("as many as leave the request's address short", async () => {
    const long = Array.from({ length: 100 }, (_, i) => `${i}-${"x".repeat(60)}`.slice(0, 60));
    const { clock, reads, objects, considerAll } = reading([[READY]], long);
    wantPods(objects, 1);
    considerAll();
    await pass(clock, 3_450);
    expect(reads.map(({ options }) => workloadsOf(options).length)).toEqual([33, 33]);
  });

  test("again, though they were first read at different times", async () => {
    const { clock, reads, objects, troubles } = reading([[READY]], names.slice(0, 20));
    for (const object of objects.values()) {
      troubles.consider(object);
      await pass(clock, 700);
    }
    const { length } = reads;
    await pass(clock, 200_000);
    const before = reads.length;
    await pass(clock, 60_000);
    expect(length).toBeGreaterThan(10);
    // In a minute each of them once: those of fifteen seconds together.
    expect(reads.slice(before).flatMap(({ options }) => workloadsOf(options)).length).toBeGreaterThanOrEqual(19);
    expect(reads.length - before).toBeLessThanOrEqual(4);
  });

  test("and of pods that other labels tell apart, each gets its own", async () => {
    const pod = brokenOf("shop");
    const pods = ["web", "api"].map((tier) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { app: "shop", tier, version: "1" } },
    }));
    const { clock, reads, objects, considerAll } = reading(
      [pods],
      ["web", "db"],
      undefined,
      (name) => `app=shop,tier=${name}`,
    );
    considerAll();
    await pass(clock, 4_000);
    expect(reads.map(({ options }) => options.labelSelector)).toEqual(["app in (shop)"]);
    expect(["web", "db"].map((name) => objects.get(name)?.trouble?.reason)).toEqual(["ImagePullBackOff", undefined]);
  });

  test("once more at the usual pace, less and less often", async () => {
    const { clock, reads, considerAll } = reading([[brokenOf("shop-3")]], names);
    considerAll();
    await pass(clock, 60_000);
    // Two reads each time, at 3, 9, 21 and 42 s.
    expect(reads).toHaveLength(8);
  });

  test.each([
    ["a set of values", (name: string) => `app in (${name},other)`],
    ["a label that must not be there", (name: string) => `!${name}`],
    ["another label each", (name: string) => `${name}=web`],
  ])("but not by %s", async (_, selectorOf) => {
    const { clock, reads, considerAll } = reading([[READY]], ["a", "b", "c"], undefined, selectorOf);
    considerAll();
    await pass(clock, 4_000);
    expect(reads.map(({ options }) => options.labelSelector)).toEqual(["a", "b", "c"].map(selectorOf));
  });

  test("but not with those of another namespace", async () => {
    const { clock, reads, objects, considerAll } = reading([[READY]], ["a", "b", "c", "d"]);
    const other = objects.get("c");
    if (other?.observed === undefined) throw new Error("no object");
    other.observed = { ...other.observed, ref: { ...other.observed.ref, namespace: "elsewhere" } };
    considerAll();
    await pass(clock, 4_000);
    expect(reads.map(({ options }) => [options.namespace, options.labelSelector])).toEqual([
      ["default", "app in (a,b,d)"],
      ["elsewhere", "app=c"],
    ]);
  });

  test("and not to the end where all are known to be in trouble", async () => {
    const pages = [[brokenOf("b"), brokenOf("c")], [READY]];
    const { clock, reads, told, considerAll } = reading(pages, ["b", "c"]);
    considerAll();
    await pass(clock, 3_900);
    expect(reads.map(({ options }) => options.continue)).toEqual([undefined]);
    expect(told).toEqual(["ImagePullBackOff", "ImagePullBackOff"]);
  });

  test("and where there are too many pods for that, those of which nothing was found are read alone from then on", async () => {
    const endless = Array.from({ length: 50 }, () => [brokenOf("b")]);
    const { clock, reads, told, considerAll } = reading(endless, ["b", "c"]);
    considerAll();
    await pass(clock, 6_000);
    expect(reads.map(({ options }) => options.labelSelector)).toEqual([
      ...Array.from({ length: 5 }, () => "app in (b,c)"),
      "app=c",
    ]);
    expect(told).toEqual(["ImagePullBackOff", "ImagePullBackOff"]);
    await pass(clock, 10_000);
    expect(reads.slice(6).map(({ options }) => options.labelSelector)).toEqual(["app=b", "app=c"]);
  });

  test("and a refusal is one for all of them", async () => {
    const { clock, reads, lines, considerAll } = reading([], ["a", "b", "c"], new ApiError(500, "InternalError", "no"));
    considerAll();
    await pass(clock, 4_000);
    expect(reads).toHaveLength(1);
    expect(lines.map(({ objects }) => objects)).toEqual([["a", "b", "c"]]);
  });
});

test("what is read at once is bounded, and paid for by pauses that grow with the pods that were read", async () => {
  const names = Array.from({ length: 12 }, (_, i) => `shop-${i}`);
  const pages = [Array.from({ length: 80 }, () => READY)];
  const { clock, reads, considerAll } = reading(pages, names, undefined, (name) => `app in (${name})`);
  considerAll();
  await pass(clock, 40_000);
  const pauses = reads.map(({ at }, index) => at - (reads[index - 1]?.at ?? 0));
  // Eighty pods cost eight seconds, and fifty seconds may be spent in advance.
  expect(pauses.slice(0, 9)).toEqual([3_200, 200, 200, 200, 200, 200, 200, 4_800, 8_000]);
});

describe("a change", () => {
  /** Reads in a minute and a half in which the workload has that many ready replicas, second by second. */
  async function readsWhile(pod: KubeObject, ready: (second: number) => number): Promise<number> {
    const { clock, reads, objects, considerAll } = reading([[pod]], ["shop"]);
    for (let second = 0; second < 90; second += 1) {
      const object = objects.get("shop");
      if (object?.observed === undefined) throw new Error("no object");
      const replicas = { desired: 200, updated: 200, ready: ready(second), available: ready(second) };
      object.observed = { ...object.observed, health: { state: "Progressing", replicas } };
      considerAll();
      await pass(clock, 1_000);
    }
    return reads.length;
  }

  test.each([
    { name: "for the better is no reason to read sooner, where nothing was found", pod: READY, of: 1, reads: 5 },
    { name: "for the worse is one", pod: READY, of: -1, reads: 7 },
    { name: "for neither is one", pod: READY, of: 0, reads: 7 },
    { name: "for the better is one, where there is trouble", pod: BROKEN, of: 1, reads: 22 },
  ])("$name", async ({ pod, of, reads }) => {
    expect(await readsWhile(pod, (second) => 100 + of * second)).toBe(reads);
  });
});
