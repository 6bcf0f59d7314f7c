import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { ApiError, CONFIGMAPS, CRDS, NAMESPACES, type ResourceType, SECRETS } from "../../runtime/index.ts";
import type { MemberWriter } from "../write/memberWriter.ts";
import { CONFIG_REF, OWNER } from "../testing/builders.ts";
import { caching, DATABASE_KIND, DATABASE_REF, DATABASES, FORBIDDEN, GONE } from "../testing/cacheHarness.ts";
import { NAMESPACE_REF, numbered, RESET, SECRET_REF, trustOf } from "../testing/cacheHarness.ts";

const KIND = "example.com/Database";
const grant = (kinds: string) => `run \`meridian join shanghai-1 --renew ${kinds}--member-kubeconfig FILE\``;
const NOT_GRANTED = { what: "secrets are not granted", remedy: grant("") };
const DATABASES_NOT_GRANTED = {
  what: "databases are not granted",
  remedy: grant("--kinds databases.example.com "),
};

/** A session that has read its ConfigMaps. */
async function trusted() {
  const parts = caching();
  const session = parts.begin();
  session.watch(CONFIGMAPS);
  await parts.settle();
  expect(trustOf(session.cache)).toBe("all");
  parts.called();
  return { ...parts, ...session };
}

describe("the absence of objects is trusted", () => {
  test("when all kinds are read and the hub's record is known", async () => {
    const { begin, settle, delay, state, called } = caching();
    const answer = delay("secrets");
    state.expected = undefined;
    const { cache, watch } = begin();
    watch(CONFIGMAPS, SECRETS);
    await settle();
    answer();
    await settle();
    expect(trustOf(cache)).toBe("nothing");
    called();
    state.expected = [];
    cache.advance();
    expect([trustOf(cache), called()]).toEqual(["all", ["knows more"]]);
  });

  test.each([[], [NAMESPACES]])("never without kinds, or for namespaces alone: %#", async (...kinds) => {
    const { cache, watch, settle } = await trusted();
    watch(...kinds);
    await settle();
    const fresh = caching();
    const session = fresh.begin();
    session.watch(...kinds);
    await fresh.settle();
    expect([trustOf(cache), trustOf(session.cache)]).toEqual(["nothing", "nothing"]);
  });

  test("whether or not namespaces are read", async () => {
    const { begin, settle, delay } = caching();
    delay("namespaces");
    const { cache, watch } = begin();
    watch(CONFIGMAPS, NAMESPACES);
    await settle();
    expect([trustOf(cache), cache.isSynced(NAMESPACE_REF)]).toEqual(["all", false]);
  });

  test("not while another kind is being read or discovered", async () => {
    const { cache, watch, delay, discovery, settle, called } = await trusted();
    const answer = delay("secrets");
    watch(CONFIGMAPS, SECRETS);
    await settle();
    expect([trustOf(cache), called()]).toEqual(["nothing", ["readability changed"]]);
    answer();
    await settle();
    expect([trustOf(cache), called()]).toEqual(["all", ["knows more"]]);
    const discovered = Promise.withResolvers<void>();
    discovery.answers = discovered.promise;
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    expect([trustOf(cache), cache.readability.unreadable.size]).toEqual(["nothing", 0]);
    discovered.resolve();
    await settle();
    expect(trustOf(cache)).toBe("all");
  });

  test("in part while the member cannot say whether it serves a kind", async () => {
    const { cache, discovery, settle } = await trusted();
    discovery.fails = true;
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    const unreadable = new Map([[KIND, "the member does not say now which kinds it serves"]]);
    expect([trustOf(cache), cache.readability.unreadable]).toEqual(["in part", unreadable]);
    discovery.fails = false;
    await settle(1_000);
    expect([trustOf(cache), cache.readability.unreadable]).toEqual(["all", new Map()]);
  });
});

