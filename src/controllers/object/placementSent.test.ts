import { describe, expect, test } from "vitest";
import {
  bindingName,
  type KubeObject,
  OBJECT_FINALIZER,
  refKey,
  refOf,
  ROLLOUT_COMMAND_ANNOTATION,
} from "../../apis/index.ts";
import { ApiError, CONFIGMAPS, MEMBERCLUSTERS, PLACEMENTS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { placement, placing } from "../testing/planning.ts";

/** Objects of a kind that is sent to the members as it is. */

function configMap(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const managedFields = [{ manager: "kubectl", fieldsV1: { "f:data": { "f:a": {} } } }];
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", managedFields, ...metadata },
    data: { a: "1" },
  };
}

const SETTINGS = refKey(refOf(configMap("settings")));
const OTHER = refKey(refOf(configMap("other")));
const BINDING = bindingName(refOf(configMap("settings")));
const ONCE = [{ key: SETTINGS, afterMs: undefined }];
const selects = { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "settings" }] };

/** Two ConfigMaps, of which a policy selects one. */
async function sending(metadata: Partial<KubeObject["metadata"]> = {}) {
  const objects = [configMap("settings", metadata), configMap("other")];
  const all = await placing({
    apps: [],
    placements: [placement(["a"], selects)],
    sent: { type: CONFIGMAPS, objects },
  });
  const { reconcile, settle, server, rowLines } = all;
  // On the hub itself the object is there already.
  server.merge(MEMBERCLUSTERS, undefined, "a", {
    metadata: { generation: 2 },
    spec: { connection: { local: null, secretRef: { name: "a" } } },
  });
  await settle();
  const plan = async (): Promise<void> => {
    await reconcile(SETTINGS);
    await settle();
    await reconcile(SETTINGS);
  };
  const change = async (patch: object, name = "settings"): Promise<void> => {
    server.merge(CONFIGMAPS, "default", name, patch);
    await settle();
  };
  /** No policy selects it any more. */
  const unselect = async (): Promise<void> => {
    server.delete(PLACEMENTS, "default", "everywhere");
    await settle();
  };
  const onHub = (name = "settings") => server.get(CONFIGMAPS, "default", name);
  const bindings = () => server.list(RESOURCEBINDINGS).map(({ metadata }) => metadata.name);
  const lines = () => rowLines(SETTINGS);
  return { ...all, plan, change, unselect, onHub, bindings, rowLines: lines };
}

test("it is claimed, has a binding, and goes where its policy says", async () => {
  const { plan, onHub, bindings, rowLines, plans } = await sending();
  await plan();
  expect([onHub().metadata.finalizers, bindings()]).toEqual([[OBJECT_FINALIZER], [BINDING]]);
  expect(plans.get(SETTINGS)?.target?.clusters.map(({ name }) => name)).toEqual(["a"]);
  expect(rowLines()).toEqual(["a Apply ConfigMap/settings"]);
});

test("one that no policy selects is left alone", async () => {
  const { reconcile, plans, onHub, hub, assignments, lines } = await sending();
  const calls = hub.calls.length;
  expect(await reconcile(OTHER)).toEqual({});
  expect([plans.get(OTHER), onHub("other").metadata.finalizers, [...assignments.of(OTHER)]]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect([hub.calls.length, lines]).toEqual([calls, []]);
});

describe("it is planned again", () => {
  const listening = async () => {
    const all = await sending();
    await all.plan();
    const woken = all.wokenBy(all.reconciler);
    woken.length = 0;
    return { ...all, woken };
  };

  test("when its content changes, though it has no generation, and not for the content of others", async () => {
    const { woken, change } = await listening();
    await change({ data: { a: "2" } }, "other");
    expect(woken).toEqual([]);
    await change({ data: { a: "2" } });
    expect(woken).toEqual(ONCE);
  });

  test("not when only a status of it changes", async () => {
    const { woken, change } = await listening();
    await change({ status: { seen: true } });
    expect(woken).toEqual([]);
  });

  test("when people ask something of its rollout, which its binding says", async () => {
    const { woken, server, settle } = await listening();
    const annotate = async (name: string, value: string): Promise<void> => {
      server.merge(RESOURCEBINDINGS, "default", BINDING, { metadata: { annotations: { [name]: value } } });
      await settle();
    };
    await annotate("note", "x");
    expect(woken).toEqual([]);
    await annotate(ROLLOUT_COMMAND_ANNOTATION, '{"revision":1,"paused":true}');
    expect(woken).toEqual(ONCE);
  });
});

describe("one that no policy selects any more", () => {
  const left = async () => {
    const all = await sending();
    await all.plan();
    all.carryOut("a");
    await all.unselect();
    const lose = async (): Promise<void> => {
      all.server.delete(MEMBERCLUSTERS, undefined, "a");
      all.observations.contact("a", undefined);
      await all.settle();
    };
    return { ...all, lose };
  };

  test("stays where it is; it is none of Meridian's once its last cluster is gone", async () => {
    const { reconcile, rows, onHub, bindings, plans, lines, settle, assignments, lose } = await left();
    await reconcile(SETTINGS);
    expect(rows(SETTINGS)).toMatchObject([{ cluster: "a", verb: "Hold", wanted: true }]);
    expect(onHub().metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    await lose();
    lines.length = 0;
    expect(await reconcile(SETTINGS)).toEqual({});
    await settle();
    expect([onHub().metadata.finalizers ?? [], bindings()]).toEqual([[], []]);
    expect([plans.get(SETTINGS), [...assignments.of(SETTINGS)]]).toEqual([undefined, []]);
    expect(lines.map(({ msg }) => msg)).toEqual(["ended: nothing of the object is left on any cluster"]);
  });

  test("is tried again soon when it changed before that", async () => {
    const { reconcile, lose, state, plans } = await left();
    await reconcile(SETTINGS);
    await lose();
    state.patchFailure = new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile(SETTINGS)).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(plans.get(SETTINGS)).toBeDefined();
  });
});

test("one that is being deleted loses its binding with its finalizer", async () => {
  const { plan, change, reconcile, carryOut, bindings, onHub } = await sending();
  await plan();
  carryOut("a");
  await change({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await reconcile(SETTINGS);
  expect(bindings()).toEqual([BINDING]);
  carryOut("a");
  await reconcile(SETTINGS);
  expect([onHub().metadata.finalizers ?? [], bindings()]).toEqual([[], []]);
});
