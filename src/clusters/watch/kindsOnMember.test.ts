import { describe, expect, test } from "vitest";
import { createLogger } from "../../observability/index.ts";
import { ApiError, CONFIGMAPS, type ResourceType } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { KindsOnMember } from "./kindsOnMember.ts";
import type { MemberSession } from "../types.ts";

const WIDGETS: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const CRON_JOBS: ResourceType = {
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  namespaced: true,
};
const WIDGET = { apiVersion: "example.com/v1", kind: "Widget" };
/** As the hub names it. */
const WIDGET_KIND = { group: "example.com", kind: "Widget" };

function setUp() {
  const clock = new FakeClock();
  const end = new AbortController();
  const member = {
    served: [CONFIGMAPS, CRON_JOBS] as ResourceType[],
    unavailable: [] as string[],
    asked: 0,
    /** How often what was known from before was given up. */
    invalidated: 0,
    fails: false,
    /** Awaited before each answer. */
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
  /** What the member answers to a question for a definition: it is there, or this. */
  const definitions: { asked: string[]; fails: Error | undefined } = { asked: [], fails: undefined };
  const client = {
    get: async (_type: unknown, _namespace: unknown, name: string) => {
      definitions.asked.push(name);
      if (definitions.fails !== undefined) throw definitions.fails;
      return {};
    },
  };
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
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(0);
  };
  return { kinds, member, definitions, objects, removed, settle, end, clock, changes: () => changes };
}

const versionsOf = ({ served }: KindsOnMember): object =>
  Object.fromEntries(served.map(({ kind, version }) => [kind, version]));
const names = ({ served }: KindsOnMember): string[] => served.map(({ kind }) => kind);

