import { describe, expect, test } from "vitest";
import {
  type FederatedStatus,
  type KubeObject,
  OBJECT_FINALIZER,
  recordOf,
  type ResourceBinding,
} from "../../apis/index.ts";
import { ApiError, type Client, CLUSTERRESOURCEBINDINGS, CONFIGMAPS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import type { HubCache } from "./hubCache.ts";
import type { PlacedKind } from "./placedKinds.ts";
import { StatusStore } from "../statusStore.ts";

const { signal } = new AbortController();
const OWNER = "/ConfigMap/shop/settings";
const API = "federation.paas.cmft.com/v1alpha1";
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop", uid: "u1" },
};
const role: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "reader", uid: "u2" },
};

/** The binding of that object, or one in its place. */
function bindingOf(
  { apiVersion, kind, metadata: { name, namespace, uid = "" } }: KubeObject,
  more = {},
): ResourceBinding {
  const where = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: API,
    kind: namespace === undefined ? "ClusterResourceBinding" : "ResourceBinding",
    metadata: { ...where, name: "b", uid: "b1", finalizers: [OBJECT_FINALIZER], ...more },
    spec: { resource: { apiVersion, kind, ...where, name, uid } },
  };
}

/** A store on a hub where the object has that binding; what is asked of the hub, and said to the cache, in order. */
function store({
  object = settings,
  present,
  propagated = true,
  fails,
}: {
  object?: KubeObject;
  present?: ResourceBinding;
  propagated?: boolean;
  fails?: Error;
} = {}) {
  const log: unknown[][] = [];
  const answered =
    (word: string) =>
    async (...call: unknown[]) => {
      log.push([word, ...call.slice(0, -1)]);
      expect(call.at(-1)).toMatchObject({ signal });
      if (fails !== undefined) throw fails;
      return { ...object, answerTo: word };
    };
  const client = {
    apply: answered("apply"),
    applyStatus: answered("applyStatus"),
    patch: answered("patch"),
    delete: async (...call: unknown[]) => {
      log.push(["delete", ...call]);
      if (fails !== undefined) throw fails;
    },
  } as unknown as Client;
  const said = (word: string) => (about: KubeObject & { answerTo?: string }) =>
    void log.push([word, about.answerTo ?? about.metadata.uid]);
  const kind = {
    type: CONFIGMAPS,
    propagated,
    informer: { observe: said("object observed") },
  } as unknown as PlacedKind;
  const hub = {
    object: (owner: string) => (owner === OWNER ? { object, kind } : undefined),
    statuses: { of: () => undefined, recordOf: () => recordOf(object) },
    bindings: {
      of: () => (present?.spec.resource.uid === object.metadata.uid ? present : undefined),
      named: () => present,
      observe: said("observed"),
      release: said("released"),
      forget: said("forgotten"),
    },
  } as unknown as HubCache;
  return { log, found: { object, kind }, statuses: new StatusStore({ hub, client }) };
}
const applied = (object: KubeObject, name: string): unknown[] => {
  const { apiVersion, kind, metadata } = object;
  const where = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
  const about = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" };
  const type = metadata.namespace === undefined ? CLUSTERRESOURCEBINDINGS : RESOURCEBINDINGS;
  return [
    "apply",
    type,
    {
      apiVersion: API,
      kind: type.kind,
      metadata: { ...where, name, finalizers: [OBJECT_FINALIZER], ownerReferences: [about] },
      spec: { resource: { ...about, ...where } },
    },
  ];
};
const test_ = (path: string, value: unknown) => ({ op: "test", path, value });
const FINALIZERS = "/metadata/finalizers";

describe("the binding of an object", () => {
  test.each([
    { object: settings, name: "configmap.settings" },
    { object: role, name: "clusterrole.rbac.authorization.k8s.io.reader" },
  ])("of kind $object.kind is made where there is none, and is known at once", async ({ object, name }) => {
    const { log, statuses, found } = store({ object });
    await statuses.bind(found, signal);
    expect(log).toEqual([applied(object, expect.any(String) as unknown as string), ["observed", "apply"]]);
    expect(log[0]?.[2]).toMatchObject({ metadata: { name: expect.stringContaining(name.split(".")[0] ?? "") } });
  });

  test("is left alone where it is there, and where the kind has none", async () => {
    const there = store({ present: bindingOf(settings) });
    await there.statuses.bind(there.found, signal);
    expect(there.log).toEqual([]);
    const rendered = store({ propagated: false });
    await rendered.statuses.bind(rendered.found, signal);
    await rendered.statuses.unbind(rendered.found, signal);
    expect(rendered.log).toEqual([]);
  });

  test("of an earlier life makes room first", async () => {
    const earlier = bindingOf({ ...settings, metadata: { ...settings.metadata, uid: "u0" } });
    const { log, statuses, found } = store({ present: earlier });
    await statuses.bind(found, signal);
    expect(log.map(([word]) => word)).toEqual(["released", "patch", "delete", "apply", "observed"]);
  });

  test("of another object of the same name is refused, and stays", async () => {
    const other = bindingOf({ ...settings, apiVersion: "x.io/v1", metadata: { ...settings.metadata, uid: "u9" } });
    const { log, statuses, found } = store({ present: other });
    await expect(statuses.bind(found, signal)).rejects.toThrow(
      "the binding b is about x.io/ConfigMap/shop/settings: the object /ConfigMap/shop/settings would have the same; rename one of them",
    );
    expect(log).toEqual([]);
  });

  test("goes when the object is let go of, and what it said is forgotten", async () => {
    const { log, statuses, found } = store({ present: bindingOf(settings) });
    await statuses.unbind(found, signal);
    expect(log).toEqual([
      ["released", "b1"],
      [
        "patch",
        RESOURCEBINDINGS,
        "shop",
        "b",
        "application/json-patch+json",
        [test_("/metadata/uid", "b1"), test_(FINALIZERS, [OBJECT_FINALIZER]), { op: "remove", path: FINALIZERS }],
      ],
      ["delete", RESOURCEBINDINGS, "shop", "b", { uid: "b1", signal }],
      ["forgotten", "u1"],
    ]);
    const without = store();
    await without.statuses.unbind(without.found, signal);
    expect(without.log).toEqual([["forgotten", "u1"]]);
  });
});

