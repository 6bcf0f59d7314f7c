import { describe, expect, test } from "vitest";
import { ApiError, CONFIGMAPS, CRDS, type ResourceType } from "../../runtime/index.ts";
import type { MemberWriter } from "../write/memberWriter.ts";
import { CONFIG_REF } from "../testing/builders.ts";
import {
  caching,
  DATABASE_KIND,
  DATABASE_REF,
  DATABASES,
  FORBIDDEN,
  GONE,
  made,
  numbered,
  RESET,
  trustOf,
} from "../testing/cacheHarness.ts";

const DATABASE_OWNER = { ...DATABASE_REF, uid: "owner" };
const KIND = "example.com/Database";
const CRD_NAME = "databases.example.com";
const NOT_GRANTED =
  "databases are not granted: run `meridian join shanghai-1 --renew --kinds databases.example.com --member-kubeconfig FILE`";

describe("a member that went back in time", () => {
  test("is not trusted until everything was read anew, and then it is", async () => {
    const { begin, settle, member, clock, hang, told, isSeen } = caching();
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS]);
    await settle();
    member.server.create(CONFIGMAPS, made(CONFIG_REF));
    await settle();
    const restore = member.server.backup();
    const later = { ...CONFIG_REF, name: "later" };
    member.server.create(CONFIGMAPS, made(later));
    await settle();
    expect([isSeen(CONFIG_REF), isSeen(later)]).toEqual([true, true]);
    // Where the server is now is asked for once the watch is open again.
    const tell = hang("list configmaps");
    told();
    restore();
    await settle(250);
    const answer = hang("watch configmaps");
    tell();
    await settle();
    expect([trustOf(cache), cache.writer.mayRemove(CONFIG_REF), told().at(-1)]).toEqual([
      "nothing",
      false,
      "sight changed",
    ]);
    expect(cache.blindness).toEqual({
      since: clock.now(),
      message: "the member went back in time; its configmaps are being read anew",
    });
    answer();
    await settle();
    expect([trustOf(cache), cache.writer.mayRemove(CONFIG_REF), told().at(-1)]).toEqual(["all", true, "knows more"]);
    expect([isSeen(CONFIG_REF), isSeen(later), cache.blindness]).toEqual([true, false, undefined]);
  });
});

describe("a version that is not served any more", () => {
  const DATABASES_V2: ResourceType = { ...DATABASES, version: "v2" };

  test.each([
    {
      name: "deleted",
      act: (writer: MemberWriter, uid: string) => writer.delete(DATABASE_REF, { uid, visible: true }),
    },
    {
      name: "let go of",
      act: (writer: MemberWriter, uid: string) => writer.release(DATABASE_REF, { uid, visible: true }),
    },
    { name: "looked for", act: (writer: MemberWriter) => writer.find(DATABASE_REF, DATABASE_OWNER) },
  ])("is replaced by one that is, and objects are $name in that one", async ({ act }) => {
    const { begin, settle, member, discovery, failures, watched, isSeen } = caching();
    discovery.served = [DATABASES];
    const { uid = "" } = member.server.create(DATABASES, made(DATABASE_REF)).metadata;
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    failures.set("databases.v1", GONE);
    // What a server lists of its kinds comes a moment later.
    member.server.dropWatches(RESET);
    await settle(1_000);
    discovery.served = [DATABASES_V2];
    await settle(30_000);
    expect([watched(), trustOf(cache), isSeen(DATABASE_REF)]).toEqual([["configmaps.v1", "databases.v2"], "all", true]);
    const asked: string[] = [];
    const { gate } = member;
    member.gate = async (call) => {
      asked.push(`${call.type?.plural}.${call.type?.version}`);
      await gate?.(call);
    };
    await act(cache.writer, uid);
    expect(new Set(asked)).toEqual(new Set(["databases.v2"]));
  });
});

