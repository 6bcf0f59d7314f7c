import { describe, expect, test } from "vitest";
import {
  type ClusterStatusEntry,
  type FederatedStatus,
  FIRST_RECORD_ANNOTATION,
  type KubeObject,
  OBJECT_FINALIZER,
  recordOf,
  type ResourceBinding,
} from "../apis/index.ts";
import { ApiError, type Client, CLUSTERRESOURCEBINDINGS, CONFIGMAPS, RESOURCEBINDINGS } from "../runtime/index.ts";
import type { HubCache } from "./cache/hubCache.ts";
import type { PlacedKind } from "./cache/placedKinds.ts";
import { StatusStore } from "./statusStore.ts";

const SHOP = "paas.cmft.com/DemoApplication/default/shop";
const signal = new AbortController().signal;
const entry = (name: string): ClusterStatusEntry => ({
  name,
  state: "Available",
  replicas: { desired: 1, updated: 1, ready: 1, available: 1 },
});
const statusOn = (...names: string[]): FederatedStatus => ({ observedGeneration: 1, clusters: names.map(entry) });

/** A store on a hub that has the application `shop` with that status; `answer` is given by hand to each write. */
function store(status: FederatedStatus | undefined, metadata: object = {}) {
  const object: KubeObject = {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "shop", namespace: "default", uid: "u", ...metadata },
    ...(status === undefined ? {} : { status }),
  };
  const sent: unknown[][] = [];
  const observed: KubeObject[] = [];
  let answer = Promise.withResolvers<KubeObject>();
  const client = {
    applyStatus: (...call: unknown[]) => {
      sent.push(call);
      answer = Promise.withResolvers();
      return answer.promise;
    },
  } as unknown as Client;
  const hub = {
    object: (owner: string) => (owner === SHOP ? { object, kind } : undefined),
    statuses: { of: () => object["status"], recordOf: () => recordOf(object) },
  } as unknown as HubCache;
  const type = { group: "paas.cmft.com", version: "v1", kind: "DemoApplication", plural: "demoapplications" };
  const kind = { type, informer: { observe: (one: KubeObject) => void observed.push(one) } } as unknown as PlacedKind;
  const statuses = new StatusStore({ hub, client });
  const write = (next: FederatedStatus) => statuses.write({ object, kind }, next, signal);
  return { object, kind, type, statuses, sent, observed, write, answer: () => answer };
}

describe("the status of a hub object", () => {
  test("is read from the cache", () => {
    const { statuses } = store(statusOn("a"));
    expect(statuses.read(SHOP)).toEqual(statusOn("a"));
    expect(statuses.read("other")).toBeUndefined();
  });

  test("is written by one apply, and its answer is in the cache at once", async () => {
    const { type, sent, observed, write, answer } = store(statusOn("a"));
    const written = write(statusOn("b"));
    const reply: KubeObject = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata: { name: "shop" } };
    answer().resolve(reply);
    await written;
    expect(observed).toEqual([reply]);
    const body = {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { namespace: "default", name: "shop" },
      status: statusOn("b"),
    };
    expect(sent).toEqual([[type, body, { force: true, fieldManager: "meridian", signal }]]);
  });

  test.each([
    ["began unseen: that comes as an event of its own", undefined, "2026-11-22T10:00:00Z", 0],
    ["was known", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z", 1],
    ["is none", undefined, undefined, 1],
  ])("is taken from the answer, or is not, where the deletion %s", async (_what, before, after, want) => {
    const { observed, write, answer } = store(undefined, before === undefined ? {} : { deletionTimestamp: before });
    const written = write(statusOn("a"));
    answer().resolve({
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "shop", ...(after === undefined ? {} : { deletionTimestamp: after }) },
    });
    await written;
    expect(observed).toHaveLength(want);
  });
});