describe("a binding is removed", () => {
  test("with the finalizers of others left where they are", async () => {
    const { log, statuses } = store();
    await statuses.renew(bindingOf(role, { finalizers: ["other", OBJECT_FINALIZER] }), signal);
    expect(log).toEqual([
      [
        "patch",
        CLUSTERRESOURCEBINDINGS,
        undefined,
        "b",
        "application/json-patch+json",
        [
          test_("/metadata/uid", "b1"),
          test_(FINALIZERS, ["other", OBJECT_FINALIZER]),
          { op: "add", path: FINALIZERS, value: ["other"] },
        ],
      ],
      ["delete", CLUSTERRESOURCEBINDINGS, undefined, "b", { uid: "b1", signal }],
    ]);
  });

  test.each([
    { name: "it is being deleted already", more: { deletionTimestamp: "t" }, want: ["patch"] },
    { name: "it has no finalizer", more: { finalizers: undefined }, want: ["delete"] },
    { name: "its finalizers are others", more: { finalizers: ["other"] }, want: ["delete"] },
    { name: "nothing is left to do", more: { finalizers: [], deletionTimestamp: "t" }, want: [] },
  ])("by what is needed where $name", async ({ more, want }) => {
    const { log, statuses } = store();
    await statuses.renew(bindingOf(settings, more), signal);
    expect(log.map(([word]) => word)).toEqual(want);
  });

  test.each([
    { error: new ApiError(404, "NotFound", "gone"), is: "gone", passes: true },
    { error: new ApiError(409, "Conflict", "another"), is: "another one", passes: true },
    { error: new ApiError(422, "Invalid", "the test failed"), is: "changed", passes: true },
    { error: new ApiError(500, "InternalError", "no"), is: "out of reach", passes: false },
  ])("unless it is $is by now: $passes", async ({ error, passes }) => {
    const { log, statuses } = store({ fails: error });
    const removed = statuses.discard(bindingOf(settings), signal);
    if (passes) await removed;
    else await expect(removed).rejects.toBe(error);
    expect(log.map(([word]) => word)).toEqual(["released", "patch"]);
  });
});

describe("the status of a propagated object", () => {
  const status: FederatedStatus = { observedGeneration: 1, unlistedClusters: ["east"] };

  test("is written into its binding, which is made first", async () => {
    const { log, statuses, found } = store();
    await statuses.write(found, status, signal);
    const body = {
      apiVersion: API,
      kind: "ResourceBinding",
      metadata: { namespace: "shop", name: "configmap.settings" },
      status,
    };
    expect(log).toEqual([
      applied(settings, "configmap.settings"),
      ["observed", "apply"],
      ["applyStatus", RESOURCEBINDINGS, body],
      ["observed", "applyStatus"],
    ]);
  });

  test("is not written where the binding cannot be made, and the record stands as it was", async () => {
    const object = { ...settings, status: { unlistedClusters: ["east", "west"] } };
    const fails = new ApiError(500, "InternalError", "no");
    const { log, statuses, found } = store({ object, fails });
    await expect(statuses.write(found, status, signal)).rejects.toBe(fails);
    expect(log).toHaveLength(1);
    expect([...statuses.recorded(OWNER)]).toEqual(["east", "west"]);
  });

  test("has no place where its binding was removed", () => {
    expect(store().statuses.isKept(OWNER)).toBe(false);
    expect(store({ present: bindingOf(settings) }).statuses.isKept(OWNER)).toBe(true);
    expect(store({ propagated: false }).statuses.isKept(OWNER)).toBe(true);
    expect(store().statuses.isKept("other")).toBe(true);
  });
});
