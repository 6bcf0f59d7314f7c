import { describe, expect, test } from "vitest";
import {
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  type ObjectRef,
  refKey,
} from "../../apis/index.ts";
import { ApiError, CONFIGMAPS, NAMESPACES, SECRETS } from "../../runtime/index.ts";
import type { ClusterCache } from "./clusterCache.ts";
import { CONFIG_REF, deleteRow, row, seen } from "../testing/builders.ts";
import {
  caching,
  DATABASE_KIND,
  DATABASE_REF,
  DATABASES,
  made,
  NAMESPACE_REF,
  numbered,
  SECRET_REF,
} from "../testing/cacheHarness.ts";

const SCALE = { spec: ["spec", "instances"] };
const DATABASE = made(DATABASE_REF, { spec: { instances: 3 } });
const COUNTS = { desired: 3, updated: 0, ready: 0, available: 0 };

/** A session that has read these kinds. */
async function reading(...kinds: Parameters<ClusterCache["setKinds"]>) {
  const parts = caching();
  parts.discovery.served = [DATABASES];
  const session = parts.begin();
  session.cache.setKinds(...kinds);
  await parts.settle();
  return { ...parts, ...session };
}

describe("what the watches bring", () => {
  test("is known as it comes, changes and goes", async () => {
    const { settle, member, find, isSeen } = await reading([CONFIGMAPS]);
    member.server.create(CONFIGMAPS, made(CONFIG_REF));
    await settle();
    expect(find().observed).toMatchObject({ ref: CONFIG_REF, isOurs: true, visible: true, hash: undefined });
    member.server.merge(CONFIGMAPS, "default", "shop", { metadata: { annotations: { [HASH_ANNOTATION]: "h2" } } });
    await settle();
    expect(find().observed?.hash).toBe("h2");
    member.server.delete(CONFIGMAPS, "default", "shop");
    await settle();
    expect(isSeen()).toBe(false);
  });

  test.each([
    { name: "another label", labels: { [MANAGED_BY_LABEL]: "other" }, annotations: {} },
    { name: "the name of another object", labels: {}, annotations: { [OBJECT_ANNOTATION]: refKey(SECRET_REF) } },
  ])("is nothing of ours with $name", async ({ labels, annotations }) => {
    const { settle, member, isSeen } = await reading([CONFIGMAPS]);
    const { metadata, ...rest } = made(CONFIG_REF);
    const strange = {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
    };
    member.server.create(CONFIGMAPS, { ...rest, metadata: { ...strange, name: "copy" } });
    member.server.create(CONFIGMAPS, made(CONFIG_REF));
    await settle();
    expect([isSeen({ ...CONFIG_REF, name: "copy" }), isSeen()]).toEqual([false, true]);
    member.server.merge(CONFIGMAPS, "default", "shop", { metadata: { labels, annotations } });
    await settle();
    expect(isSeen()).toBe(false);
  });

  test.each([
    { name: "where a row asks for more", asks: true, kept: true },
    { name: "not where no row does", asks: false, kept: false },
  ])("is kept whole $name", async ({ asks, kept }) => {
    const { settle, member, find, take, objects } = await reading([CONFIGMAPS]);
    if (asks) take(row({ reporting: {} }));
    objects.tookFirstRows();
    member.server.create(CONFIGMAPS, made(CONFIG_REF));
    await settle();
    expect(find().observed?.evidence.content !== undefined).toBe(kept);
  });

  test("says how many replicas there are, where the definition says where that is", async () => {
    const { settle, member, find } = await reading([{ ...DATABASES, scale: SCALE }]);
    member.server.create(DATABASES, DATABASE);
    await settle();
    expect(find(DATABASE_REF).observed?.health.replicas).toEqual(COUNTS);
  });

  test.each([
    { name: "nothing is asked for", asked: 0, expected: undefined, isRead: false },
    { name: "something is asked for", asked: 1, expected: undefined, isRead: true },
    { name: "something was asked for by the hub's record", asked: 0, expected: ["a"], isRead: true },
    { name: "something is asked for and the record is empty", asked: 1, expected: [], isRead: true },
  ])("is too much to be read with 5001 objects where $name: it is read $isRead", async (given) => {
    const { begin, settle, member, take, state } = caching();
    state.expected = given.expected;
    for (let index = 0; index < given.asked; index += 1) take(row());
    for (const ref of numbered(CONFIG_REF, 5_001)) member.server.create(CONFIGMAPS, made(ref));
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS]);
    await settle();
    expect([cache.writer.isSynced(CONFIG_REF), cache.unseen.size]).toEqual([given.isRead, given.isRead ? 0 : 1]);
  });
});

