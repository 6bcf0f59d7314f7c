import { describe, expect, test } from "vitest";
import { createLogger } from "../observability/index.ts";
import { CONFIGMAPS, type ResourceType } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { KindsOnMember } from "./kindsOnMember.ts";
import type { MemberSession } from "./types.ts";

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

function setUp() {
  const clock = new FakeClock();
  const end = new AbortController();
  const member = {
    served: [CONFIGMAPS, CRON_JOBS] as ResourceType[],
    unavailable: [] as string[],
    asked: 0,
    fails: false,
  };
  const discovery = {
    invalidate: () => undefined,
    list: async () => {
      member.asked += 1;
      if (member.fails) throw new Error("no answer");
      return member.served;
    },
    unavailable: async () => new Set(member.unavailable),
  };
  const objects = new Set<string>();
  let changes = 0;
  const kinds = new KindsOnMember({
    session: { cluster: "m", discovery, signal: end.signal } as unknown as MemberSession,
    clock,
    random: () => 0,
    logger: createLogger({ level: "silent" }),
    hasObjects: (kind) => objects.has(kind),
    changed: () => (changes += 1),
  });
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(0);
  };
  return { kinds, member, objects, settle, end, changes: () => changes };
}

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
});
