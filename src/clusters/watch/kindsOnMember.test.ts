import { describe, expect, test } from "vitest";
import { createLogger } from "../../observability/index.ts";
import { ApiError, CONFIGMAPS, type ResourceType } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { KindsOnMember } from "./kindsOnMember.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";

const type = (group: string, kind: string): ResourceType => ({
  ...{ group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true },
});
const WIDGETS = type("example.com", "Widget");
const V2 = { ...WIDGETS, version: "v2" };
const CRON_JOBS = type("batch", "CronJob");
const WIDGET = { apiVersion: "example.com/v1", kind: "Widget" };
const WIDGET_KIND = { group: "example.com", kind: "Widget" };
const CRON_JOB_KIND = { group: "batch", kind: "CronJob" };
const KEY = "example.com/Widget";
const UNSURE = "the member does not say now which kinds it serves";

/** Kinds of a member that serves ConfigMaps and CronJobs at first. */
function setUp() {
  const clock = new FakeClock();
  const end = new AbortController();
  const member = {
    served: [CONFIGMAPS, CRON_JOBS] as ResourceType[],
    unavailable: [] as string[],
    asked: 0,
    invalidated: 0,
    fails: false,
    /** Awaited before each answer of discovery. */
    answers: Promise.resolve(),
  };
  const discovery = {
    invalidate: () => void (member.invalidated += 1),
    list: async () => {
      member.asked += 1;
      await member.answers;
      if (member.fails) throw new Error("no answer");
      return member.served;
    },
    unavailable: async () => new Set(member.unavailable),
  };
  const objects = new Set<string>();
  const removed: string[] = [];
  const client = new ScriptedClient();
  let changes = 0;
  const kinds = new KindsOnMember({
    session: { cluster: "m", client, discovery, signal: end.signal } as unknown as MemberSession,
    clock,
    random: () => 0,
    logger: createLogger({ level: "silent" }),
    hasObjects: (kind) => objects.has(kind),
    changed: () => (changes += 1),
    removed: (kind) => void removed.push(kind),
  });
  const settle = (ms?: number): Promise<void> => clock.settle(ms);
  const review = (): Promise<void> => {
    kinds.review();
    return settle();
  };
  const names = (): string[] => kinds.served.map(({ kind }) => kind);
  return { kinds, names, member, client, objects, removed, settle, review, end, clock, changes: () => changes };
}