describe("a kind that cannot be watched", () => {
  const NONE = { unreadable: new Map(), ungranted: new Set(), unserved: new Set() };
  const unwatched = "secrets cannot be watched on the member";
  test.each([
    [FORBIDDEN, { unreadable: new Map([["/Secret", NOT_GRANTED]]), ungranted: new Set(["/Secret"]) }],
    [GONE, { unreadable: new Map([["/Secret", { what: unwatched, why: "gone" }]]), unserved: new Set(["/Secret"]) }],
    [RESET, { unreadable: new Map([["/Secret", unwatched]]) }],
  ])("because of %s is unreadable, and the others are trusted", async (error, want) => {
    const { begin, settle, failures, delay, state, called } = caching();
    failures.set("secrets", error);
    const answer = delay("secrets");
    const { cache, watch } = begin();
    const readability = () => {
      const { unreadable, ungranted, unserved } = cache.readability;
      return { unreadable, ungranted, unserved };
    };
    watch(SECRETS, CONFIGMAPS);
    await settle();
    expect([trustOf(cache), readability()]).toEqual(["nothing", NONE]);
    called();
    answer();
    await settle();
    expect([trustOf(cache), readability(), new Set(called())]).toEqual([
      ...["in part", { ...NONE, ...want }],
      new Set(["knows more"]),
    ]);
    expect([cache.isSynced(SECRET_REF), cache.isSynced(CONFIG_REF)]).toEqual([false, true]);
    expect([cache.readability.blindness, state.suspicions]).toEqual([undefined, 1]);
    failures.clear();
    await settle(60_000);
    expect([trustOf(cache), readability()]).toEqual(["all", NONE]);
  });

  test("in one namespace is unreadable there", async () => {
    const { begin, settle, failures } = caching();
    failures.set("secrets in bank", FORBIDDEN);
    const { cache, watch } = begin({ namespaces: ["default", "bank"] });
    watch(SECRETS);
    await settle();
    const key = "/Secret in bank";
    expect([trustOf(cache), cache.readability.unreadable]).toEqual(["in part", new Map([[key, NOT_GRANTED]])]);
    expect(cache.readability.ungranted).toEqual(new Set([key]));
    const inBank = { ...SECRET_REF, namespace: "bank" };
    expect([cache.isSynced(SECRET_REF), cache.isSynced(inBank)]).toEqual([true, false]);
    expect([cache.mayRemove(SECRET_REF), cache.mayRemove(inBank)]).toEqual([true, false]);
  });

  test("leaves nothing to trust as the only kind", async () => {
    const { begin, settle, failures } = caching();
    failures.set("secrets", FORBIDDEN);
    const { cache, watch } = begin();
    watch(SECRETS, NAMESPACES);
    await settle();
    expect([trustOf(cache), cache.readability.unreadable.size]).toEqual(["nothing", 1]);
  });

  test("is not reported for namespaces, unless the member does not serve them", async () => {
    const { cache, watch, settle, failures } = await trusted();
    failures.set("namespaces", FORBIDDEN);
    watch(CONFIGMAPS, NAMESPACES);
    await settle();
    expect([
      trustOf(cache),
      cache.readability.unreadable.size,
      cache.readability.ungranted.size,
      cache.readability.unserved.size,
    ]).toEqual(["all", 0, 0, 0]);
    failures.set("namespaces", GONE);
    await settle(1_000);
    expect([cache.readability.unreadable.size, cache.readability.unserved]).toEqual([0, new Set(["/Namespace"])]);
  });
});

describe("after half a minute of broken watches the cache is blind", () => {
  test.each<[failing: Record<string, Error>, want: string | undefined, trust: string]>([
    [{ configmaps: RESET }, "configmaps", "all"],
    [{ configmaps: GONE }, undefined, "in part"],
    [{ namespaces: RESET }, undefined, "all"],
  ])("if a watch fails of a kind that the member serves: %#: %s", async (failing, want, trust) => {
    const { cache, watch, settle, failures, member, clock, called } = await trusted();
    watch(CONFIGMAPS, SECRETS, NAMESPACES);
    await settle(5_000);
    const since = clock.now();
    for (const [plural, error] of Object.entries(failing)) failures.set(plural, error);
    member.server.dropWatches(RESET);
    await settle(29_999);
    expect(cache.readability.blindness).toBeUndefined();
    called();
    await settle(1);
    const message = `${want} cannot be watched on the member`;
    expect([cache.readability.blindness, trustOf(cache)]).toEqual([
      want === undefined ? undefined : { since, message },
      trust,
    ]);
    if (want === undefined) return;
    expect(called()).toContain("readability changed");
    failures.clear();
    await settle(10_000);
    expect(cache.readability.blindness).toBeUndefined();
    expect(called()).toContain("readability changed");
  });
});