describe("a kind of which the member serves no version any more", () => {
  const lost = async () => {
    const set = caching();
    const { begin, settle, member, discovery, failures } = set;
    discovery.served = [DATABASES];
    member.server.create(DATABASES, made(DATABASE_REF));
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, DATABASES]);
    await settle();
    failures.set("databases", new ApiError(404, "NotFound", "404 page not found", { ofPath: true }));
    discovery.served = [];
    return { ...set, cache };
  };

  test("is not known, and its objects stay while the definition is there", async () => {
    const { cache, settle, member, isSeen } = await lost();
    member.server.create(CRDS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: CRDS.kind,
      metadata: { name: CRD_NAME },
    });
    member.server.dropWatches(RESET);
    await settle(60_000);
    expect([trustOf(cache), [...cache.unseen.keys()], [...cache.unserved]]).toEqual(["in part", [KIND], [KIND]]);
    expect([cache.writer.mayRemove(DATABASE_REF), cache.writer.lacks(DATABASE_REF), isSeen(DATABASE_REF)]).toEqual([
      false,
      "Perhaps",
      true,
    ]);
  });

  test("has no objects any more when the definition is gone", async () => {
    const { cache, settle, member, isSeen } = await lost();
    member.server.dropWatches(RESET);
    await settle(60_000);
    expect([trustOf(cache), cache.writer.lacks(DATABASE_REF), isSeen(DATABASE_REF)]).toEqual(["all", "Surely", false]);
  });
});

describe("a right that is taken away", () => {
  /** Watches of ConfigMaps and, with a right of its own, of Databases, of which there is one or many. */
  async function granted(count = 1) {
    const parts = caching();
    parts.discovery.served = [DATABASES];
    parts.member.server.create(CONFIGMAPS, made(CONFIG_REF));
    const refs = count === 1 ? [DATABASE_REF] : numbered(DATABASE_REF, count);
    for (const ref of refs) parts.member.server.create(DATABASES, made(ref));
    const session = parts.begin();
    session.cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await parts.settle();
    expect(refs.every((ref) => parts.isSeen(ref))).toBe(true);
    return { ...parts, ...session };
  }
  const takeAway = async ({ failures, member, settle }: Awaited<ReturnType<typeof granted>>) => {
    failures.set("databases", FORBIDDEN);
    member.server.dropWatches(RESET);
    await settle(29_999);
  };

  test("leaves nothing known of those objects, and of all others what was known", async () => {
    const parts = await granted();
    const { cache, settle, isSeen, told } = parts;
    await takeAway(parts);
    expect([trustOf(cache), isSeen(DATABASE_REF)]).toEqual(["all", true]);
    told();
    await settle(1);
    expect([trustOf(cache), isSeen(DATABASE_REF), isSeen(CONFIG_REF)]).toEqual(["in part", false, true]);
    expect([cache.unseen, cache.ungranted, told()]).toEqual([
      new Map([["example.com/Database", NOT_GRANTED]]),
      new Set(["example.com/Database"]),
      ["knows more"],
    ]);
    expect([cache.writer.isSynced(DATABASE_REF), cache.writer.mayRemove(DATABASE_REF)]).toEqual([false, false]);
  });

  test("and given back has them read anew; why they are not known is said until then", async () => {
    const parts = await granted();
    const { cache, settle, isSeen, failures, hang, watched } = parts;
    await takeAway(parts);
    await settle(1);
    failures.clear();
    // The watch that is lost is let through once.
    let answer: (() => void) | undefined;
    const open = parts.member.server.open.bind(parts.member.server);
    parts.member.server.open = (watcher) => {
      if (watcher.type.kind === "Database") answer ??= hang("watch databases");
      return open(watcher);
    };
    await settle(10_000);
    expect([trustOf(cache), cache.unseen]).toEqual(["in part", new Map([["example.com/Database", NOT_GRANTED]])]);
    answer?.();
    await settle();
    expect([trustOf(cache), isSeen(DATABASE_REF), watched()]).toEqual(["all", true, ["configmaps.v1", "databases.v1"]]);
  });

  test("ends what was doubted of those objects", async () => {
    const parts = await granted(12);
    const { cache, settle, vanish, held, failures } = parts;
    vanish(DATABASES);
    await settle();
    expect([trustOf(cache), held.at(-1)]).toEqual(["nothing", true]);
    failures.set("databases", FORBIDDEN);
    parts.member.server.dropWatches(RESET);
    await settle(29_999);
    expect([trustOf(cache), held.at(-1)]).toEqual(["nothing", true]);
    await settle(1);
    expect([trustOf(cache), held.at(-1)]).toEqual(["in part", false]);
  });

  test("takes the answer to a write that was under way for nothing", async () => {
    const parts = await granted();
    const { cache, settle, isSeen, member } = parts;
    await takeAway(parts);
    await settle(1);
    const object = member.server.get(DATABASES, "default", "shop");
    cache.writer.observe({
      type: DATABASES,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: "999" } },
      altered: [],
    });
    expect(isSeen(DATABASE_REF)).toBe(false);
  });
});
