import { describe, expect, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import { ApiError, CLUSTERPLACEMENTS, CRDS, type ResourceType } from "../../runtime/index.ts";
import { setUpHub } from "../testing/fakeHub.ts";

const MYSQLCLUSTERS: ResourceType = {
  group: "mysql.presslabs.org",
  version: "v1alpha1",
  kind: "MysqlCluster",
  plural: "mysqlclusters",
  namespaced: true,
  subresources: ["status", "scale"],
};
const CRD = "mysqlclusters.mysql.presslabs.org";
const MINUTE_MS = 60_000;
const selecting = clusterPlacementObject({
  resourceSelectors: [{ apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" }],
});

const crd = (generation: number, specReplicasPath: string, statusReplicasPath?: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: CRD, generation },
  spec: {
    versions: [
      { name: "v1", subresources: { scale: { specReplicasPath: ".spec.other" } } },
      {
        name: "v1alpha1",
        subresources: {
          scale: { specReplicasPath, ...(statusReplicasPath === undefined ? {} : { statusReplicasPath }) },
        },
      },
    ],
  },
});

function setUp(type = MYSQLCLUSTERS) {
  const parts = setUpHub();
  parts.hub.serve(CRDS, type);
  parts.server.create(CLUSTERPLACEMENTS, selecting);
  const scaleOf = (): ResourceType["scale"] =>
    parts.cache.kindOf({ apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" })?.type.scale;
  const memberScale = (): ResourceType["scale"] =>
    parts.catalog.memberKinds().find(({ kind }) => kind === "MysqlCluster")?.scale;
  const isPlaced = (): boolean => parts.cache.kinds.some(({ type }) => type.kind === "MysqlCluster");
  return { ...parts, scaleOf, memberScale, isPlaced };
}

describe("the scale subresource of a custom kind", () => {
  test("is read from the CRD before the first object is placed, in the version that is read", async () => {
    const { server, start, settle, scaleOf, memberScale } = setUp();
    server.create(CRDS, crd(1, ".spec.replicas", ".status.readyNodes"));
    await start();
    await settle(2_000);
    expect(scaleOf()).toEqual({ spec: ["spec", "replicas"], status: ["status", "readyNodes"] });
    expect(memberScale()).toEqual(scaleOf());
  });

  test("is followed; the CRD is read whole only when it has changed, and its objects are planned anew", async () => {
    const { hub, server, cache, start, settle, scaleOf } = setUp();
    server.create(CRDS, crd(1, ".spec.replicas"));
    await start();
    await settle(2_000);
    const rescaled: string[] = [];
    using _subscription = cache.rescaled.subscribe(({ kind }) => void rescaled.push(kind));
    const informers = cache.kinds.map(({ informer }) => informer);
    const reads = hub.count("get", CRDS);
    await settle(3 * MINUTE_MS);
    expect(hub.count("get", CRDS) - reads).toBeLessThanOrEqual(3);
    expect([rescaled, scaleOf()]).toEqual([[], { spec: ["spec", "replicas"] }]);

    server.apply(CRDS, crd(2, ".spec.size"));
    await settle(2 * MINUTE_MS);
    expect([rescaled, scaleOf()]).toEqual([["MysqlCluster"], { spec: ["spec", "size"] }]);
    expect(cache.kinds.map(({ informer }) => informer)).toEqual(informers);
  });

  test("is not asked for where discovery names none", async () => {
    const { hub, server, start, settle, scaleOf } = setUp({ ...MYSQLCLUSTERS, subresources: ["status"] });
    server.create(CRDS, crd(1, ".spec.replicas"));
    await start();
    await settle(5 * MINUTE_MS);
    expect(scaleOf()).toBeUndefined();
    expect(hub.count("get", CRDS)).toBe(0);
    expect(hub.calls.filter((call) => call.startsWith("raw")).length).toBeLessThanOrEqual(2);
  });

  test("is unknown where there is no CRD, as of an aggregated API", async () => {
    const { reasons, start, settle, scaleOf, isPlaced } = setUp();
    await start();
    await settle(2_000);
    expect([scaleOf(), isPlaced(), reasons()]).toEqual([undefined, true, []]);
  });

  test("is unknown where the CRD may not be read, and that is said once", async () => {
    const { hub, server, reasons, start, settle, scaleOf, isPlaced } = setUp();
    server.create(CRDS, crd(1, ".spec.replicas"));
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "get" && call.type?.plural === CRDS.plural) throw new ApiError(403, "Forbidden", "no");
      return gate?.(call);
    };
    await start();
    await settle(5 * MINUTE_MS);
    expect([scaleOf(), isPlaced()]).toEqual([undefined, true]);
    expect(reasons()).toEqual(["CrdUnreadable"]);

    hub.gate = gate;
    await settle(2 * MINUTE_MS);
    expect(scaleOf()).toEqual({ spec: ["spec", "replicas"] });
  });

  test("that cannot be read now is waited for: the kind is not placed without it", async () => {
    const { hub, server, start, settle, scaleOf, isPlaced } = setUp();
    server.create(CRDS, crd(1, ".spec.replicas"));
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "get" && call.type?.plural === CRDS.plural) throw new ApiError(503, "ServiceUnavailable", "no");
      return gate?.(call);
    };
    await start();
    await settle(5_000);
    expect(isPlaced()).toBe(false);
    hub.gate = gate;
    await settle(MINUTE_MS);
    expect(scaleOf()).toEqual({ spec: ["spec", "replicas"] });
  });
});
