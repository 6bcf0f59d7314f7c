import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type ListOptions } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { MemberObject } from "../model/memberObject.ts";
import type { ObservedObject } from "../model/observed.ts";
import { PodTroubles } from "./podTroubles.ts";
import { changeFeed, CONFIG_REF, memberObject, seen } from "../testing/builders.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";

const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "shop-1", uid: "u", controller: true };
const READY: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "ready", ownerReferences: [controller] },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};
const waiting = { reason: "ImagePullBackOff", message: "no" };
const BROKEN: KubeObject = { ...READY, status: { containerStatuses: [{ name: "web", state: { waiting } }] } };
const brokenWith = (labels: Record<string, string>): KubeObject => ({
  ...BROKEN,
  metadata: { ...BROKEN.metadata, labels },
});
const brokenOf = (app: string): KubeObject => brokenWith({ app });
const TROUBLE = "ImagePullBackOff";
const numbers = (count: number, prefix = "shop-") => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

interface Given {
  /** Pages of pods; each read begins with the first page. */
  pages?: KubeObject[][];
  refusal?: Error;
  selectorOf?: (name: string) => string;
}

/** Unhealthy workloads of these names. */
function reading(names: string[], { pages = [[BROKEN]], refusal, selectorOf = (name) => `app=${name}` }: Given = {}) {
  const clock = new FakeClock(0);
  const reads: { at: number; options: ListOptions }[] = [];
  let underWay = 0;
  let most = 0;
  const client = new ScriptedClient(async ({ options }) => {
    reads.push({ at: clock.monotonic(), options });
    most = Math.max(most, (underWay += 1));
    await Promise.resolve();
    underWay -= 1;
    if (refusal !== undefined) throw refusal;
    const page = Number(options["continue"] ?? 0);
    const next = page + 1 < pages.length ? { continue: String(page + 1) } : {};
    return { items: pages[page] ?? [], resourceVersion: "1", ...next };
  });
  const found: (string | undefined)[] = [];
  const { logger, lines } = logLines();
  const ref = { ...CONFIG_REF, apiVersion: "apps/v1", kind: "Deployment" };
  const objects = new Map(
    names.map((name) => {
      const observed = seen({ ref, uid: name, podSelector: selectorOf(name) });
      return [name, Object.assign(memberObject({ ref, observed }), { key: name })];
    }),
  );
  const end = new AbortController();
  const feed = changeFeed();
  new PodTroubles({
    session: { cluster: "shanghai", client, signal: end.signal } as unknown as MemberSession,
    objects: {
      onChange: feed.onChange,
      get: (key: string) => objects.get(key),
      setTrouble(object: MemberObject, trouble: MemberObject["trouble"]) {
        object.trouble = trouble;
        found.push(trouble?.reason);
      },
    },
    clock,
    logger,
  });
  const change = (name: string, changed: Partial<ObservedObject>): void => {
    const object = objects.get(name);
    if (object?.observed === undefined) throw new Error("no object");
    object.observed = { ...object.observed, ...changed };
    feed.change(object);
  };
  const considerAll = (): void => {
    for (const object of objects.values()) feed.change(object);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) await clock.advance(50);
  };
  const begin = (ms: number): Promise<void> => {
    considerAll();
    return pass(ms);
  };
  const pauses = (): number[] => reads.map(({ at }, index) => Math.round((at - (reads[index - 1]?.at ?? 0)) / 1_000));
  const selectors = () => reads.map(({ options }) => options.labelSelector);
  return {
    clock,
    reads,
    found,
    lines,
    objects,
    feed,
    end,
    change,
    begin,
    pass,
    considerAll,
    pauses,
    selectors,
    most: () => most,
  };
}

