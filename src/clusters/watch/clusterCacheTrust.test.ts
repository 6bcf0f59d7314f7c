import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { CONFIGMAPS, NAMESPACES, SECRETS } from "../../runtime/index.ts";
import { CONFIG_REF, OWNER } from "../testing/builders.ts";
import {
  caching,
  DATABASE_KIND,
  FORBIDDEN,
  GONE,
  made,
  NAMESPACE_REF,
  numbered,
  RESET,
  SECRET_REF,
  trustOf,
} from "../testing/cacheHarness.ts";

const NOT_GRANTED = "secrets are not granted: run `meridian join shanghai-1 --renew --member-kubeconfig FILE`";

/** A session that has read its ConfigMaps. */
async function trusted() {
  const parts = caching();
  const session = parts.begin();
  session.cache.setKinds([CONFIGMAPS]);
  await parts.settle();
  expect(trustOf(session.cache)).toBe("all");
  parts.told();
  return { ...parts, ...session };
}

describe("a cache is trusted", () => {
  test("when all kinds are read and the hub's record is known", async () => {
    const { begin, settle, hang, state, told } = caching();
    const answer = hang("secrets");
    state.expected = undefined;
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, SECRETS]);
    await settle();
    expect(trustOf(cache)).toBe("nothing");
    answer();
    await settle();
    expect(trustOf(cache)).toBe("nothing");
    told();
    state.expected = [];
    expect(trustOf(cache)).toBe("nothing");
    cache.advance();
    expect([trustOf(cache), told()]).toEqual(["all", ["knows more"]]);
  });

  test("with the last kind that is read", async () => {
    const { begin, settle, hang, told } = caching();
    const answer = hang("secrets");
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, SECRETS]);
    await settle();
    expect([trustOf(cache), told()]).toEqual(["nothing", ["sight changed", "knows more"]]);
    answer();
    await settle();
    expect([trustOf(cache), told()]).toEqual(["all", ["knows more"]]);
  });

  test.each([
    { name: "without kinds", kinds: [] },
    { name: "for namespaces alone", kinds: [NAMESPACES] },
  ])("never $name", async ({ kinds }) => {
    const { begin, settle } = caching();
    const { cache } = begin();
    expect(trustOf(cache)).toBe("nothing");
    cache.setKinds(kinds);
    await settle();
    expect(trustOf(cache)).toBe("nothing");
    const before = await trusted();
    before.cache.setKinds(kinds);
    await before.settle();
    expect(trustOf(before.cache)).toBe("nothing");
  });

  test("whether or not namespaces are read", async () => {
    const { begin, settle, hang } = caching();
    hang("namespaces");
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, NAMESPACES]);
    await settle();
    expect([trustOf(cache), cache.writer.isSynced(NAMESPACE_REF)]).toEqual(["all", false]);
  });

  test("no longer when another kind is wanted, until it is read", async () => {
    const { cache, hang, settle } = await trusted();
    const answer = hang("secrets");
    cache.setKinds([CONFIGMAPS, SECRETS]);
    await settle();
    expect(trustOf(cache)).toBe("nothing");
    answer();
    await settle();
    expect(trustOf(cache)).toBe("all");
  });

  test("no longer while the member has not said whether it serves another kind", async () => {
    const { cache, discovery, settle } = await trusted();
    const answer = Promise.withResolvers<void>();
    discovery.answers = answer.promise;
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    expect([trustOf(cache), cache.unseen.size]).toEqual(["nothing", 0]);
    answer.resolve();
    await settle();
    expect(trustOf(cache)).toBe("all");
  });

  test("but for a kind of which the member cannot say whether it serves it", async () => {
    const { cache, discovery, settle } = await trusted();
    discovery.fails = true;
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    expect([trustOf(cache), cache.unseen]).toEqual([
      "in part",
      new Map([["example.com/Database", "the member does not say now which kinds it serves"]]),
    ]);
    discovery.fails = false;
    await settle(1_000);
    expect([trustOf(cache), cache.unseen]).toEqual(["all", new Map()]);
  });
});

