import { describe, expect, test } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type Client, CLUSTERPLACEMENTS, CRDS, type ResourceType } from "../../runtime/index.ts";
import { hasScale, ScalePaths } from "./scalePaths.ts";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import { setUpHub } from "../testing/fakeHub.ts";

const { signal } = new AbortController();
const CRD = "widgets.example.com";
const WIDGETS: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
  subresources: ["scale"],
};
const PATHS = { spec: ["spec", "replicas"] };
const version = (name: string | undefined, scale?: object) => ({
  ...(name === undefined ? {} : { name }),
  subresources: scale === undefined ? {} : { scale },
});

/** A hub with that CRD, which the test changes; every read, and whether it was of the metadata alone. */
function setUp(versions: unknown[] | undefined = [version("v1", { specReplicasPath: ".spec.replicas" })]) {
  const { logger, lines } = logLines();
  const state = { generation: 1, spec: { versions } as unknown, fails: undefined as Error | undefined };
  const reads: string[] = [];
  const get = async (
    type: unknown,
    namespace: unknown,
    name: string,
    options: { metadataOnly?: true; signal: unknown },
  ) => {
    expect([type, namespace, name, options.signal]).toEqual([CRDS, undefined, CRD, signal]);
    reads.push(options.metadataOnly === true ? "metadata" : "whole");
    if (state.fails !== undefined) throw state.fails;
    return { metadata: { name, generation: state.generation }, spec: state.spec };
  };
  const paths = new ScalePaths({ client: { get } as unknown as Client, logger });
  const scale = async (type = WIDGETS) => (await paths.of(type, signal)).scale;
  return { state, reads, lines, paths, scale };
}

describe("where a kind keeps its replicas", () => {
  test.each<[name: string, versions: unknown[], want: ResourceType["scale"]]>([
    ["one path", [version("v1", { specReplicasPath: ".spec.replicas" })], PATHS],
    [
      "both paths, of the version that is read",
      [
        version("v2", { specReplicasPath: ".spec.other" }),
        version("v1", { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" }),
      ],
      { spec: ["spec", "size"], status: ["status", "ready"] },
    ],
    ["none in another version", [version("v2", { specReplicasPath: ".spec.replicas" })], undefined],
    ["none without a path to what is asked for", [version("v1", { statusReplicasPath: ".status.n" })], undefined],
    ["none without scale", [version("v1")], undefined],
    ["none in a version without subresources", [{ name: "v1" }], undefined],
    ["none in a version without a name", [version(undefined, { specReplicasPath: ".spec.replicas" })], undefined],
  ])("%s", async (_name, versions, want) => {
    expect(await setUp(versions).scale()).toEqual(want);
  });

  test("is none where the CRD says nothing", async () => {
    const { state, paths } = setUp();
    state.spec = undefined;
    expect(await paths.of(WIDGETS, signal)).toStrictEqual(WIDGETS);
    const { state: other, scale } = setUp();
    other.spec = {};
    expect(await scale()).toBeUndefined();
  });

  test("is asked only of kinds of which discovery says that they have it", async () => {
    const { paths, reads } = setUp();
    const { subresources: _subresources, ...plain } = WIDGETS;
    expect(await paths.of(plain, signal)).toBe(plain);
    expect(await paths.of({ ...plain, scale: PATHS }, signal)).toStrictEqual(plain);
    expect(reads).toEqual([]);
    expect(await paths.of(WIDGETS, signal)).toStrictEqual({ ...WIDGETS, scale: PATHS });
    expect([hasScale(WIDGETS), hasScale(plain), hasScale({ ...WIDGETS, group: "apps" })]).toEqual([true, false, false]);
    expect(hasScale({ ...WIDGETS, subresources: ["status"] })).toBe(false);
  });
});

describe("a CRD", () => {
  test("that was away is read whole when it is back", async () => {
    const { state, reads, lines, scale } = setUp();
    await scale();
    state.fails = new ApiError(404, "NotFound", "gone");
    expect(await scale()).toBeUndefined();
    state.fails = undefined;
    expect(await scale()).toEqual(PATHS);
    expect(reads).toEqual(["metadata", "whole", "metadata", "metadata", "whole"]);
    expect(lines).toEqual([]);
  });

  test("that may not be read is told once, and again after it could be read", async () => {
    const { state, lines, scale } = setUp();
    const forbidden = new ApiError(403, "Forbidden", "no");
    const told = {
      level: "warn",
      crd: CRD,
      event_reason: "CrdUnreadable",
      msg: "Meridian may not get this CRD, so it does not know where the kind keeps its replicas; allow it, or set replicaScheduling.path",
    };
    state.fails = forbidden;
    expect([await scale(), await scale()]).toEqual([undefined, undefined]);
    expect(lines).toMatchObject([told]);
    state.fails = undefined;
    expect(await scale()).toEqual(PATHS);
    state.fails = forbidden;
    await scale();
    expect(lines).toMatchObject([told, told]);
  });

  test.each([new ApiError(500, "InternalError", "no"), new Error("socket closed")])(
    "that cannot be read for another reason is an error: %s",
    async (error) => {
      const { state, scale } = setUp();
      state.fails = error;
      await expect(scale()).rejects.toBe(error);
    },
  );
});

const MINUTE_MS = 60_000;

/** A hub that serves the kind, with its CRD, and a policy that selects the kind. */
function onHub() {
  const parts = setUpHub();
  const put = (generation: number, specReplicasPath: string): unknown =>
    parts.server.apply(CRDS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: CRD, generation },
      spec: { versions: [version("v1", { specReplicasPath })] },
    });
  const selector = { apiVersion: "example.com/v1", kind: "Widget" };
  parts.hub.serve(CRDS, WIDGETS);
  put(1, ".spec.replicas");
  parts.server.create(CLUSTERPLACEMENTS, clusterPlacementObject({ resourceSelectors: [selector] }));
  const placed = () => parts.cache.kindOf(selector)?.type;
  return { ...parts, put, placed };
}

describe("the scale subresource of a custom kind", () => {
  test("is followed; the CRD is read whole only when it has changed, and its objects are planned anew", async () => {
    const { hub, cache, catalog, put, start, settle, placed } = onHub();
    await start();
    await settle(2_000);
    const rescaled: string[] = [];
    using _subscription = cache.rescaled.subscribe(({ kind }) => void rescaled.push(kind));
    const informers = cache.kinds.map(({ informer }) => informer);
    const reads = hub.count("get", CRDS);
    await settle(3 * MINUTE_MS);
    expect(hub.count("get", CRDS) - reads).toBeLessThanOrEqual(3);
    expect([rescaled, placed()?.scale]).toEqual([[], PATHS]);

    put(2, ".spec.size");
    await settle(2 * MINUTE_MS);
    expect([rescaled, placed()?.scale]).toEqual([["Widget"], { spec: ["spec", "size"] }]);
    expect(catalog.memberKinds().find(({ kind }) => kind === "Widget")?.scale).toEqual(placed()?.scale);
    expect(cache.kinds.map(({ informer }) => informer)).toEqual(informers);
  });

  test("that cannot be read now is waited for: the kind is not placed without it", async () => {
    const { hub, start, settle, placed } = onHub();
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "get" && call.type?.plural === CRDS.plural) throw new ApiError(503, "ServiceUnavailable", "no");
      return gate?.(call);
    };
    await start();
    await settle(5_000);
    expect(placed()).toBeUndefined();
    hub.gate = gate;
    await settle(MINUTE_MS);
    expect(placed()?.scale).toEqual(PATHS);
  });
});