describe("a decision", () => {
  const decision = {
    plannedClusters: ["c"],
    rollout: { state: "Progressing", revision: 1 } as const,
    finished: undefined,
  };
  const undecided = { rollout: undefined, finished: undefined };

  test("has a field manager of its own, and a report leaves out what the decision holds", async () => {
    const { sent, statuses, object, write, kind, answer } = store(statusOn("a"));
    const decided = statuses.decide({ object, kind }, () => decision, signal);
    answer().resolve({ ...object, status: decision });
    await decided;
    const written = write({ ...statusOn("a"), plannedClusters: ["x"], rollout: { state: "Paused", revision: 1 } });
    answer().resolve(object);
    await written;
    expect(sent.map(([, body, options]) => [(body as KubeObject)["status"], options])).toEqual([
      [
        { plannedClusters: ["c"], rollout: { state: "Progressing", revision: 1 } },
        { force: true, fieldManager: "meridian-planner", signal },
      ],
      [statusOn("a"), { force: true, fieldManager: "meridian", signal }],
    ]);
  });

  test.each([
    ["plannedClusters", { rollout: { state: "Progressing", revision: 1 } }],
    ["rollout", { plannedClusters: ["c"] }],
  ])("is not taken for written where the hub's schema lacks %s", async (_field, status) => {
    const { statuses, object, kind, answer } = store(statusOn("a"));
    const decided = statuses.decide({ object, kind }, () => decision, signal);
    answer().resolve({ ...object, status });
    await expect(decided).rejects.toThrow("upgrade the CustomResourceDefinitions");
  });

  test("waits for the end of a report, and is then decided by the record that the report left", async () => {
    const { sent, statuses, object, write, kind, answer } = store(statusOn("a"));
    const report = write(statusOn("a", "b"));
    const seen: string[][] = [];
    const decided = statuses.decide(
      { object, kind },
      ({ clusters }) => {
        seen.push([...clusters]);
        return undefined;
      },
      signal,
    );
    const settled = statuses.settled(SHOP);
    expect(seen).toEqual([]);
    object["status"] = statusOn("a", "b");
    answer().resolve(object);
    await Promise.all([report, decided, settled]);
    expect([seen, sent.length]).toEqual([[["a", "b"]], 1]);
  });

  test("names clusters of the record, which are not reported", () => {
    const { statuses } = store({ ...statusOn("a"), plannedClusters: ["a", "c"] });
    const { clusters, reported } = statuses.record(SHOP);
    expect([[...clusters].toSorted(), [...reported]]).toEqual([["a", "c"], ["a"]]);
  });

  test("is certain whatever becomes of a report", async () => {
    const { statuses, write, answer } = store({ ...statusOn("a"), plannedClusters: ["c"] });
    const written = write(statusOn("b"));
    const lost = new Error("socket closed");
    answer().reject(lost);
    await expect(written).rejects.toBe(lost);
    expect([[...statuses.record(SHOP).clusters], [...statuses.record(SHOP).reported]]).toEqual([["c"], []]);
    expect([statuses.isAnswered(SHOP), statuses.isAnswered("other")]).toEqual([false, true]);
  });

  test("is that the annotation of a new object holds until the first report", () => {
    const annotations = { [FIRST_RECORD_ANNOTATION]: JSON.stringify({ clusters: ["a"] }) };
    const { reported } = store({ plannedClusters: ["b"], ...undecided } as never, { annotations }).statuses.record(
      SHOP,
    );
    expect([...reported]).toEqual(["a"]);
  });
});

describe("the clusters that are certain to be in the record", () => {
  const recorded = ({ statuses }: ReturnType<typeof store>): string[] => [...statuses.record(SHOP).clusters].toSorted();

  test("are those that the status names", () => {
    expect(recorded(store(statusOn("b", "a")))).toEqual(["a", "b"]);
    expect(recorded(store(undefined))).toEqual([]);
    expect([...store(statusOn("a")).statuses.record("other").clusters]).toEqual([]);
  });

  test("are, while a write is under way, those that both statuses name", async () => {
    const made = store(statusOn("a", "b"));
    const written = made.write(statusOn("b", "c"));
    expect(recorded(made)).toEqual(["b"]);
    made.answer().resolve({ ...made.object, status: statusOn("b", "c") });
    await written;
    expect(recorded(made)).toEqual(["a", "b"]);
  });

  test.each([
    ["was lost, those that both name", new Error("socket closed"), ["b"]],
    ["was refused, those that both name", new ApiError(500, "InternalError", "no"), ["b"]],
    ["is that the object is gone, those of before", new ApiError(404, "NotFound", "no"), ["a", "b"]],
  ])("are, where the answer %s", async (_what, error, want) => {
    const made = store(statusOn("a", "b"));
    const written = made.write(statusOn("b", "c"));
    made.answer().reject(error);
    await expect(written).rejects.toBe(error);
    expect(recorded(made)).toEqual(want);
  });
});

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
function bound({
  object = settings,
  present,
  propagated = true,
  lost,
  fails,
}: {
  /** Status of a binding that somebody removed. */
  lost?: FederatedStatus;
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
      const { status } = (call[1] ?? {}) as { status?: object };
      return { ...object, answerTo: word, ...(status === undefined ? {} : { status }) };
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
      statusOf: () => present?.status ?? lost,
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
    const { log, statuses, found } = bound({ object });
    await statuses.bind(found, signal);
    expect(log).toEqual([applied(object, expect.any(String) as unknown as string), ["observed", "apply"]]);
    expect(log[0]?.[2]).toMatchObject({ metadata: { name: expect.stringContaining(name.split(".")[0] ?? "") } });
  });

  test("is left alone where it is there, and where the kind has none", async () => {
    const there = bound({ present: bindingOf(settings) });
    await there.statuses.bind(there.found, signal);
    expect(there.log).toEqual([]);
    const rendered = bound({ propagated: false });
    await rendered.statuses.bind(rendered.found, signal);
    await rendered.statuses.unbind(rendered.found, signal);
    expect(rendered.log).toEqual([]);
  });

  test("of an earlier life makes room first", async () => {
    const earlier = bindingOf({ ...settings, metadata: { ...settings.metadata, uid: "u0" } });
    const { log, statuses, found } = bound({ present: earlier });
    await statuses.bind(found, signal);
    expect(log.map(([word]) => word)).toEqual(["released", "patch", "delete", "apply", "observed"]);
  });

  test("of another object of the same name is refused, and stays", async () => {
    const other = bindingOf({ ...settings, apiVersion: "x.io/v1", metadata: { ...settings.metadata, uid: "u9" } });
    const { log, statuses, found } = bound({ present: other });
    await expect(statuses.bind(found, signal)).rejects.toThrow(
      "the binding b is about x.io/ConfigMap/shop/settings: the object /ConfigMap/shop/settings would have the same; rename one of them",
    );
    expect(log).toEqual([]);
  });

  test("goes when the object is let go of, and what it said is forgotten", async () => {
    const { log, statuses, found } = bound({ present: bindingOf(settings) });
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
    const without = bound();
    await without.statuses.unbind(without.found, signal);
    expect(without.log).toEqual([["forgotten", "u1"]]);
  });
});