describe("a kind that cannot be watched", () => {
  const NONE = { unseen: new Map(), ungranted: new Set(), unserved: new Set() };
  test.each([
    {
      name: "for want of a right",
      error: FORBIDDEN,
      want: { ...NONE, unseen: new Map([["/Secret", NOT_GRANTED]]), ungranted: new Set(["/Secret"]) },
    },
    {
      name: "since it is not served",
      error: GONE,
      want: {
        ...NONE,
        unseen: new Map([["/Secret", "secrets cannot be watched on the member: gone"]]),
        unserved: new Set(["/Secret"]),
      },
    },
    {
      name: "since nothing answers",
      error: RESET,
      want: { ...NONE, unseen: new Map([["/Secret", "secrets cannot be watched on the member"]]) },
    },
  ])("$name is not known, and the others are", async ({ error, want }) => {
    const { begin, settle, failures, state } = caching();
    failures.set("secrets", error);
    const { cache } = begin();
    cache.setKinds([SECRETS, CONFIGMAPS]);
    await settle();
    expect(trustOf(cache)).toBe("in part");
    expect({ unseen: cache.unseen, ungranted: cache.ungranted, unserved: cache.unserved }).toEqual(want);
    expect([cache.writer.isSynced(SECRET_REF), cache.writer.isSynced(CONFIG_REF)]).toEqual([false, true]);
    expect([cache.blindness, state.suspicions]).toEqual([undefined, 1]);
    failures.clear();
    await settle(60_000);
    expect(trustOf(cache)).toBe("all");
    expect({ unseen: cache.unseen, ungranted: cache.ungranted, unserved: cache.unserved }).toEqual(NONE);
  });

  test("in one namespace is not known there", async () => {
    const { begin, settle, failures } = caching();
    failures.set("secrets in bank", FORBIDDEN);
    const { cache } = begin({ namespaces: ["default", "bank"] });
    cache.setKinds([SECRETS]);
    await settle();
    expect([trustOf(cache), cache.unseen, cache.ungranted]).toEqual([
      "in part",
      new Map([["/Secret in bank", NOT_GRANTED]]),
      new Set(["/Secret in bank"]),
    ]);
    const inBank = { ...SECRET_REF, namespace: "bank" };
    expect([cache.writer.isSynced(SECRET_REF), cache.writer.isSynced(inBank)]).toEqual([true, false]);
    expect([cache.writer.mayRemove(SECRET_REF), cache.writer.mayRemove(inBank)]).toEqual([true, false]);
  });

  test("leaves nothing to trust where it is the only one", async () => {
    const { begin, settle, failures } = caching();
    failures.set("secrets", FORBIDDEN);
    const { cache } = begin();
    cache.setKinds([SECRETS, NAMESPACES]);
    await settle();
    expect([trustOf(cache), cache.unseen.size]).toEqual(["nothing", 1]);
  });

  test("may be the last one to wait for", async () => {
    const { begin, settle, failures, hang, told } = caching();
    failures.set("secrets", FORBIDDEN);
    const answer = hang("secrets");
    const { cache } = begin();
    cache.setKinds([SECRETS, CONFIGMAPS]);
    await settle();
    expect([trustOf(cache), cache.unseen]).toEqual(["nothing", new Map()]);
    told();
    answer();
    await settle();
    expect([trustOf(cache), told()]).toEqual(["in part", ["knows more"]]);
  });

  test("is no news where it is that of namespaces, unless the member does not serve them", async () => {
    const { cache, settle, failures } = await trusted();
    failures.set("namespaces", FORBIDDEN);
    cache.setKinds([CONFIGMAPS, NAMESPACES]);
    await settle();
    expect([trustOf(cache), cache.unseen, cache.ungranted, cache.unserved]).toEqual([
      "all",
      new Map(),
      new Set(),
      new Set(),
    ]);
    failures.set("namespaces", GONE);
    await settle(1_000);
    expect([cache.unseen, cache.unserved]).toEqual([new Map(), new Set(["/Namespace"])]);
  });

  test("any more, though it was read before, is known as it was then", async () => {
    const { cache, settle, failures, member } = await trusted();
    failures.set("configmaps", FORBIDDEN);
    member.server.dropWatches(RESET);
    await settle(1_000);
    expect([trustOf(cache), cache.unseen, cache.ungranted]).toEqual(["all", new Map(), new Set()]);
  });
});

