import { describe, expect, test, vi } from "vitest";
import { clusterObject, overrideObject, placementObject } from "../../../test/builders/policyObjects.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, NAMESPACES, OVERRIDEPOLICIES, PLACEMENTS } from "../../runtime/index.ts";
import { application, setUpHub } from "../testing/fakeHub.ts";

const { signal } = new AbortController();
const A = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "a" };

describe("whoever waits until the hub is known", () => {
  test("waits for every kind that is read, and then no more", async () => {
    const { hub, cache, start, settle } = setUpHub();
    const opened = Promise.withResolvers<void>();
    const { gate } = hub;
    hub.gate = async (call) => {
      if (call.type === NAMESPACES) await opened.promise;
      await gate(call);
    };
    let known = 0;
    for (let one = 0; one < 2; one += 1) void cache.waitForSync(signal).then(() => (known += 1));
    await start();
    expect([cache.synced, known]).toEqual([false, 0]);
    opened.resolve();
    await settle();
    expect([cache.synced, known]).toEqual([true, 2]);
    await cache.waitForSync(signal);
  });

  test.each([MEMBERCLUSTERS, PLACEMENTS, OVERRIDEPOLICIES, DEMOAPPLICATIONS])("waits for $kind", async (type) => {
    const { hub, cache, start } = setUpHub();
    const { gate } = hub;
    const opened = Promise.withResolvers<void>();
    hub.gate = async (call) => {
      if (call.type?.plural === type.plural) await opened.promise;
      await gate(call);
    };
    await start();
    expect(cache.synced).toBe(false);
    opened.resolve();
  });

  test("may give up", async () => {
    const { cache } = setUpHub();
    const end = new AbortController();
    const waiting = cache.waitForSync(end.signal);
    end.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});

describe("a cache that may be behind the hub", () => {
  test("is compared with the hub, and listed anew when it was behind, which is told", async () => {
    const { server, cache, reasons, start } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    await start();
    const [kind] = cache.kinds;
    if (kind === undefined) throw new Error("nothing is placed");
    const agrees = vi.spyOn(kind.informer, "agreesWithServer");
    agrees.mockResolvedValueOnce(true);
    await cache.relistIfBehind(A, signal);
    expect(reasons()).toEqual([]);
    agrees.mockResolvedValueOnce(false);
    await cache.relistIfBehind(A, signal);
    expect(reasons()).toEqual(["DeletionsHeld"]);
    await cache.relistIfBehind({ ...A, kind: "Unknown" }, signal);
    expect(agrees.mock.calls).toEqual([[signal], [signal]]);
  });

  test("says when the hub went back in time", async () => {
    const { server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    const restore = server.backup();
    await start();
    const kinds: string[] = [];
    cache.wentBack.subscribe(({ kind }) => void kinds.push(kind));
    for (let n = 0; n < 5; n += 1) server.create(DEMOAPPLICATIONS, application(`b${n}`));
    await settle();
    restore();
    await settle(60_000);
    expect(kinds).toContain("DemoApplication");
  });
});

test("the deletion of a MemberCluster is one of its kind", async () => {
  const { server, cache, start, settle } = setUpHub();
  server.create(MEMBERCLUSTERS, clusterObject({}, "east"));
  await start();
  const saw = vi.spyOn(cache.kindDeletions, "saw");
  server.merge(MEMBERCLUSTERS, undefined, "east", { spec: { provider: "x" } });
  await settle();
  expect(saw).not.toHaveBeenCalled();
  server.merge(MEMBERCLUSTERS, undefined, "east", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await settle();
  expect(saw.mock.calls).toEqual([[MEMBERCLUSTERS]]);
});

test("objects that a status names without listing them are on that cluster, too", async () => {
  const { server, cache, start } = setUpHub();
  const status = (more: object) => ({ status: { clusters: [], ...more } });
  server.create(DEMOAPPLICATIONS, application("a", "one", status({ unlistedClusters: ["east"] })));
  server.create(DEMOAPPLICATIONS, application("b", "one", status({ unlistedClusters: ["west"] })));
  server.create(DEMOAPPLICATIONS, application("c", "one", { status: {} }));
  server.create(DEMOAPPLICATIONS, application("d", "one", status({ clusters: [{ name: "west", observedHash: "h" }] })));
  await start();
  expect([...cache.reportedOn("east")]).toEqual(["paas.cmft.com/DemoApplication/one/a"]);
  expect([...cache.reportedOn("west")].toSorted()).toEqual([
    "paas.cmft.com/DemoApplication/one/b",
    "paas.cmft.com/DemoApplication/one/d",
  ]);
});

test("a policy is found under its own key, and under no other", async () => {
  const { server, cache, start } = setUpHub();
  server.create(PLACEMENTS, placementObject({}));
  server.create(OVERRIDEPOLICIES, overrideObject({}));
  await start();
  expect(cache.policy("Placement/default/subject")?.informer).toBe(cache.placements[0]);
  expect(cache.policy("OverridePolicy/default/subject")?.informer).toBe(cache.overrides[0]);
  for (const key of ["Placement//subject", "Placement/default/other", "Placement", "", "ClusterPlacement//subject"])
    expect(cache.policy(key)).toBeUndefined();
});
