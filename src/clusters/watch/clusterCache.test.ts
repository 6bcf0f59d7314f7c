import { describe, expect, test } from "vitest";
import { HASH_ANNOTATION, type KubeObject, MANAGED_BY_LABEL, OBJECT_ANNOTATION, refKey } from "../../apis/index.ts";
import { ApiError, CONFIGMAPS, NAMESPACES, type ResourceType, SECRETS } from "../../runtime/index.ts";
import { CONFIG_REF, row, seen } from "../testing/builders.ts";
import { caching, DATABASE_KIND, DATABASE_REF, DATABASES, GONE, made } from "../testing/cacheHarness.ts";
import { NAMESPACE_REF, numbered, RESET, SECRET_REF, trustOf } from "../testing/cacheHarness.ts";

const SCALE = { spec: ["spec", "instances"] };
const SCALED = { ...DATABASES, scale: SCALE };
const COUNTS = { desired: 3, updated: 0, ready: 0, available: 0 };

/** A session that has read these kinds. */
async function reading(...kinds: ResourceType[]) {
  const parts = caching();
  parts.discovery.served = [DATABASES];
  const session = parts.begin();
  session.watch(...kinds);
  await parts.settle();
  return { ...parts, ...session };
}

describe("the watches of a session", () => {
  test("are one for each kind, with our label", async () => {
    const { begin, settle, member, called, state } = caching();
    begin().watch(CONFIGMAPS, NAMESPACES);
    expect(called()).toEqual(["readability changed"]);
    await settle();
    const labelSelector = `${MANAGED_BY_LABEL}=hub`;
    expect([...member.server.watchers]).toMatchObject([
      { type: CONFIGMAPS, options: { labelSelector } },
      { type: NAMESPACES, options: { labelSelector } },
    ]);
    expect([called(), state.suspicions]).toEqual([["knows more", "knows more"], 0]);
  });

  test("are one for each granted namespace, without cluster-scoped kinds", async () => {
    const { begin, settle, watched } = caching();
    const { cache, watch } = begin({ namespaces: ["default", "bank"] });
    watch(CONFIGMAPS, SECRETS, NAMESPACES);
    await settle();
    const places = ["configmaps.v1 in bank", "configmaps.v1 in default", "secrets.v1 in bank", "secrets.v1 in default"];
    expect(watched()).toEqual(places);
    expect([cache.isSynced(CONFIG_REF), cache.isSynced(NAMESPACE_REF)]).toEqual([true, false]);
  });

  test("stay for the same kinds, begin again for another version, and keep the known objects", async () => {
    const { cache, watch, settle, member, watched, create, changes } = await reading(CONFIGMAPS);
    create(CONFIGMAPS, CONFIG_REF);
    await settle();
    const before = member.calls.length;
    watch({ ...CONFIGMAPS });
    await settle();
    expect([member.calls.length, watched()]).toEqual([before, ["configmaps.v1"]]);
    watch({ ...CONFIGMAPS, version: "v2" });
    await settle();
    expect([watched(), trustOf(cache)]).toEqual([["configmaps.v2"], "all"]);
    expect(changes).not.toContain("- ConfigMap shop");
  });

  test("end with their kind or with the session, with a reason, and none begins after the session", async () => {
    const { begin, settle, member, discovery, called, held, watched } = caching();
    const signals: (AbortSignal | undefined)[] = [];
    member.gate = ({ verb, options, phase }) => {
      if (verb === "watch" && phase === "before") signals.push(options.signal);
    };
    const { cache, watch, end } = begin();
    watch(CONFIGMAPS, SECRETS);
    await settle();
    watch(SECRETS);
    await settle();
    expect([watched(), signals[0]?.reason]).toEqual([["secrets.v1"], new Error("/ConfigMap is not watched any more")]);
    end();
    expect(signals[1]?.reason).toEqual(new Error("the session is over"));
    await settle();
    const calls = member.calls.length;
    called();
    held.length = 0;
    cache.setKinds([CONFIGMAPS, SECRETS], [DATABASE_KIND]);
    cache.reviewKinds();
    cache.advance();
    await settle(60_000);
    expect([member.calls.length, discovery.asked, watched(), called(), held]).toEqual([calls, 0, [], [], []]);
  });

  test("that end before their first answer report nothing", async () => {
    const { begin, settle, delay, called, watched } = caching();
    const answer = delay("configmaps");
    const { watch } = begin();
    watch(CONFIGMAPS);
    await settle();
    watch();
    await settle();
    answer();
    await settle(60_000);
    expect([called(), watched()]).toEqual([["readability changed", "readability changed"], []]);
  });

  test("ask for one probe when they break", async () => {
    const { settle, member, state } = await reading(CONFIGMAPS);
    member.server.dropWatches(RESET);
    await settle(1_000);
    expect(state.suspicions).toBe(1);
  });

  test.each([
    ["the member is back", ["watch configmaps", "watch secrets"]],
    ["a definition has changed", ["watch configmaps"]],
  ])("in backoff retry at once when %s", async (why, want) => {
    const { begin, settle, member, failures } = caching();
    const { cache, watch } = begin();
    failures.set("configmaps", GONE).set("secrets", RESET);
    watch(CONFIGMAPS, SECRETS, NAMESPACES);
    await settle(60_000);
    member.calls.length = 0;
    await settle();
    expect(member.calls).toEqual([]);
    if (why === "the member is back") cache.retryWatches();
    else cache.reviewKinds();
    await settle();
    expect(member.calls).toEqual(want);
  });
});