describe("the answer to a write", () => {
  const answer = (ref: ObjectRef, version: string, more: Partial<KubeObject> = {}): KubeObject => {
    const { metadata, ...rest } = made(ref, more);
    return { ...rest, metadata: { ...metadata, uid: "answered", resourceVersion: version } };
  };
  const unmarked = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, labels: {} } });

  test("is known at once, unless the watch has shown what came after it", async () => {
    const { cache, isSeen, find } = await reading([CONFIGMAPS]);
    cache.writer.observe({ type: CONFIGMAPS, object: answer(CONFIG_REF, "1"), altered: [] });
    expect(isSeen()).toBe(false);
    cache.writer.observe({ type: CONFIGMAPS, object: answer(CONFIG_REF, "999"), altered: [] });
    expect(find().observed).toMatchObject({ uid: "answered", visible: true });
  });

  test("of which the watch shows nothing is known from it alone", async () => {
    const { cache, settle, find, objects } = await reading([{ ...DATABASES, scale: SCALE }]);
    objects.tookFirstRows();
    const type = { ...DATABASES, scale: SCALE };
    const object = unmarked(answer(DATABASE_REF, "1", { spec: { instances: 3 } }));
    cache.writer.observe({ type, object, altered: [] });
    await settle();
    expect(find(DATABASE_REF).observed).toMatchObject({ uid: "answered", visible: false, proven: true });
    expect(find(DATABASE_REF).observed?.health.replicas).toEqual(COUNTS);
    expect(find(DATABASE_REF).observed?.evidence.content).toBeUndefined();
  });

  test("is kept whole where a row asks for more", async () => {
    const { cache, settle, find, take, objects } = await reading([CONFIGMAPS]);
    take(row({ reporting: {} }));
    objects.tookFirstRows();
    cache.writer.observe({ type: CONFIGMAPS, object: unmarked(answer(CONFIG_REF, "1")), altered: [] });
    await settle();
    expect(find().observed?.evidence.content).toBeDefined();
  });

  test("of a kind that is not watched any more is left to the next watch", async () => {
    const { cache, isSeen } = await reading([SECRETS]);
    cache.writer.observe({ type: CONFIGMAPS, object: answer(CONFIG_REF, "999"), altered: [] });
    expect(isSeen()).toBe(false);
  });
});