describe("the pods of a workload", () => {
  test("are read page by page until a page shows trouble, five pages at most", async () => {
    const { begin, reads, found } = reading(["shop"], { pages: [[READY], [READY, BROKEN], [BROKEN]] });
    await begin(4_000);
    expect(reads.map(({ options }) => [options.limit, options.continue])).toEqual([
      [20, undefined],
      [20, "1"],
    ]);
    expect(reads[0]?.options).toMatchObject({ namespace: "default", labelSelector: "app=shop" });
    const endless = reading(["shop"], { pages: numbers(50).map(() => [READY]) });
    await endless.begin(4_000);
    expect([found, endless.reads.length, endless.found]).toEqual([[TROUBLE], 5, [undefined]]);
  });

  test("are read again with growing pauses, up to a minute", async () => {
    const { begin, pauses } = reading(["shop"]);
    await begin(300_000);
    expect(pauses()).toEqual([3, 6, 12, 21, 42, 51, 60, 60]);
  });

  test("of a workload that changes all the time are read every fifteen seconds, or every three in trouble", async () => {
    const counts: number[][] = [];
    for (const pages of [[[READY]], [[BROKEN]]]) {
      const { considerAll, pass, pauses } = reading(["shop"], { pages });
      for (let passed = 0; passed < 120_000; passed += 500) {
        considerAll();
        await pass(500);
      }
      counts.push(pauses());
    }
    expect(counts[0]?.slice(0, 6)).toEqual([3, 6, 12, 16, 16, 16]);
    expect(counts[1]?.length).toBeGreaterThan(20);
    expect(counts[1]?.length).toBeLessThanOrEqual(41);
  });

  test.each([
    ["rising readiness without trouble", READY, 1, 5],
    ["falling readiness", READY, -1, 7],
    ["other changes", READY, 0, 7],
    ["rising readiness in trouble", BROKEN, 1, 22],
  ])("are read for %s: %4$d times in 90 s", async (_, pod, step, want) => {
    const { change, pass, reads } = reading(["shop"], { pages: [[pod]] });
    for (let second = 0; second < 90; second += 1) {
      const ready = 100 + step * second;
      const replicas = { desired: 200, updated: 200, ready, available: ready };
      change("shop", { health: { state: "Progressing", replicas } });
      await pass(1_000);
    }
    expect(reads).toHaveLength(want);
  });

  test.each([{ podSelector: undefined }, { deleting: true }])("are not read after %j", async (changes) => {
    const { begin, change, pass, reads, clock } = reading(["shop"]);
    await begin(2_000);
    change("shop", changes);
    await pass(20_000);
    expect([reads, clock.pending]).toEqual([[], 0]);
  });

  test("are read as the first time for another UID or hash", async () => {
    const { begin, change, pass, reads } = reading(["shop"]);
    await begin(50_000);
    const before = reads.length;
    for (const changes of [{ uid: "another" }, { hash: "h2" }]) {
      change("shop", changes);
      await pass(3_250);
    }
    expect(reads).toHaveLength(before + 2);
  });

  test("are not read after the session", async () => {
    const { begin, considerAll, feed, pass, reads, end } = reading(["a", "b", "c"]);
    await begin(3_050);
    end.abort(new Error("over"));
    expect(feed.state.subscribed).toBe(0);
    const { length } = reads;
    considerAll();
    await pass(120_000);
    expect(reads).toHaveLength(length);
  });

  test.each([
    [403, 595_000, 1, 70_000, 2],
    [500, 4_000, 1, 6_000, 2],
  ])("that cannot be read (%d) are no trouble, and are read again later", async (status, first, one, then, two) => {
    const refusal = new ApiError(status, "Refused", "no");
    const { begin, pass, reads, found, lines } = reading(["a", "b"], { refusal });
    await begin(first);
    expect([reads.length, found]).toEqual([one, []]);
    const msg = "the pods of a workload could not be read";
    expect(lines).toMatchObject([{ level: "debug", cluster: "shanghai", objects: ["a", "b"], msg }]);
    await pass(then);
    expect(reads).toHaveLength(two);
  });
});

describe("the reads of a member", () => {
  const single = (name: string) => `app in (${name})`;

  test("come one after the other with a pause, and cost little during a large rollout", async () => {
    const { begin, pass, reads, most } = reading(numbers(40), { selectorOf: single });
    await begin(2_900);
    expect(reads).toEqual([]);
    await pass(2_100);
    expect([most(), reads.length > 5, reads.length <= 11]).toEqual([1, true, true]);
    await pass(5_000);
    const { length } = reads;
    await pass(10_000);
    expect(reads.length - length).toBeLessThanOrEqual(11);
  });

  test("are delayed by the pods that they returned, after fifty seconds in advance", async () => {
    const pages = [numbers(80).map(() => READY)];
    const { begin, reads } = reading(numbers(12), { pages, selectorOf: single });
    await begin(40_000);
    const pauses = reads.map(({ at }, index) => at - (reads[index - 1]?.at ?? 0));
    // Eighty pods cost eight seconds.
    expect(pauses.slice(0, 9)).toEqual([3_200, 200, 200, 200, 200, 200, 200, 4_800, 8_000]);
  });
});