describe("a custom kind", () => {
  test("is watched in the version that the member serves, once its definition is there", async () => {
    const { begin, settle, watched, discovery, called } = caching();
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    expect([watched(), cache.lacks(DATABASE_REF)]).toEqual([["configmaps.v1"], "Perhaps"]);
    called();
    discovery.served = [{ ...DATABASES, version: "v3" }];
    cache.reviewKinds();
    await settle();
    expect([watched(), cache.lacks(DATABASE_REF)]).toEqual([["configmaps.v1", "databases.v3"], "No"]);
    expect(called()).toContain("knows more");
  });
});

describe("a watched object", () => {
  test("is observed when it is created, changed and deleted", async () => {
    const { settle, create, member, find, isSeen } = await reading(CONFIGMAPS);
    create(CONFIGMAPS, CONFIG_REF);
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
    ["another label", { labels: { [MANAGED_BY_LABEL]: "other" } }],
    ["the name of another object", { annotations: { [OBJECT_ANNOTATION]: refKey(SECRET_REF) } }],
  ])("with %s is not ours", async (_, metadata) => {
    const { settle, create, member, isSeen } = await reading(CONFIGMAPS);
    create(CONFIGMAPS, CONFIG_REF);
    await settle();
    expect(isSeen()).toBe(true);
    member.server.merge(CONFIGMAPS, "default", "shop", { metadata });
    await settle();
    expect(isSeen()).toBe(false);
  });

  test.each([true, false])("keeps its content if a row asks for a report: %s", async (asks) => {
    const { settle, create, find, take, objects } = await reading(CONFIGMAPS);
    if (asks) take(row({ reporting: {} }));
    objects.tookAllRows();
    create(CONFIGMAPS, CONFIG_REF);
    await settle();
    expect(find().observed?.evidence.content !== undefined).toBe(asks);
  });

  test("has the replica counts of the scale subresource", async () => {
    const { settle, member, find } = await reading(SCALED);
    member.server.create(DATABASES, made(DATABASE_REF, { spec: { instances: 3 } }));
    await settle();
    expect(find(DATABASE_REF).observed?.health.replicas).toEqual(COUNTS);
  });

  test.each([
    [0, undefined, false],
    [0, ["a"], true],
  ])(
    "is one of at most 5000 with %d rows and the hub's record %j; 5001 are read: %s",
    async (rows, expected, isRead) => {
      const { begin, settle, create, take, state } = caching();
      state.expected = expected;
      for (let index = 0; index < rows; index += 1) take(row());
      create(CONFIGMAPS, ...numbered(CONFIG_REF, 5_001));
      const { cache, watch } = begin();
      watch(CONFIGMAPS);
      await settle();
      expect([cache.isSynced(CONFIG_REF), cache.readability.unreadable.size]).toEqual([isRead, isRead ? 0 : 1]);
    },
  );
});