describe("what an earlier session saw", () => {
  const next = async (parts: Awaited<ReturnType<typeof reading>>, namespaces?: readonly string[]) => {
    parts.end();
    await parts.settle();
    parts.changes.length = 0;
    const session = parts.begin(namespaces === undefined ? {} : { namespaces });
    session.cache.setKinds([CONFIGMAPS, NAMESPACES], [DATABASE_KIND]);
    return session;
  };

  test("and is there is known all the time", async () => {
    const parts = await reading([CONFIGMAPS, NAMESPACES]);
    parts.member.server.create(CONFIGMAPS, made(CONFIG_REF));
    parts.member.server.create(NAMESPACES, made(NAMESPACE_REF));
    await parts.settle();
    await next(parts);
    await parts.settle();
    expect([parts.isSeen(), parts.isSeen(NAMESPACE_REF)]).toEqual([true, true]);
    expect(parts.changes.filter((change) => change.startsWith("-"))).toEqual([]);
  });

  test("and is gone is known to be gone", async () => {
    const parts = await reading([CONFIGMAPS, NAMESPACES]);
    parts.member.server.create(CONFIGMAPS, made(CONFIG_REF));
    parts.member.server.create(NAMESPACES, made(NAMESPACE_REF));
    await parts.settle();
    parts.vanish(CONFIGMAPS);
    parts.vanish(NAMESPACES);
    await next(parts);
    expect([parts.isSeen(), parts.isSeen(NAMESPACE_REF)]).toEqual([true, true]);
    await parts.settle();
    expect([parts.isSeen(), parts.isSeen(NAMESPACE_REF)]).toEqual([false, false]);
  });

  test("and is gone for the most part is known until a second read agrees", async () => {
    const parts = await reading([CONFIGMAPS]);
    const refs = numbered(CONFIG_REF, 12);
    for (const ref of refs) parts.member.server.create(CONFIGMAPS, made(ref));
    await parts.settle();
    parts.vanish(CONFIGMAPS);
    const { cache } = await next(parts);
    await parts.settle();
    expect([refs.every((ref) => parts.isSeen(ref)), cache.writer.mayRemove(CONFIG_REF)]).toEqual([true, false]);
    await parts.settle(1_000);
    expect([refs.some((ref) => parts.isSeen(ref)), cache.writer.mayRemove(CONFIG_REF)]).toEqual([false, true]);
  });

  test("of another kind, with the same name, is none of a watch's business", async () => {
    const parts = await reading([CONFIGMAPS, SECRETS]);
    const namesake: ObjectRef = { ...CONFIG_REF, apiVersion: "example.com/v1" };
    parts.member.server.create(SECRETS, made(SECRET_REF));
    parts.objects.observe(namesake, seen({ ref: namesake }));
    await parts.settle();
    await next(parts);
    await parts.settle();
    expect([parts.isSeen(SECRET_REF), parts.isSeen(namesake)]).toEqual([true, true]);
    expect(parts.changes).toEqual([]);
  });

  test("in another namespace is none of the business of the watch of one", async () => {
    const parts = await reading([CONFIGMAPS]);
    const inBank = { ...CONFIG_REF, namespace: "bank" };
    parts.member.server.create(CONFIGMAPS, made(CONFIG_REF));
    parts.member.server.create(CONFIGMAPS, made(inBank));
    await parts.settle();
    parts.vanish(CONFIGMAPS);
    await next(parts, ["bank"]);
    await parts.settle();
    expect([parts.isSeen(), parts.isSeen(inBank)]).toEqual([true, false]);
  });

  test("from answers alone is not missed by a watch, which could not see it", async () => {
    const parts = await reading([CONFIGMAPS]);
    const refs = numbered(CONFIG_REF, 12);
    for (const ref of refs) parts.objects.observe(ref, seen({ ref, visible: false }));
    const { cache } = await next(parts);
    await parts.settle();
    expect([refs.every((ref) => parts.isSeen(ref)), cache.writer.mayRemove(CONFIG_REF)]).toEqual([true, true]);
  });
});

