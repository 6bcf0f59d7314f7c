import { describe, expect, test } from "vitest";
import { ALLOW_DELETION_ANNOTATION, type KubeObject } from "../../apis/index.ts";
import { ApiError, CRDS, DEMOAPPLICATIONS, DEPLOYMENTS, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { setUpHub } from "../testing/fakeHub.ts";

const { signal } = new AbortController();
const NAME = "demoapplications.paas.cmft.com";

function crd(metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: NAME, ...metadata },
  };
}

function setUp(metadata: Partial<KubeObject["metadata"]> = {}) {
  const setup = setUpHub();
  setup.hub.serve(CRDS);
  setup.server.apply(CRDS, crd({ finalizers: ["customresourcecleanup.apiextensions.k8s.io"], ...metadata }));
  const reads = () => setup.hub.count("get", CRDS);
  return { ...setup, reads, kinds: setup.cache.kindDeletions };
}

const leaving = { deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("whether a kind is being deleted", () => {
  test("an ordinary deletion is not held, and a kind of Kubernetes itself is not asked about", async () => {
    const { kinds, reads } = setUp();
    expect(await kinds.held(DEMOAPPLICATIONS, {}, signal)).toBeUndefined();
    expect(await kinds.held(DEPLOYMENTS, {}, signal)).toBeUndefined();
    expect(reads()).toBe(1);
  });

  test("a deletion that comes with that of the CRD is held until a person agrees on the CRD", async () => {
    const { kinds, server, clock, reasons } = setUp(leaving);
    const news: string[] = [];
    kinds.changes.subscribe(({ kind }) => news.push(kind));
    expect(await kinds.held(DEMOAPPLICATIONS, {}, signal)).toMatchObject({ reason: "KindBeingDeleted" });
    expect(reasons()).toEqual(["KindBeingDeleted"]);
    await clock.advance(20_000);
    expect(news).toEqual([]);
    server.apply(CRDS, crd({ ...leaving, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } }));
    await clock.advance(6_000);
    expect(news).toEqual(["DemoApplication"]);
    expect(await kinds.held(DEMOAPPLICATIONS, {}, signal)).toBeUndefined();
  });

  test.each([
    { name: "a CRD that is gone", error: new ApiError(404, "NotFound", "not found"), message: /is gone/ },
    { name: "a CRD that Meridian may not read", error: new ApiError(403, "Forbidden", "no"), message: /may not get/ },
  ])("$name holds", async ({ error, message }) => {
    const { kinds, hub } = setUp();
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "get" && call.type === CRDS) throw error;
      return gate(call);
    };
    const held = await kinds.held(DEMOAPPLICATIONS, {}, signal);
    expect(held?.message).toMatch(message);
  });

  test("one read answers for every deletion that was seen before it began, and for none that was seen later", async () => {
    const { kinds, hub, reads, settle } = setUp();
    const open = Promise.withResolvers<void>();
    let waiting = 0;
    const { gate } = hub;
    hub.gate = async (call) => {
      if (call.verb === "get" && call.type === CRDS && call.phase === "before" && waiting++ === 0) await open.promise;
      return gate(call);
    };
    for (let index = 0; index < 300; index += 1) kinds.saw(DEMOAPPLICATIONS);
    const early = Array.from({ length: 300 }, () => kinds.held(DEMOAPPLICATIONS, {}, signal));
    await settle();
    kinds.saw(DEMOAPPLICATIONS);
    const late = kinds.held(DEMOAPPLICATIONS, {}, signal);
    expect(reads()).toBe(1);
    open.resolve();
    await Promise.all([...early, late]);
    expect(reads()).toBe(2);
  });

  test("asked without waiting it holds until it has been read, and says when", async () => {
    const { kinds, reads, settle, server } = setUp();
    server.apply(CRDS, { ...crd(), metadata: { name: "memberclusters.federation.paas.cmft.com" } });
    const news: string[] = [];
    kinds.changes.subscribe(({ kind }) => news.push(kind));
    kinds.saw(MEMBERCLUSTERS);
    expect(kinds.heldNow(MEMBERCLUSTERS, {})?.reason).toBe("KindBeingDeleted");
    expect(kinds.heldNow(MEMBERCLUSTERS, {})?.reason).toBe("KindBeingDeleted");
    await settle();
    expect(news).toEqual(["MemberCluster"]);
    expect(kinds.heldNow(MEMBERCLUSTERS, {})).toBeUndefined();
    expect(reads()).toBe(1);
    kinds.saw(MEMBERCLUSTERS);
    expect(kinds.heldNow(MEMBERCLUSTERS, {})?.reason).toBe("KindBeingDeleted");
    await settle();
    expect(kinds.heldNow(MEMBERCLUSTERS, {})).toBeUndefined();
  });
});