describe("the answer to a write", () => {
  const answer = (ref = CONFIG_REF, resourceVersion = "999", more: Partial<KubeObject> = {}): KubeObject => {
    const { metadata, ...rest } = made(ref, more);
    return { ...rest, metadata: { ...metadata, uid: "answered", resourceVersion } };
  };
  const unmarked = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, labels: {} } });

  test("is observed at once, unless the watch has shown a newer version", async () => {
    const { cache, isSeen, find } = await reading(CONFIGMAPS);
    cache.observe({ type: CONFIGMAPS, object: answer(CONFIG_REF, "1"), altered: [] });
    expect(isSeen()).toBe(false);
    cache.observe({ type: CONFIGMAPS, object: answer(), altered: [] });
    expect(find().observed).toMatchObject({ uid: "answered", visible: true });
  });

  test("is observed directly if the watch does not show the object", async () => {
    const { cache, settle, find, take, objects } = await reading(SCALED, CONFIGMAPS);
    take(row({ reporting: {} }));
    objects.tookAllRows();
    const database = unmarked(answer(DATABASE_REF, "1", { spec: { instances: 3 } }));
    cache.observe({ type: SCALED, object: database, altered: [] });
    cache.observe({ type: CONFIGMAPS, object: unmarked(answer()), altered: [] });
    await settle();
    const { observed } = find(DATABASE_REF);
    expect(observed).toMatchObject({ uid: "answered", visible: false, proven: true, health: { replicas: COUNTS } });
    expect(observed?.evidence.content).toBeUndefined();
    expect(find().observed?.evidence.content).toBeDefined();
  });
});