describe("the kinds that a member serves", () => {
  test("are not asked for where every server has them", async () => {
    const { kinds, member, settle } = setUp();
    kinds.set([CONFIGMAPS], []);
    await settle(60_000);
    expect([names(kinds), kinds.isPending, member.asked]).toEqual([["ConfigMap"], false, 0]);
  });

  test("that the hub does not serve are found on the member", async () => {
    const { kinds, settle } = setUp();
    kinds.set([CONFIGMAPS], [{ group: "batch", kind: "CronJob" }]);
    expect(kinds.isPending).toBe(true);
    await settle();
    expect([names(kinds), kinds.isPending, kinds.served[1]]).toEqual([["ConfigMap", "CronJob"], false, CRON_JOBS]);
  });

  test("are asked for again when the version that was found is not served any more, and also when every server has the kind", async () => {
    const { kinds, member, settle, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([CONFIGMAPS], [WIDGET_KIND]);
    await settle();
    member.served = [
      { ...WIDGETS, version: "v2" },
      { ...CONFIGMAPS, version: "v2" },
    ];
    kinds.doubt("/Secret");
    await settle(60_000);
    expect([member.asked, changes()]).toEqual([1, 1]);
    kinds.doubt("example.com/Widget");
    await settle();
    expect([kinds.served[1]?.version, member.asked, changes()]).toEqual(["v2", 2, 2]);
    kinds.doubt("/ConfigMap");
    await settle();
    expect([versionsOf(kinds), member.asked]).toEqual([{ ConfigMap: "v2", Widget: "v2" }, 3]);
    kinds.set([CONFIGMAPS], [WIDGET_KIND]);
    expect([versionsOf(kinds), member.asked]).toEqual([{ ConfigMap: "v2", Widget: "v2" }, 3]);
  });

  test("are found as soon as their definition has come, and asked for now and then before", async () => {
    const { kinds, member, settle } = setUp();
    kinds.set([CONFIGMAPS], [{ group: "example.com", kind: "Widget" }]);
    await settle();
    expect([names(kinds), kinds.lacks(WIDGET)]).toEqual([["ConfigMap"], "Perhaps"]);
    await settle(10_000);
    expect([kinds.lacks(WIDGET), member.asked]).toEqual(["Surely", 4]);
    member.served.push(WIDGETS);
    kinds.review();
    await settle();
    expect([names(kinds), kinds.lacks(WIDGET)]).toEqual([["ConfigMap", "Widget"], "No"]);
    await settle(600_000);
    expect(member.asked).toBe(5);
  });

  test("that go away are watched until their objects were seen deleted", async () => {
    const { kinds, member, objects, settle } = setUp();
    member.served.push(WIDGETS);
    kinds.set([], [{ group: "example.com", kind: "Widget" }]);
    await settle();
    objects.add("example.com/Widget");
    member.served.pop();
    kinds.review();
    await settle();
    expect([names(kinds), kinds.lacks(WIDGET)]).toEqual([["Widget"], "Perhaps"]);
    objects.clear();
    expect(names(kinds)).toEqual([]);
  });

  test("of a part of the API that is away are not known, and not taken for missing", async () => {
    const { kinds, member, settle } = setUp();
    member.unavailable = ["example.com/v1"];
    kinds.set([], [{ group: "example.com", kind: "Widget" }]);
    await settle();
    expect([kinds.isPending, [...kinds.unsure.keys()], kinds.lacks(WIDGET)]).toEqual([
      false,
      ["example.com/Widget"],
      "No",
    ]);
    member.unavailable = [];
    member.served.push(WIDGETS);
    await settle(2_000);
    expect([names(kinds), kinds.unsure.size]).toEqual([["Widget"], 0]);
  });

  test("of a member that does not answer are not known, until it does", async () => {
    const { kinds, member, settle } = setUp();
    member.fails = true;
    kinds.set([CONFIGMAPS], [{ group: "batch", kind: "CronJob" }]);
    await settle();
    expect([names(kinds), kinds.unsure.size]).toEqual([["ConfigMap"], 1]);
    member.fails = false;
    await settle(2_000);
    expect([names(kinds), kinds.unsure.size]).toEqual([["ConfigMap", "CronJob"], 0]);
  });

  test("are not asked for once the session has ended", async () => {
    const { kinds, member, settle, end } = setUp();
    kinds.set([], [{ group: "example.com", kind: "Widget" }]);
    await settle();
    end.abort();
    await settle(600_000);
    expect(member.asked).toBe(1);
  });

  test("say nothing new while nothing is new", async () => {
    const { kinds, settle, changes } = setUp();
    kinds.set([], [{ group: "example.com", kind: "Widget" }]);
    await settle(600_000);
    // Missing, missing again, missing for certain.
    expect(changes()).toBe(3);
  });

  test("are asked for only where they are not every server's, and once", async () => {
    const { kinds, member, settle } = setUp();
    member.served.push(WIDGETS);
    kinds.set([CONFIGMAPS, WIDGETS], []);
    await settle();
    expect([names(kinds), member.asked, member.invalidated]).toEqual([["ConfigMap", "Widget"], 1, 1]);
    kinds.set([WIDGETS], []);
    await settle(600_000);
    expect([names(kinds), member.asked]).toEqual([["Widget"], 1]);
    kinds.set([], []);
    expect(names(kinds)).toEqual([]);
  });

  test("are watched in the version that the hub sends, as soon as and as long as the member serves that", async () => {
    const { kinds, member, settle, changes } = setUp();
    const v2 = { ...WIDGETS, version: "v2" };
    member.served = [v2, WIDGETS];
    kinds.set([WIDGETS], []);
    await settle();
    expect([kinds.served, changes()]).toEqual([[WIDGETS], 1]);
    kinds.set([v2], []);
    await settle();
    expect([kinds.served, changes()]).toEqual([[v2], 2]);
    member.served = [WIDGETS];
    kinds.doubt("example.com/Widget");
    await settle();
    expect([kinds.served, kinds.serves({ ...WIDGET, apiVersion: "example.com/v2" })]).toEqual([[WIDGETS], false]);
    expect(kinds.serves({ ...WIDGET, apiVersion: "example.com/v1" })).toBe(true);
    expect(kinds.serves({ apiVersion: "v9", kind: "ConfigMap" })).toBe(true);
  });

  test("are looked up from time to time while somebody wants to write in a version that the member does not serve", async () => {
    const { kinds, member, settle, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([WIDGETS], []);
    await settle(600_000);
    expect([kinds.serves({ ...WIDGET, apiVersion: "example.com/v2" }), member.asked]).toEqual([false, 1]);
    member.served = [WIDGETS, { ...WIDGETS, version: "v2" }];
    await settle(30_000);
    expect([kinds.serves({ ...WIDGET, apiVersion: "example.com/v2" }), changes()]).toEqual([true, 2]);
    const { asked } = member;
    await settle(600_000);
    expect(member.asked).toBe(asked);
  });

  test("are watched, where the member does not serve the version of the hub, in the version that the member prefers", async () => {
    const { kinds, member, settle, changes } = setUp();
    const v2 = { ...WIDGETS, version: "v2" };
    member.served = [v2, WIDGETS];
    kinds.set([{ ...WIDGETS, version: "v0" }], []);
    await settle();
    expect(kinds.served).toEqual([v2]);
    member.served = [WIDGETS, v2];
    kinds.review();
    await settle();
    expect([kinds.served, changes()]).toEqual([[WIDGETS], 2]);
  });

  test.each([
    { what: "plural", other: { ...WIDGETS, plural: "gadgets" } },
    { what: "scope", other: { ...WIDGETS, namespaced: false } },
  ])("are others when their $what is another one in the same version", async ({ other }) => {
    const { kinds, member, settle, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([], [WIDGET_KIND]);
    await settle();
    member.served = [other];
    kinds.review();
    await settle();
    expect([kinds.served, changes()]).toEqual([[other], 2]);
  });

  test("stay the same values while they stay what they are", async () => {
    const { kinds, member, settle, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([], [WIDGET_KIND]);
    await settle();
    const [before] = kinds.served;
    member.served = [{ ...WIDGETS }];
    kinds.review();
    await settle();
    expect(kinds.served[0]).toBe(before);
    expect([changes(), member.asked]).toEqual([1, 2]);
  });

  test("have the scale subresource that the hub's definition says", async () => {
    const { kinds, member, settle } = setUp();
    const scale = { spec: ["spec", "replicas"] };
    member.served = [WIDGETS, CRON_JOBS];
    kinds.set([{ ...WIDGETS, scale }], [{ group: "batch", kind: "CronJob" }]);
    await settle();
    expect(kinds.served).toEqual([{ ...WIDGETS, scale }, CRON_JOBS]);
    expect(kinds.served[1]).not.toHaveProperty("scale");
  });
});

describe("a kind of which objects are known and which the member does not serve any more", () => {
  const lost = async (fails?: Error) => {
    const set = setUp();
    set.definitions.fails = fails;
    set.member.served = [WIDGETS];
    set.objects.add("example.com/Widget");
    set.kinds.set([WIDGETS], []);
    await set.settle();
    set.member.served = [];
    set.kinds.doubt("example.com/Widget");
    await set.settle(60_000);
    return set;
  };

  test.each([
    { name: "the definition is gone", fails: new ApiError(404, "NotFound", "no") },
    {
      name: "discovery says so again and again, and definitions may not be read",
      fails: new ApiError(403, "Forbidden", "no"),
    },
  ])("has been removed with its objects when $name", async ({ fails }) => {
    const { kinds, removed, definitions } = await lost(fails);
    expect([kinds.lacks(WIDGET), names(kinds), removed]).toEqual(["Surely", [], ["example.com/Widget"]]);
    expect(definitions.asked).toEqual(["widgets.example.com"]);
  });

  test("keeps its objects while the definition is there, and as long as nobody can say", async () => {
    const { kinds, removed, definitions, settle } = await lost();
    expect([kinds.lacks(WIDGET), names(kinds), removed]).toEqual(["Perhaps", ["Widget"], []]);
    definitions.fails = new ApiError(500, "InternalError", "no");
    await settle(60_000);
    expect([kinds.lacks(WIDGET), removed]).toEqual(["Perhaps", []]);
    definitions.fails = new ApiError(404, "NotFound", "no");
    await settle(120_000);
    expect([kinds.lacks(WIDGET), removed]).toEqual(["Surely", ["example.com/Widget"]]);
  });

  test("keeps its objects where every server has the kind", async () => {
    const { kinds, member, objects, removed, settle } = setUp();
    kinds.set([CONFIGMAPS], []);
    objects.add("/ConfigMap");
    member.served = [WIDGETS];
    kinds.doubt("/ConfigMap");
    await settle(300_000);
    expect([kinds.lacks({ apiVersion: "v1", kind: "ConfigMap" }), removed]).toEqual(["Perhaps", []]);
  });
});

describe("a kind that the member lacks", () => {
  test("is lacking for certain with the third answer in a row that is without it", async () => {
    const { kinds, member, settle } = setUp();
    kinds.set([], [WIDGET_KIND]);
    expect(kinds.lacks(WIDGET)).toBe("No");
    const said: string[] = [];
    for (let answer = 0; answer < 4; answer += 1) {
      kinds.review();
      await settle();
      said.push(kinds.lacks(WIDGET));
    }
    expect([said, member.asked]).toEqual([["Perhaps", "Surely", "Surely", "Surely"], 5]);
    expect(kinds.lacks({ apiVersion: "example.com/v1", kind: "Gadget" })).toBe("No");
    expect(kinds.lacks({ apiVersion: "v1", kind: "Widget" })).toBe("No");
  });

  test("is not spoken of any more once nobody wants it", async () => {
    const { kinds, settle, clock } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle();
    expect(kinds.lacks(WIDGET)).toBe("Perhaps");
    kinds.set([CONFIGMAPS], []);
    expect([kinds.lacks(WIDGET), kinds.isPending]).toEqual(["No", false]);
    await settle(60_000);
    expect(clock.pending).toBe(0);
  });

  test("is asked for after a second, and then at double the distance, half a minute at most", async () => {
    const { kinds, member, settle, clock } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle();
    const distances: number[] = [];
    for (let at = clock.monotonic(), asked = member.asked; distances.length < 7;) {
      await clock.advance(500);
      if (member.asked === asked) continue;
      asked = member.asked;
      distances.push(clock.monotonic() - at);
      at = clock.monotonic();
    }
    expect(distances).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    // Something has changed there: as at the beginning.
    kinds.review();
    await settle();
    const asked = member.asked;
    await settle(999);
    expect(member.asked).toBe(asked);
    await settle(1);
    expect(member.asked).toBe(asked + 1);
    expect(clock.pending).toBe(1);
  });

  test("is counted anew when it was there in between", async () => {
    const { kinds, member, settle } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle(10_000);
    expect(kinds.lacks(WIDGET)).toBe("Surely");
    member.served.push(WIDGETS);
    kinds.review();
    await settle();
    member.served.pop();
    kinds.review();
    await settle();
    expect(kinds.lacks(WIDGET)).toBe("Perhaps");
  });
});

describe("the question which kinds there are", () => {
  test("is asked once more when something changes while it is open, and never twice at a time", async () => {
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

  test("that is answered after the session is of no interest", async () => {
    const { kinds, member, settle, end, changes, clock } = setUp();
    const answer = Promise.withResolvers<void>();
    member.answers = answer.promise;
    member.served.push(WIDGETS);
    kinds.set([], [WIDGET_KIND]);
    await settle();
    end.abort();
    answer.resolve();
    await settle();
    expect([names(kinds), changes(), clock.pending]).toEqual([[], 0, 0]);
  });

  test("that fails with the end of the session says nothing", async () => {
    const { kinds, member, settle, end, changes, clock } = setUp();
    const answer = Promise.withResolvers<void>();
    member.answers = answer.promise;
    kinds.set([], [WIDGET_KIND]);
    await settle();
    end.abort();
    answer.reject(new Error("over"));
    await settle();
    expect([kinds.unsure.size, changes(), clock.pending]).toEqual([0, 0, 0]);
  });

  test("leaves no timer behind when the session ends", async () => {
    const { kinds, settle, end, clock } = setUp();
    kinds.set([], [WIDGET_KIND]);
    await settle();
    expect(clock.pending).toBe(1);
    end.abort();
    expect(clock.pending).toBe(0);
  });

  test("that fails leaves what is known, and says why the rest is not", async () => {
    const { kinds, member, settle, changes } = setUp();
    kinds.set([], [{ group: "batch", kind: "CronJob" }]);
    await settle();
    member.fails = true;
    kinds.set([], [{ group: "batch", kind: "CronJob" }, WIDGET_KIND]);
    await settle();
    expect([names(kinds), kinds.unsure, changes()]).toEqual([
      ["CronJob"],
      new Map([["example.com/Widget", "the member does not say now which kinds it serves"]]),
      2,
    ]);
    expect([kinds.isPending, kinds.lacks(WIDGET)]).toEqual([false, "No"]);
    kinds.set([], [{ group: "batch", kind: "CronJob" }]);
    expect(kinds.unsure.size).toBe(0);
  });

  test("that a part of the API does not answer leaves what is known of that part", async () => {
    const { kinds, member, settle, changes } = setUp();
    member.served = [WIDGETS];
    kinds.set([], [WIDGET_KIND]);
    await settle();
    member.served = [];
    member.unavailable = ["example.com/v1"];
    kinds.set([], [WIDGET_KIND, { group: "example.com", kind: "Gadget" }, { group: "batch", kind: "CronJob" }]);
    await settle();
    expect([names(kinds), changes()]).toEqual([["Widget"], 2]);
    expect(kinds.unsure).toEqual(
      new Map([["example.com/Gadget", "the member does not say now whether it serves example.com/Gadget"]]),
    );
    expect(kinds.lacks({ apiVersion: "batch/v1", kind: "CronJob" })).toBe("Perhaps");
    expect([kinds.lacks(WIDGET), kinds.isPending]).toEqual(["No", false]);
  });
});