describe("a binding is removed", () => {
  test("with the finalizers of others left where they are", async () => {
    const { log, statuses } = bound();
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
    const { log, statuses } = bound();
    await statuses.renew(bindingOf(settings, more), signal);
    expect(log.map(([word]) => word)).toEqual(want);
  });

  test.each([
    { error: new ApiError(404, "NotFound", "gone"), is: "gone", passes: true },
    { error: new ApiError(409, "Conflict", "another"), is: "another one", passes: true },
    { error: new ApiError(422, "Invalid", "the test failed"), is: "changed", passes: true },
    { error: new ApiError(500, "InternalError", "no"), is: "out of reach", passes: false },
  ])("unless it is $is by now: $passes", async ({ error, passes }) => {
    const { log, statuses } = bound({ fails: error });
    const removed = statuses.discard(bindingOf(settings), signal);
    if (passes) await removed;
    else await expect(removed).rejects.toBe(error);
    expect(log.map(([word]) => word)).toEqual(["released", "patch"]);
  });
});

describe("the status of a propagated object", () => {
  const status: FederatedStatus = { observedGeneration: 1, unlistedClusters: ["east"] };

  test("is written into its binding, which is made first", async () => {
    const { log, statuses, found } = bound();
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

  test("gets the decision back that a removed binding held, before anybody reads the new binding", async () => {
    const lost: FederatedStatus = { ...status, plannedClusters: ["west"], rollout: { state: "Paused", revision: 2 } };
    const { log, statuses, found } = bound({ lost });
    await statuses.write(found, status, signal);
    expect(log.map(([word, , body]) => [word, (body as KubeObject | undefined)?.["status"]])).toEqual([
      ["apply", undefined],
      ["applyStatus", { plannedClusters: ["west"], rollout: { state: "Paused", revision: 2 } }],
      ["observed", undefined],
      ["applyStatus", status],
      ["observed", undefined],
    ]);
  });

  test("is not written where the binding cannot be made, and the record stands as it was", async () => {
    const object = { ...settings, status: { unlistedClusters: ["east", "west"] } };
    const fails = new ApiError(500, "InternalError", "no");
    const { log, statuses, found } = bound({ object, fails });
    await expect(statuses.write(found, status, signal)).rejects.toBe(fails);
    expect(log).toHaveLength(1);
    expect([...statuses.record(OWNER).clusters]).toEqual(["east", "west"]);
  });

  test("has no place where its binding was removed", () => {
    expect(bound().statuses.isKept(OWNER)).toBe(false);
    expect(bound({ present: bindingOf(settings) }).statuses.isKept(OWNER)).toBe(true);
    expect(bound({ propagated: false }).statuses.isKept(OWNER)).toBe(true);
    expect(bound().statuses.isKept("other")).toBe(true);
  });
});