describe("the served kinds", () => {
  test("include built-in kinds without discovery", async () => {
    const { kinds, names, member, settle } = setUp();
    kinds.set([CONFIGMAPS], []);
    await settle(60_000);
    expect([names(), kinds.isPending, member.asked]).toEqual([["ConfigMap"], false, 0]);
  });

  test("include other kinds after one discovery, as the member serves them, with the hub's scale subresource", async () => {
    const { kinds, member, settle } = setUp();
    const scale = { spec: ["spec", "replicas"] };
    member.served.push(WIDGETS);
    kinds.set([CONFIGMAPS, { ...WIDGETS, scale }], [CRON_JOB_KIND]);
    expect(kinds.isPending).toBe(true);
    await settle();
    expect(kinds.isPending).toBe(false);
    expect(kinds.served).toStrictEqual([CONFIGMAPS, { ...WIDGETS, scale }, CRON_JOBS]);
    kinds.set([WIDGETS], []);
    await settle(600_000);
    expect([kinds.served, member.asked, member.invalidated]).toEqual([[WIDGETS], 1, 1]);
    kinds.set([], []);
    expect(kinds.served).toEqual([]);
  });

  test("are discovered again when the member denies a version, also for a built-in kind", async () => {
    const { kinds, member, settle, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([CONFIGMAPS], [WIDGET_KIND]);
    await settle();
    member.served = [V2, { ...CONFIGMAPS, version: "v2" }];
    kinds.doubt("/Secret");
    await settle(60_000);
    expect([member.asked, changes()]).toEqual([1, 1]);
    for (const kind of [KEY, "/ConfigMap"]) {
      kinds.doubt(kind);
      await settle();
    }
    kinds.set([CONFIGMAPS], [WIDGET_KIND]);
    expect(kinds.served.map(({ kind, version }) => `${kind} ${version}`)).toEqual(["ConfigMap v2", "Widget v2"]);
    expect([member.asked, changes()]).toEqual([3, 3]);
  });

  test("have the hub's version while the member serves it, or else the member's preferred one", async () => {
    const { kinds, member, settle, review } = setUp();
    member.served = [V2, WIDGETS];
    const versions: string[] = [];
    for (const wanted of [WIDGETS, V2, { ...WIDGETS, version: "v0" }]) {
      kinds.set([wanted], []);
      await settle();
      versions.push(...kinds.served.map(({ version }) => version));
    }
    member.served = [WIDGETS, V2];
    await review();
    expect([...versions, ...kinds.served.map(({ version }) => version)]).toEqual(["v1", "v2", "v2", "v1"]);
    expect(["v1", "v2", "v3"].map((v) => kinds.serves({ ...WIDGET, apiVersion: `example.com/${v}` }))).toEqual([
      ...[true, true, false],
    ]);
    expect(kinds.serves({ apiVersion: "v9", kind: "ConfigMap" })).toBe(true);
  });

  test("are discovered again with backoff while a write needs a version that is not served", async () => {
    const { kinds, member, settle, changes } = setUp();
    const apiVersion = "example.com/v2";
    member.served = [WIDGETS];
    kinds.set([WIDGETS], []);
    await settle(600_000);
    expect([kinds.serves({ ...WIDGET, apiVersion }), member.asked]).toEqual([false, 1]);
    member.served = [WIDGETS, V2];
    await settle(30_000);
    expect([kinds.serves({ ...WIDGET, apiVersion }), changes()]).toEqual([true, 2]);
    const { asked } = member;
    await settle(600_000);
    expect(member.asked).toBe(asked);
  });

  test.each([
    [{ ...WIDGETS, plural: "gadgets" }, 2],
    [{ ...WIDGETS, namespaced: false }, 2],
    [{ ...WIDGETS }, 1],
  ])("change with plural and scope, and stay the same values otherwise: %#", async (next, want) => {
    const { kinds, member, settle, review, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([], [WIDGET_KIND]);
    await settle();
    const [before] = kinds.served;
    member.served = [next];
    await review();
    expect([kinds.served, changes(), kinds.served[0] === before]).toEqual([[next], want, want === 1]);
  });
});

describe("a kind that the member lacks", () => {
  test("is certainly missing after three answers in a row; other kinds are not", async () => {
    const { kinds, settle, review, member, changes, names } = setUp();
    kinds.set([], [WIDGET_KIND]);
    const lacks = [kinds.lacks(WIDGET)];
    for (let answer = 0; answer < 3; answer += 1) {
      await review();
      lacks.push(kinds.lacks(WIDGET));
    }
    expect(lacks).toEqual(["No", "Perhaps", "Surely", "Surely"]);
    expect(kinds.lacks({ ...WIDGET, kind: "Gadget" })).toBe("No");
    expect(kinds.lacks({ ...WIDGET, apiVersion: "v1" })).toBe("No");
    await settle(600_000);
    expect(changes()).toBe(3);
    member.served.push(WIDGETS);
    await review();
    expect([names(), kinds.lacks(WIDGET)]).toEqual([["Widget"], "No"]);
    const { asked } = member;
    await settle(600_000);
    expect(member.asked).toBe(asked);
    member.served.pop();
    await review();
    expect(kinds.lacks(WIDGET)).toBe("Perhaps");
  });

  test("is forgotten when it is no longer wanted", async () => {
    const { kinds, settle, clock } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle();
    kinds.set([CONFIGMAPS], []);
    expect([kinds.lacks(WIDGET), kinds.isPending]).toEqual(["No", false]);
    await settle(60_000);
    expect(clock.pending).toBe(0);
  });

  test("is looked up with backoff up to half a minute, which a change of definitions resets", async () => {
    const { kinds, member, settle, review, clock } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle();
    const pauses: number[] = [];
    for (let at = clock.monotonic(), asked = member.asked; pauses.length < 7;) {
      await clock.advance(500);
      if (member.asked === asked) continue;
      asked = member.asked;
      pauses.push(clock.monotonic() - at);
      at = clock.monotonic();
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await review();
    const { asked } = member;
    await settle(999);
    expect(member.asked).toBe(asked);
    await settle(1);
    expect([member.asked, clock.pending]).toEqual([asked + 1, 1]);
  });

  test("is watched until its objects were seen deleted", async () => {
    const { kinds, names, member, objects, settle, review } = setUp();
    member.served.push(WIDGETS);
    kinds.set([], [WIDGET_KIND]);
    await settle();
    objects.add(KEY);
    member.served.pop();
    await review();
    expect([names(), kinds.lacks(WIDGET)]).toEqual([["Widget"], "Perhaps"]);
    objects.clear();
    expect(names()).toEqual([]);
  });
});

describe("a kind with known objects that is no longer served", () => {
  const lost = async (answer: unknown) => {
    const parts = setUp();
    parts.client.answer = () => answer;
    parts.member.served = [WIDGETS];
    parts.objects.add(KEY);
    parts.kinds.set([WIDGETS], []);
    await parts.settle();
    parts.member.served = [];
    parts.kinds.doubt(KEY);
    await parts.settle(60_000);
    return parts;
  };

  test.each([404, 403])("is removed with its objects when its definition is gone or unreadable: %d", async (status) => {
    const { kinds, names, removed, client } = await lost(new ApiError(status, "NotFound", "no"));
    expect([kinds.lacks(WIDGET), names(), removed]).toEqual(["Surely", [], [KEY]]);
    expect(client.calls.map(({ name }) => name)).toEqual(["widgets.example.com"]);
  });

  test("keeps its objects while its definition exists or cannot be read now", async () => {
    const { kinds, names, removed, client, settle } = await lost({});
    expect([kinds.lacks(WIDGET), names(), removed]).toEqual(["Perhaps", ["Widget"], []]);
    client.answer = () => new ApiError(500, "InternalError", "no");
    await settle(60_000);
    expect([kinds.lacks(WIDGET), removed]).toEqual(["Perhaps", []]);
    client.answer = () => new ApiError(404, "NotFound", "no");
    await settle(120_000);
    expect([kinds.lacks(WIDGET), removed]).toEqual(["Surely", [KEY]]);
  });

  test("keeps its objects if it is built in", async () => {
    const { kinds, member, objects, removed, settle } = setUp();
    kinds.set([CONFIGMAPS], []);
    objects.add("/ConfigMap");
    member.served = [WIDGETS];
    kinds.doubt("/ConfigMap");
    await settle(300_000);
    expect([kinds.lacks({ apiVersion: "v1", kind: "ConfigMap" }), removed]).toEqual(["Perhaps", []]);
  });
});

describe("discovery", () => {
  test("that fails is no change for a kind that the member refused, so that nothing is sent again at once", async () => {
    const { kinds, member, settle, changes } = setUp();
    kinds.set([CONFIGMAPS], []);
    await settle();
    member.fails = true;
    const before = changes();
    kinds.doubt("/ConfigMap");
    await settle();
    expect([member.asked, changes() - before]).toEqual([1, 0]);
  });

  test("that fails keeps the known kinds and names the others, until it succeeds", async () => {
    const { kinds, names, member, settle, changes } = setUp();
    kinds.set([], [CRON_JOB_KIND]);
    await settle();
    member.fails = true;
    kinds.set([], [CRON_JOB_KIND, WIDGET_KIND]);
    await settle();
    expect([names(), kinds.unsure, changes()]).toEqual([["CronJob"], new Map([[KEY, UNSURE]]), 2]);
    expect([kinds.isPending, kinds.lacks(WIDGET)]).toEqual([false, "No"]);
    kinds.set([], [CRON_JOB_KIND]);
    expect(kinds.unsure.size).toBe(0);
    kinds.set([], [CRON_JOB_KIND, WIDGET_KIND]);
    member.fails = false;
    member.served.push(WIDGETS);
    await settle(2_000);
    expect([names(), kinds.unsure.size]).toEqual([["CronJob", "Widget"], 0]);
  });

  test("without a part of the API keeps that part's known kinds, and does not call the others missing", async () => {
    const { kinds, names, member, settle } = setUp();
    const gadget = "example.com/Gadget";
    member.served = [WIDGETS];
    kinds.set([], [WIDGET_KIND]);
    await settle();
    member.served = [];
    member.unavailable = ["example.com/v1"];
    kinds.set([], [WIDGET_KIND, { group: "example.com", kind: "Gadget" }, CRON_JOB_KIND]);
    await settle();
    const why = `the member does not say now whether it serves ${gadget}`;
    expect([names(), kinds.unsure]).toEqual([["Widget"], new Map([[gadget, why]])]);
    expect(kinds.lacks({ apiVersion: "batch/v1", kind: "CronJob" })).toBe("Perhaps");
    expect([kinds.lacks(WIDGET), kinds.isPending]).toEqual(["No", false]);
  });

  test("runs once at a time, and once more after a change during the run", async () => {
    const { kinds, member, settle } = setUp();
    const answer = Promise.withResolvers<void>();
    member.answers = answer.promise;
    kinds.set([], [WIDGET_KIND]);
    await settle();
    kinds.review();
    kinds.review();
    await settle();
    expect([member.asked, kinds.isPending]).toEqual([1, true]);
    answer.resolve();
    await settle();
    expect([member.asked, member.invalidated]).toEqual([2, 2]);
  });

  test.each([undefined, new Error("over")])("changes nothing after the end of the session: %s", async (error) => {
    const { kinds, names, member, settle, end, changes, clock } = setUp();
    const answer = Promise.withResolvers<void>();
    member.answers = answer.promise;
    member.served.push(WIDGETS);
    kinds.set([], [WIDGET_KIND]);
    await settle();
    end.abort();
    if (error === undefined) answer.resolve();
    else answer.reject(error);
    await settle();
    expect([names(), kinds.unsure.size, changes(), clock.pending]).toEqual([[], 0, 0, 0]);
  });

  test("is not repeated after the end of the session", async () => {
    const { kinds, member, settle, end, clock } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle();
    expect(clock.pending).toBe(1);
    end.abort();
    expect(clock.pending).toBe(0);
    await settle(600_000);
    expect(member.asked).toBe(1);
  });
});