describe("what is known is old", () => {
  const REFUSED = RESET;
  test.each([
    { name: "where a watch is broken", failing: { configmaps: REFUSED }, want: "configmaps" },
    { name: "where the second one is", failing: { secrets: REFUSED }, want: "secrets" },
    {
      name: "not where a kind is not served any more, of which nothing is known then",
      failing: { configmaps: GONE },
      want: undefined,
      trust: "in part",
    },
    {
      name: "where a kind is not served any more, and another watch is broken",
      failing: { configmaps: GONE, secrets: REFUSED },
      want: "secrets",
      trust: "in part",
    },
    { name: "not where that of namespaces is broken", failing: { namespaces: REFUSED }, want: undefined },
    { name: "not where all watches go on", failing: {}, want: undefined },
  ])("$name", async ({ failing, want, trust = "all" }) => {
    const { cache, settle, failures, member, clock, told } = await trusted();
    cache.setKinds([CONFIGMAPS, SECRETS, NAMESPACES]);
    await settle(5_000);
    const since = clock.now();
    for (const [plural, error] of Object.entries(failing)) failures.set(plural, error);
    member.server.dropWatches(RESET);
    await settle(29_999);
    expect(cache.blindness).toBeUndefined();
    told();
    await settle(1);
    expect(cache.blindness).toEqual(
      want === undefined ? undefined : { since, message: `${want} cannot be watched on the member` },
    );
    expect(trustOf(cache)).toBe(trust);
    if (want !== undefined) expect(told()).toContain("sight changed");
  });

  test("no longer once the watch works again", async () => {
    const { cache, settle, failures, member, told } = await trusted();
    failures.set("configmaps", REFUSED);
    member.server.dropWatches(RESET);
    await settle(60_000);
    expect(cache.blindness).toBeDefined();
    told();
    failures.clear();
    await settle(10_000);
    expect([cache.blindness, told()]).toEqual([undefined, ["sight changed"]]);
  });
});

describe("when most objects are gone at once", () => {
  test("none may be removed, and the cache is not trusted, until a second read agrees", async () => {
    const { cache, settle, member, vanish, held, told, isSeen } = await trusted();
    const refs = numbered(CONFIG_REF, 12);
    for (const ref of refs) member.server.create(CONFIGMAPS, made(ref));
    await settle();
    expect([cache.writer.mayRemove(CONFIG_REF), held.at(-1)]).toEqual([true, false]);
    told();
    vanish(CONFIGMAPS);
    await settle();
    expect([trustOf(cache), cache.writer.mayRemove(CONFIG_REF), held.at(-1)]).toEqual(["nothing", false, true]);
    expect([told(), refs.filter(isSeen).length]).toEqual([["sight changed"], 12]);
    await settle(1_000);
    expect([trustOf(cache), cache.writer.mayRemove(CONFIG_REF), held.at(-1)]).toEqual(["all", true, false]);
    expect([told(), refs.filter(isSeen).length]).toEqual([["knows more"], 0]);
  });

  test("and they are namespaces, the rest is trusted; the end of the session ends it", async () => {
    const { cache, settle, member, vanish, held, end } = await trusted();
    for (const ref of numbered(NAMESPACE_REF, 12)) member.server.create(NAMESPACES, made(ref));
    cache.setKinds([CONFIGMAPS, NAMESPACES]);
    await settle();
    vanish(NAMESPACES);
    await settle();
    expect([trustOf(cache), held.at(-1)]).toEqual(["all", true]);
    expect([cache.writer.mayRemove(NAMESPACE_REF), cache.writer.mayRemove(CONFIG_REF)]).toEqual([false, true]);
    end();
    expect(held.at(-1)).toBe(false);
  });

  test("before the first read, a second one of what was read has to agree", async () => {
    const { begin, settle, state, failures, held, told, member } = caching();
    state.expected = numbered(CONFIG_REF, 12).map(({ name }) => refKey({ ...OWNER, name }));
    failures.set("secrets", GONE);
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, NAMESPACES, SECRETS]);
    await settle();
    expect([trustOf(cache), held.at(-1)]).toEqual(["nothing", true]);
    told();
    await settle(999);
    const lists = () => member.calls.filter((call) => call.startsWith("list"));
    expect([trustOf(cache), lists()]).toEqual(["nothing", []]);
    await settle(1);
    expect([trustOf(cache), lists(), held.at(-1)]).toEqual(["in part", ["list configmaps"], false]);
    expect(told()).toContain("knows more");
  });
});