describe("when most objects vanish at once", () => {
  test("nothing may be removed until a second list agrees", async () => {
    const { cache, settle, create, vanish, held, called, isSeen } = await trusted();
    const refs = numbered(CONFIG_REF, 12);
    create(CONFIGMAPS, ...refs);
    await settle();
    expect([cache.mayRemove(CONFIG_REF), held.at(-1)]).toEqual([true, false]);
    called();
    vanish(CONFIGMAPS);
    await settle();
    expect([trustOf(cache), cache.mayRemove(CONFIG_REF), held.at(-1)]).toEqual(["nothing", false, true]);
    expect([called(), refs.filter(isSeen).length]).toEqual([["readability changed"], 12]);
    await settle(1_000);
    expect([trustOf(cache), cache.mayRemove(CONFIG_REF), held.at(-1)]).toEqual(["all", true, false]);
    expect([called(), refs.filter(isSeen).length]).toEqual([["knows more"], 0]);
  });

  test("and they are namespaces, the other kinds are trusted, until the session ends", async () => {
    const { cache, watch, settle, create, vanish, held, end } = await trusted();
    create(NAMESPACES, ...numbered(NAMESPACE_REF, 12));
    watch(CONFIGMAPS, NAMESPACES);
    await settle();
    vanish(NAMESPACES);
    await settle();
    expect([trustOf(cache), held.at(-1)]).toEqual(["all", true]);
    expect([cache.mayRemove(NAMESPACE_REF), cache.mayRemove(CONFIG_REF)]).toEqual([false, true]);
    end();
    expect(held.at(-1)).toBe(false);
  });

  test("from the hub's record, a second list of the readable kinds has to agree", async () => {
    const { begin, settle, state, failures, held, called, member } = caching();
    state.expected = numbered(CONFIG_REF, 12).map(({ name }) => refKey({ ...OWNER, name }));
    failures.set("secrets", GONE);
    const { cache, watch } = begin();
    watch(CONFIGMAPS, NAMESPACES, SECRETS);
    await settle();
    expect([trustOf(cache), held.at(-1)]).toEqual(["nothing", true]);
    called();
    const lists = () => member.calls.filter((call) => call.startsWith("list"));
    await settle(999);
    expect([trustOf(cache), lists()]).toEqual(["nothing", []]);
    await settle(1);
    expect([trustOf(cache), lists(), held.at(-1)]).toEqual(["in part", ["list configmaps"], false]);
    expect(called()).toContain("knows more");
  });
});

test("a member that went back in time is trusted again after everything was listed anew", async () => {
  const { cache, settle, create, member, clock, delay, called, isSeen } = await trusted();
  const later = { ...CONFIG_REF, name: "later" };
  create(CONFIGMAPS, CONFIG_REF);
  await settle();
  const restore = member.server.backup();
  create(CONFIGMAPS, later);
  await settle();
  expect([isSeen(), isSeen(later)]).toEqual([true, true]);
  // The server's version is read once the watch is open again.
  const answerVersion = delay("list configmaps");
  called();
  restore();
  await settle(250);
  const answerList = delay("watch configmaps");
  answerVersion();
  await settle();
  expect([trustOf(cache), cache.mayRemove(CONFIG_REF), called().at(-1)]).toEqual([
    ...["nothing", false],
    "readability changed",
  ]);
  const message = "the member went back in time; its configmaps are being read anew";
  expect(cache.readability.blindness).toEqual({ since: clock.now(), message });
  answerList();
  await settle();
  expect([trustOf(cache), cache.mayRemove(CONFIG_REF), called().at(-1)]).toEqual(["all", true, "knows more"]);
  expect([isSeen(), isSeen(later), cache.readability.blindness]).toEqual([true, false, undefined]);
});

test.each<[string, (writer: MemberWriter, uid: string) => Promise<unknown>]>([
  ["delete", (writer, uid) => writer.delete(DATABASE_REF, { uid, visible: true }, {})],
  ["find", (writer) => writer.find(DATABASE_REF, { ...DATABASE_REF, uid: "owner" })],
])("a %s uses another served version when the watched version is gone", async (_, act) => {
  const { begin, settle, create, member, discovery, failures, watched, isSeen } = caching();
  const v2: ResourceType = { ...DATABASES, version: "v2" };
  discovery.served = [DATABASES];
  create(DATABASES, DATABASE_REF);
  const { uid = "" } = member.server.get(DATABASES, "default", "shop").metadata;
  const { cache, lane } = begin();
  cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
  await settle();
  failures.set("databases.v1", GONE);
  // Discovery shows the change a moment later.
  member.server.dropWatches(RESET);
  await settle(1_000);
  discovery.served = [v2];
  await settle(30_000);
  expect([watched(), trustOf(cache), isSeen(DATABASE_REF)]).toEqual([["configmaps.v1", "databases.v2"], "all", true]);
  const asked = new Set<string>();
  const { gate } = member;
  member.gate = async (call) => {
    asked.add(`${call.type?.plural}.${call.type?.version}`);
    await gate?.(call);
  };
  await act(lane.writer, uid);
  expect([...asked]).toEqual(["databases.v2"]);
});