describe("the writer of a session", () => {
  test("writes what is watched, and nothing else", async () => {
    const { cache, member } = await reading([CONFIGMAPS]);
    await cache.writer.create(row());
    expect(member.server.list(CONFIGMAPS)).toHaveLength(1);
    await expect(cache.writer.create(row({ ref: SECRET_REF }))).rejects.toMatchObject({
      status: 404,
      apiMessage: expect.stringContaining("the member does not serve Secret") as string,
    });
    expect(member.calls).not.toContain("apply secrets");
  });

  test("knows which kinds are read", async () => {
    const { begin, settle, hang } = caching();
    const answer = hang("configmaps");
    const { cache } = begin();
    const knows = () => [cache.writer.isSynced(CONFIG_REF), cache.writer.mayRemove(CONFIG_REF)];
    expect(knows()).toEqual([false, false]);
    cache.setKinds([CONFIGMAPS]);
    await settle();
    expect(knows()).toEqual([false, false]);
    answer();
    await settle();
    expect(knows()).toEqual([true, true]);
    expect([cache.writer.isSynced(SECRET_REF), cache.writer.mayRemove(SECRET_REF)]).toEqual([false, false]);
  });

  test("knows nothing of what is in no namespace, where the credentials reach some namespaces only", async () => {
    const { begin, settle } = caching();
    const { cache } = begin({ namespaces: ["default"] });
    cache.setKinds([CONFIGMAPS, NAMESPACES]);
    await settle();
    expect([cache.writer.isSynced(CONFIG_REF), cache.writer.isSynced(NAMESPACE_REF)]).toEqual([true, false]);
  });

  test("tells when an object that no watch shows is gone", async () => {
    const { cache, failures, find, isSeen, objects } = await reading([CONFIGMAPS]);
    objects.observe(CONFIG_REF, seen({ visible: false }));
    const { observed } = find();
    failures.set("apply configmaps", new ApiError(404, "NotFound", 'configmaps "shop" not found'));
    if (observed === undefined) throw new Error("nothing was observed");
    await expect(cache.writer.update(row(), observed, [])).rejects.toThrow("not found");
    expect(isSeen()).toBe(false);
  });

  test("has the member asked anew which kinds it serves", async () => {
    const { cache, discovery } = await reading([CONFIGMAPS]);
    cache.writer.doubtKind(CONFIG_REF);
    expect(discovery.invalidated).toBeGreaterThan(0);
  });

  test("acts for this hub, and leaves the namespace of Meridian alone", async () => {
    const { cache, member } = await reading([CONFIGMAPS]);
    const ref = { ...CONFIG_REF, namespace: "meridian-system" };
    member.server.create(CONFIGMAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shop", namespace: ref.namespace },
    });
    const object = { ...row().object, metadata: { name: "shop", namespace: ref.namespace } };
    await expect(cache.writer.create(row({ ref, object, conflictResolution: "Adopt" }))).rejects.toMatchObject({
      reason: "NotAdoptable",
    });
    expect([cache.writer.isJoined, cache.writer.isOver]).toEqual([true, false]);
  });

  test("ends with the session", async () => {
    const { cache, end } = await reading([CONFIGMAPS]);
    end();
    expect(cache.writer.isOver).toBe(true);
  });

  test("makes the namespace that is missing, with the labels of the hub's", async () => {
    const { cache, failures, member, namespaceLabels } = await reading([CONFIGMAPS]);
    namespaceLabels.take({
      verb: "Apply",
      ref: CONFIG_REF,
      namespaceLabels: { "pod-security.kubernetes.io/enforce": "baseline" },
    });
    const missing = new ApiError(404, "NotFound", 'namespaces "default" not found', {
      details: { kind: "namespaces" },
    });
    failures.set("apply configmaps", missing);
    await expect(cache.writer.create(row())).rejects.toBe(missing);
    expect(member.server.get(NAMESPACES, undefined, "default").metadata.labels).toEqual({
      [MANAGED_BY_LABEL]: "hub",
      "pod-security.kubernetes.io/enforce": "baseline",
    });
  });
});

describe("a namespace of ours", () => {
  async function withNamespace() {
    const parts = await reading([CONFIGMAPS, NAMESPACES]);
    parts.member.server.create(NAMESPACES, made(NAMESPACE_REF));
    await parts.settle();
    return parts;
  }
  const names = ({ member }: Awaited<ReturnType<typeof withNamespace>>): string[] =>
    member.server.list(NAMESPACES).map(({ metadata }) => metadata.name);

  test("goes when a row says so and it stays empty", async () => {
    const parts = await withNamespace();
    const { cache, settle, find, take, discovery } = parts;
    discovery.served = [];
    take(deleteRow({ ref: NAMESPACE_REF, uid: find(NAMESPACE_REF).observed?.uid ?? "" }));
    cache.namespaceCleaner.enqueue(find(NAMESPACE_REF));
    await settle(29_999);
    expect(names(parts)).toEqual(["default"]);
    await settle(1);
    expect(names(parts)).toEqual([]);
  });

  test("stays while it is not known what else is there", async () => {
    const parts = await withNamespace();
    const { cache, settle, find, take, discovery } = parts;
    discovery.served = [];
    cache.setKinds([CONFIGMAPS]);
    take(deleteRow({ ref: NAMESPACE_REF, uid: find(NAMESPACE_REF).observed?.uid ?? "" }));
    cache.namespaceCleaner.enqueue(find(NAMESPACE_REF));
    await settle(60_000);
    expect(names(parts)).toEqual(["default"]);
  });

  test("gets the labels of the hub's", async () => {
    const { cache, settle, find, member, namespaceLabels } = await withNamespace();
    namespaceLabels.take({
      verb: "Apply",
      ref: CONFIG_REF,
      namespaceLabels: { "pod-security.kubernetes.io/enforce": "baseline" },
    });
    cache.namespaceLabeller.enqueue(find(NAMESPACE_REF));
    await settle();
    expect(member.server.get(NAMESPACES, undefined, "default").metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "baseline",
    });
  });
});