describe("objects of an earlier session", () => {
  const next = (parts: Awaited<ReturnType<typeof reading>>, namespaces?: readonly string[]) => {
    parts.end();
    parts.changes.length = 0;
    const session = parts.begin(namespaces === undefined ? {} : { namespaces });
    session.cache.setKinds([CONFIGMAPS, NAMESPACES], [DATABASE_KIND]);
    return session;
  };

  test.each([false, true])("stay known until the first list; gone by then: %s", async (isGone) => {
    const parts = await reading(CONFIGMAPS, NAMESPACES);
    parts.create(CONFIGMAPS, CONFIG_REF);
    parts.create(NAMESPACES, NAMESPACE_REF);
    await parts.settle();
    if (isGone) for (const type of [CONFIGMAPS, NAMESPACES]) parts.vanish(type);
    next(parts);
    expect([parts.isSeen(), parts.isSeen(NAMESPACE_REF)]).toEqual([true, true]);
    await parts.settle();
    expect([parts.isSeen(), parts.isSeen(NAMESPACE_REF)]).toEqual([!isGone, !isGone]);
    expect(parts.changes.some((change) => change.startsWith("-"))).toBe(isGone);
  });

  test("stay known until a second list agrees if most of them are gone", async () => {
    const parts = await reading(CONFIGMAPS);
    const refs = numbered(CONFIG_REF, 12);
    parts.create(CONFIGMAPS, ...refs);
    await parts.settle();
    parts.vanish(CONFIGMAPS);
    const { cache } = next(parts);
    await parts.settle();
    expect([refs.every((ref) => parts.isSeen(ref)), cache.mayRemove(CONFIG_REF)]).toEqual([true, false]);
    await parts.settle(1_000);
    expect([refs.some((ref) => parts.isSeen(ref)), cache.mayRemove(CONFIG_REF)]).toEqual([false, true]);
  });

  test("are compared only with the watch of their kind and namespace", async () => {
    const parts = await reading(CONFIGMAPS, SECRETS);
    const namesake = { ...CONFIG_REF, apiVersion: "example.com/v1" };
    const inBank = { ...CONFIG_REF, namespace: "bank" };
    parts.create(SECRETS, SECRET_REF);
    parts.create(CONFIGMAPS, CONFIG_REF, inBank);
    parts.objects.observe(namesake, seen({ ref: namesake }));
    await parts.settle();
    parts.vanish(CONFIGMAPS);
    next(parts, ["bank"]);
    await parts.settle();
    expect([SECRET_REF, namesake, CONFIG_REF, inBank].map((ref) => parts.isSeen(ref))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("that no watch shows are not missed by a list", async () => {
    const parts = await reading(CONFIGMAPS);
    const refs = numbered(CONFIG_REF, 12);
    for (const ref of refs) parts.objects.observe(ref, seen({ ref, visible: false }));
    const { cache } = next(parts);
    await parts.settle();
    expect([refs.every((ref) => parts.isSeen(ref)), cache.mayRemove(CONFIG_REF)]).toEqual([true, true]);
  });
});

describe("the member of a session", () => {
  const podSecurity = { "pod-security.kubernetes.io/enforce": "baseline" };
  const apply = (name: string, namespace: string, more = {}) => {
    const metadata = { name, namespace };
    return row({ ref: { ...CONFIG_REF, ...metadata }, object: { ...row().object, metadata }, ...more });
  };

  test("writes watched kinds only, for this hub, and adopts nothing in Meridian's namespace", async () => {
    const { lane, member, end } = await reading(CONFIGMAPS);
    const { writer, isJoined, signal } = lane;
    await writer.create(row());
    expect(member.server.list(CONFIGMAPS)).toHaveLength(1);
    const apiMessage = expect.stringContaining("the member does not serve Secret") as string;
    await expect(writer.create(row({ ref: SECRET_REF }))).rejects.toMatchObject({ status: 404, apiMessage });
    expect(member.calls).not.toContain("apply secrets");
    const metadata = { name: "shop", namespace: "meridian-system" };
    member.server.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    const adopting = apply("shop", "meridian-system", { conflictResolution: "Adopt" });
    await expect(writer.create(adopting)).rejects.toMatchObject({ reason: "NotAdoptable" });
    end();
    expect([isJoined, signal.aborted]).toEqual([true, true]);
  });

  test("knows which kinds were read", async () => {
    const { begin, settle, delay } = caching();
    const answer = delay("configmaps");
    const { cache, lane, watch } = begin({ local: true });
    const knows = (ref = CONFIG_REF) => [cache.isSynced(ref), cache.mayRemove(ref)];
    watch(CONFIGMAPS);
    await settle();
    expect(knows()).toEqual([false, false]);
    answer();
    await settle();
    expect([knows(), knows(SECRET_REF), lane.isJoined]).toEqual([[true, true], [false, false], false]);
  });

  test("notices that an object that no watch shows is gone, and asks for the kinds again on doubt", async () => {
    const { cache, lane, failures, find, isSeen, see, discovery } = await reading(CONFIGMAPS);
    see({ visible: false });
    const { observed = seen() } = find();
    failures.set("apply configmaps", new ApiError(404, "NotFound", 'configmaps "shop" not found'));
    const none = { yielded: [], kept: [] };
    await expect(lane.writer.update(row(), observed, [], none)).rejects.toThrow("not found");
    expect(isSeen()).toBe(false);
    cache.doubtKind(CONFIG_REF);
    expect(discovery.invalidated).toBeGreaterThan(0);
  });

  test("inspects, labels and deletes a namespace, which may go when all namespaces are known", async () => {
    const { cache, lane, watch, create, settle, find, member, discovery } = await reading(CONFIGMAPS, NAMESPACES);
    create(NAMESPACES, NAMESPACE_REF);
    await settle();
    const { namespaces } = lane;
    await namespaces.label("default", podSecurity);
    await settle();
    expect(member.server.get(NAMESPACES, undefined, "default").metadata.labels).toMatchObject(podSecurity);
    discovery.served = [];
    expect(await namespaces.inspect("default")).toEqual({ kind: "Empty" });
    watch(CONFIGMAPS);
    expect(cache.mayRemove(NAMESPACE_REF)).toBe(false);
    watch(CONFIGMAPS, NAMESPACES);
    await settle();
    expect(cache.mayRemove(NAMESPACE_REF)).toBe(true);
    expect(await namespaces.delete("default", find(NAMESPACE_REF).observed ?? seen())).toBe(true);
    expect(member.server.list(NAMESPACES)).toEqual([]);
  });
});