describe("due workloads of one namespace are read together", () => {
  const names = numbers(30);
  const workloadsOf = (options: ListOptions | undefined): string[] =>
    /^app in \((.*)\)$/.exec(options?.labelSelector ?? "")?.[1]?.split(",") ?? [];

  test("by the values of their first label, at growing pauses, and each gets its own trouble", async () => {
    const { begin, pass, reads, found, objects } = reading(names, {
      pages: [[brokenOf("shop-3"), brokenOf("shop-25")]],
    });
    await begin(4_000);
    expect(reads.map(({ at, options }) => [at, workloadsOf(options), options.limit, options.namespace])).toEqual([
      [3_200, names.slice(0, 25), 100, "default"],
      [3_400, names.slice(25), 100, "default"],
    ]);
    const troubled = [...objects.values()].flatMap(({ key, trouble }) => (trouble === undefined ? [] : [key]));
    expect([troubled, found.length]).toEqual([["shop-3", "shop-25"], 30]);
    // Two reads each time, at 3, 9, 21 and 42 s.
    await pass(56_000);
    expect(reads).toHaveLength(8);
  });

  test.each([
    [undefined, 25],
    [5, 50],
    [100, 2],
    [400, 0],
    [0, 250],
  ])("up to 250 pods, with %s desired pods each: %d", async (desired, together) => {
    const { begin, reads, objects } = reading(numbers(300, "s"), { pages: [[READY]] });
    const replicas = desired === undefined ? {} : { replicas: { desired, updated: desired, ready: 0, available: 0 } };
    for (const { observed } of objects.values())
      if (observed !== undefined) observed.health = { state: "Progressing", ...replicas };
    await begin(3_250);
    expect(workloadsOf(reads[0]?.options)).toHaveLength(together);
  });

  test("up to 2000 characters of label values", async () => {
    const long = numbers(100, "").map((number) => `${number}-${"x".repeat(60)}`.slice(0, 60));
    const { begin, reads, objects } = reading(long, { pages: [[READY]] });
    const replicas = { desired: 1, updated: 1, ready: 0, available: 0 };
    for (const { observed } of objects.values())
      if (observed !== undefined) observed.health = { state: "Progressing", replicas };
    await begin(3_450);
    expect(reads.map(({ options }) => workloadsOf(options).length)).toEqual([33, 33]);
  });

  test("after some time also if they became due at different times", async () => {
    const { pass, reads, objects, feed } = reading(names.slice(0, 20), { pages: [[READY]] });
    for (const object of objects.values()) {
      feed.change(object);
      await pass(700);
    }
    expect(reads.length).toBeGreaterThan(10);
    await pass(200_000);
    const before = reads.length;
    await pass(60_000);
    expect(reads.slice(before).flatMap(({ options }) => workloadsOf(options)).length).toBeGreaterThanOrEqual(19);
    expect(reads.length - before).toBeLessThanOrEqual(4);
  });

  test("and told apart by their other labels", async () => {
    const pages = [["web", "api"].map((tier) => brokenWith({ app: "shop", tier, version: "1" }))];
    const { begin, selectors, objects } = reading(["web", "db"], {
      pages,
      selectorOf: (name) => `app=shop,tier=${name}`,
    });
    await begin(4_000);
    expect(selectors()).toEqual(["app in (shop)"]);
    expect(["web", "db"].map((name) => objects.get(name)?.trouble?.reason)).toEqual([TROUBLE, undefined]);
  });

  test.each<[string, (name: string) => string]>([
    ["a set of values", (name) => `app in (${name},other)`],
    ["a missing label", (name) => `!${name}`],
    ["different labels", (name) => `${name}=web`],
  ])("but not with selectors by %s", async (_, selectorOf) => {
    const { begin, selectors } = reading(["a", "b", "c"], { pages: [[READY]], selectorOf });
    await begin(4_000);
    expect(selectors()).toEqual(["a", "b", "c"].map(selectorOf));
  });

  test("but not with those of another namespace", async () => {
    const { begin, reads, objects } = reading(["a", "b", "c", "d"], { pages: [[READY]] });
    const other = objects.get("c")?.observed;
    if (other !== undefined) other.ref = { ...other.ref, namespace: "elsewhere" };
    await begin(4_000);
    expect(reads.map(({ options }) => [options.namespace, options.labelSelector])).toEqual([
      ["default", "app in (a,b,d)"],
      ["elsewhere", "app=c"],
    ]);
  });

  test("until the trouble of each is known", async () => {
    const { begin, reads, found } = reading(["b", "c"], { pages: [[brokenOf("b"), brokenOf("c")], [READY]] });
    await begin(3_900);
    expect([reads.map(({ options }) => options.continue), found]).toEqual([[undefined], [TROUBLE, TROUBLE]]);
  });

  test("or alone from then on if there are too many pods and no trouble was found", async () => {
    const { begin, pass, selectors, found } = reading(["b", "c"], { pages: numbers(50).map(() => [brokenOf("b")]) });
    await begin(6_000);
    expect(selectors()).toEqual([...numbers(5).map(() => "app in (b,c)"), "app=c"]);
    expect(found).toEqual([TROUBLE, TROUBLE]);
    await pass(10_000);
    expect(selectors().slice(6)).toEqual(["app=b", "app=c"]);
  });
});