test.each([
  [true, "in part", "Perhaps"],
  [false, "all", "Surely"],
] as const)(
  "a kind without a served version keeps its objects while its definition exists: %s",
  async (isDefined, trust, lacks) => {
    const { begin, settle, create, member, discovery, failures, isSeen } = caching();
    discovery.served = [DATABASES];
    create(DATABASES, DATABASE_REF);
    const { cache, watch } = begin();
    watch(CONFIGMAPS, DATABASES);
    await settle();
    failures.set("databases", new ApiError(404, "NotFound", "404 page not found", { ofPath: true }));
    discovery.served = [];
    const metadata = { name: "databases.example.com" };
    if (isDefined) member.server.create(CRDS, { apiVersion: "apiextensions.k8s.io/v1", kind: CRDS.kind, metadata });
    member.server.dropWatches(RESET);
    await settle(60_000);
    expect([trustOf(cache), cache.lacks(DATABASE_REF), isSeen(DATABASE_REF)]).toEqual([trust, lacks, isDefined]);
    if (!isDefined) return;
    expect([[...cache.readability.unreadable.keys()], [...cache.readability.unserved]]).toEqual([[KIND], [KIND]]);
    expect(cache.mayRemove(DATABASE_REF)).toBe(false);
  },
);

describe("a permission that is revoked", () => {
  async function granted(count = 1) {
    const parts = caching();
    parts.discovery.served = [DATABASES];
    parts.create(CONFIGMAPS, CONFIG_REF);
    parts.create(DATABASES, ...(count === 1 ? [DATABASE_REF] : numbered(DATABASE_REF, count)));
    const session = parts.begin();
    session.cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await parts.settle();
    const revoke = async (): Promise<void> => {
      parts.failures.set("databases", FORBIDDEN);
      parts.member.server.dropWatches(RESET);
      await parts.settle(29_999);
    };
    return { ...parts, ...session, revoke };
  }

  test("makes the kind's objects unknown after half a minute; other kinds stay known", async () => {
    const { cache, revoke, settle, isSeen, called, member } = await granted();
    await revoke();
    expect([trustOf(cache), isSeen(DATABASE_REF)]).toEqual(["all", true]);
    called();
    await settle(1);
    expect([trustOf(cache), isSeen(DATABASE_REF), isSeen()]).toEqual(["in part", false, true]);
    expect([cache.readability.unreadable, called()]).toEqual([
      new Map([[KIND, DATABASES_NOT_GRANTED]]),
      ["knows more"],
    ]);
    expect([cache.readability.ungranted, cache.isSynced(DATABASE_REF)]).toEqual([new Set([KIND]), false]);
    expect(cache.mayRemove(DATABASE_REF)).toBe(false);
    // The answer to a write that was under way counts for nothing.
    const { metadata, ...rest } = member.server.get(DATABASES, "default", "shop");
    const object = { ...rest, metadata: { ...metadata, resourceVersion: "999" } };
    cache.observe({ type: DATABASES, object, altered: [] });
    expect(isSeen(DATABASE_REF)).toBe(false);
  });

  test("and granted again has the objects listed anew; the reason stays until then", async () => {
    const { cache, revoke, settle, isSeen, failures, delay, watched, member } = await granted();
    await revoke();
    await settle(1);
    failures.clear();
    // The lost watch is admitted once.
    let answer: (() => void) | undefined;
    const open = member.server.open.bind(member.server);
    member.server.open = (watcher) => {
      if (watcher.type.kind === "Database") answer ??= delay("watch databases");
      return open(watcher);
    };
    await settle(10_000);
    expect([trustOf(cache), cache.readability.unreadable]).toEqual([
      "in part",
      new Map([[KIND, DATABASES_NOT_GRANTED]]),
    ]);
    answer?.();
    await settle();
    expect([trustOf(cache), isSeen(DATABASE_REF), watched()]).toEqual(["all", true, ["configmaps.v1", "databases.v1"]]);
  });

  test("ends held deletions of the kind", async () => {
    const { cache, revoke, settle, vanish, held } = await granted(12);
    vanish(DATABASES);
    await settle();
    expect([trustOf(cache), held.at(-1)]).toEqual(["nothing", true]);
    await revoke();
    expect([trustOf(cache), held.at(-1)]).toEqual(["nothing", true]);
    await settle(1);
    expect([trustOf(cache), held.at(-1)]).toEqual(["in part", false]);
  });
});
