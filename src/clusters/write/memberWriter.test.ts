import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION, refKey } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { ApiError, CONFIGMAPS, TransportError } from "../../runtime/index.ts";
import type { MemberWriter } from "./memberWriter.ts";
import { observe } from "../model/observed.ts";
import { CONFIG_REF, OWNER, row, seen } from "../testing/builders.ts";
import { answering, fieldsOf, FORBIDDEN, GONE, INVALID } from "../testing/memberWriting.ts";
import { live, marks, ours, TAKEN, writing } from "../testing/memberWriting.ts";

const NO_NAMESPACE = new ApiError(404, "NotFound", 'namespaces "default" not found', {
  details: { kind: "namespaces" },
});
const NO_PATH = new ApiError(404, "NotFound", "404 page not found", { ofPath: true });
const RESET = new TransportError("ConnectionReset", "reset");
const VANISHED = [`${refKey(CONFIG_REF)} member-1`];
const sent = (metadata: object) => ({ ...row().object, metadata: { ...row().object.metadata, ...metadata } });

describe("no request is sent", () => {
  test("to write a version that the member does not serve; reads use the served version", async () => {
    const { writer, state, calls } = writing();
    state.unserved = ["v0"];
    const ref = { ...CONFIG_REF, apiVersion: "v0" };
    const apiMessage = "the member serves no ConfigMap of v0; name v1 in the placement or the manifest";
    await expect(writer.create(row({ ref }))).rejects.toMatchObject({ status: 404, ofPath: true, apiMessage });
    expect(calls).toEqual([]);
    await expect(writer.read(ref)).resolves.toBeDefined();
  });

  test("for a namespaced kind without a namespace, or for a kind that is not served", async () => {
    const { writer, state, order } = writing();
    const { namespace: _, ...ref } = CONFIG_REF;
    await expect(writer.create(row({ ref }))).rejects.toMatchObject({ reason: "WrongScope" });
    state.served = false;
    const apiMessage = `the member does not serve ConfigMap of v1 (${refKey(CONFIG_REF)})`;
    await expect(writer.create(row())).rejects.toMatchObject({ status: 404, reason: "NotFound", apiMessage });
    expect(order).toEqual([]);
  });
});

describe("the first apply", () => {
  test("can only create, without force, after the removal of the namespace has ended", async () => {
    const { writer, calls, order, client, end } = writing();
    await writer.create(row());
    expect(order).toEqual(["await the removal of default", "apply configmaps"]);
    const place = { name: "shop", namespace: "default" };
    expect(calls).toMatchObject([{ ...place, options: { force: false }, body: sent({ resourceVersion: "1" }) }]);
    expect(client.signals).toEqual([end.signal]);
  });

  test("returns the answer with the fields that the member changed", async () => {
    const object = { ...live({ managedFields: fieldsOf("key") }), data: { key: "other" } };
    const { writer } = writing(answering({ apply: [object, live({ managedFields: fieldsOf("key") })] }));
    expect(await writer.create(row())).toEqual({ type: CONFIGMAPS, object, altered: ["data.key"] });
    expect((await writer.create(row())).altered).toEqual([]);
  });

  test("creates a missing namespace once, and is repeated once", async () => {
    const again = ["await the removal of default", "apply configmaps", "ensure default", "apply configmaps"];
    const made = writing(answering({ apply: [NO_NAMESPACE, live()] }));
    await made.writer.create(row());
    const missing = writing(answering({ apply: [NO_NAMESPACE] }));
    await expect(missing.writer.create(row())).rejects.toBe(NO_NAMESPACE);
    expect([made.order, missing.order]).toEqual([again, again]);
  });

  test.each([INVALID, RESET, new TypeError("x is not a function")])("throws %s without a read", async (error) => {
    const { writer, verbs } = writing(answering({ apply: [error] }));
    await expect(writer.create(row())).rejects.toBe(error);
    expect(verbs()).toEqual(["apply"]);
  });
});

describe("a name that is taken", () => {
  const taking = (holder: unknown, wanted: Partial<ApplyRow> = {}) => {
    const all = writing(answering({ apply: [TAKEN, live()], get: [holder] }));
    return { ...all, done: all.writer.create(row(wanted)) };
  };

  test.each<[string, KubeObject, Partial<ApplyRow>]>([
    ["by our object", ours, {}],
    ["by a foreign object that the row adopts", live(), { conflictResolution: "Adopt" }],
  ])("%s is taken over by force, by UID", async (_, holder, wanted) => {
    const { done, calls, verbs } = taking(holder, wanted);
    await done;
    expect(verbs()).toEqual(["apply", "get", "apply"]);
    expect(calls[1]).toMatchObject({ namespace: "default", name: "shop", options: { metadataOnly: true } });
    expect(calls[2]).toMatchObject({ options: { force: true }, body: sent({ uid: "there" }) });
    expect(calls[2]).not.toHaveProperty("body.metadata.resourceVersion");
  });

  const never = "is never taken over: nothing in namespace meridian-of-mine is taken over";
  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  test.each<[string, KubeObject, ApplyRow["conflictResolution"], string]>([
    ["AlreadyExists", live(), "Abort", "is there and is not Meridian's; conflictResolution: Adopt takes it over"],
    ["NotAdoptable", live({ namespace: "meridian-of-mine" }), "Adopt", never],
    ["AlreadyExists", live({ namespace: "meridian-of-mine" }), "Abort", never],
    ["Conflict", live({ ...marks, ...deleted }), "Abort", "is being deleted on the member"],
  ])("is refused as %s: %#", async (reason, holder, conflictResolution, message) => {
    const { done, verbs } = taking(holder, { conflictResolution });
    const apiMessage = expect.stringContaining(message) as string;
    await expect(done).rejects.toMatchObject({ status: 409, reason, apiMessage });
    expect(verbs()).toEqual(["apply", "get"]);
  });

  test("throws the refusal when the name is free by then, and the error when the holder cannot be read", async () => {
    await expect(taking(GONE).done).rejects.toBe(TAKEN);
    await expect(taking(FORBIDDEN).done).rejects.toBe(FORBIDDEN);
  });

  test("gives up fields that are left to the member before it is taken over", async () => {
    const managedFields = fieldsOf("key", "paused");
    const { writer, calls, verbs } = writing(
      answering({ apply: [TAKEN, live()], get: [ours, live({ managedFields })], patch: [live()] }),
    );
    await writer.create(row({ unretained: { ...live(), data: { key: "value", paused: "true" } } }));
    expect(verbs()).toEqual(["apply", "get", "get", "patch", "apply"]);
    expect(calls[3]?.body).toEqual({
      metadata: { uid: "there", resourceVersion: "5", managedFields: fieldsOf("key") },
    });
  });
});

describe("an update", () => {
  const lostPort = [{ path: "data.list[0]" }];
  const listRow = row({ object: { ...row().object, data: { list: ["a"] } } });
  const repaired = live({ managedFields: fieldsOf("key") });
  const sameUid = { op: "test", path: "/metadata/uid", value: "member-1" };

  test("applies by force, by UID", async () => {
    const { update, calls } = writing();
    await update(row());
    expect(calls).toMatchObject([{ verb: "apply", options: { force: true }, body: sent({ uid: "member-1" }) }]);
  });

  test.each([
    ["before", ["key", "paused"], ["get", "patch", "apply"]],
    ["before", ["key"], ["get", "apply"]],
    ["h1", ["key", "paused"], ["apply"]],
  ])("from hash %s gives up what is left to the member, if we own %j", async (hash, owned, want) => {
    const { update, verbs } = writing(() => live({ managedFields: fieldsOf(...owned) }));
    const unretained = { ...live(), data: { key: "value", paused: "true" } };
    await update(row({ unretained }), [], seen({ hash }));
    expect(verbs()).toEqual(want);
  });

  test.each([INVALID, new ApiError(500, "InternalError", "nodePort is allocated twice")])(
    "whose lists cannot be merged replaces them and applies again: %s",
    async (error) => {
      const { update, calls, verbs } = writing(answering({ apply: [error, repaired], patch: [live()] }));
      const result = await update(listRow, lostPort);
      expect(verbs()).toEqual(["apply", "patch", "apply"]);
      expect(calls[1]).toMatchObject({
        namespace: "default",
        name: "shop",
        options: { patchType: "application/json-patch+json" },
        body: [sameUid, { op: "replace", path: "/data/list", value: ["a"] }],
      });
      expect(calls[2]).toMatchObject({ options: { force: true }, body: { metadata: { uid: "member-1" } } });
      expect(result.object).toBe(repaired);
    },
  );

  describe("that repaired a list", () => {
    const entry = { manager: "meridian", operation: "Update" as const };
    const managedFields = [...fieldsOf("list"), entry];
    const after = live({ resourceVersion: "8" });

    test("removes its Update entry from managedFields", async () => {
      const { update, calls } = writing(
        answering({ apply: [INVALID, live({ managedFields })], patch: [live(), after] }),
      );
      expect((await update(listRow, lostPort)).object).toBe(after);
      expect(calls[3]?.body).toEqual([
        { op: "test", path: "/metadata/resourceVersion", value: "5" },
        { op: "replace", path: "/metadata/managedFields", value: fieldsOf("list") },
      ]);
    });

    test("reads the object again if another writer changed it meanwhile, and fails if nobody did", async () => {
      const apply = [INVALID, live({ managedFields })];
      const changed = live({ managedFields, resourceVersion: "7" });
      const { update, calls, verbs } = writing(answering({ apply, patch: [live(), INVALID, after], get: [changed] }));
      expect((await update(listRow, lostPort)).object).toBe(after);
      expect(verbs()).toEqual(["apply", "patch", "apply", "patch", "get", "patch"]);
      expect(calls.at(-1)?.body).toContainEqual({ op: "test", path: "/metadata/resourceVersion", value: "7" });
      const same = writing(answering({ apply, patch: [live(), INVALID], get: [live({ managedFields })] }));
      await expect(same.update(listRow, lostPort)).rejects.toBe(INVALID);
    });
  });

  test.each([
    [INVALID, [{ path: "data.key" }]],
    [TAKEN, lostPort],
    [RESET, lostPort],
  ])("repairs nothing after %s with the drift %j", async (error, drift) => {
    const { update, calls } = writing(answering({ apply: [error] }));
    await expect(update(listRow, drift)).rejects.toBe(error);
    expect(calls).toHaveLength(1);
  });

  describe("of a custom kind that empties a map", () => {
    const emptying = row({ object: { ...row().object, apiVersion: "example.com/v1", data: { map: {} } } });
    const nulled = new ApiError(422, "Invalid", 'data.map in body must be of type object: "null"');
    const managedFields = [{ ...fieldsOf("x")[0], fieldsV1: { "f:data": { "f:map": { "f:a": {} } } } }] as never;
    const full = { ...live({ uid: "member-1", managedFields }), data: { map: { a: "1" } } };

    test("empties the map first", async () => {
      const { update, calls, verbs } = writing(answering({ apply: [nulled, repaired], get: [full], patch: [live()] }));
      await update(emptying);
      expect(verbs()).toEqual(["apply", "get", "patch", "apply"]);
      expect(calls[2]?.body).toEqual([sameUid, { op: "replace", path: "/data/map", value: {} }]);
    });

    test("removes after the repair what is left empty and belongs to nobody", async () => {
      const own = [{ ...fieldsOf("x")[0], fieldsV1: { "f:data": { "f:map": {} } } }] as never;
      const left = { ...live({ uid: "member-1", managedFields: own }), data: { map: {}, keyed: [] } };
      const { update, calls, verbs } = writing(
        answering({ apply: [nulled, left], get: [full], patch: [live(), repaired] }),
      );
      await update(emptying, [], seen({ hash: "before" }));
      expect(verbs()).toEqual(["apply", "get", "patch", "apply", "patch"]);
      expect(calls[4]?.body).toEqual([sameUid, { op: "remove", path: "/data/keyed" }]);
    });

    test.each([
      ["the map is empty", { ...full, data: { map: {} } }],
      ["the object is gone", GONE],
      ["the object has another UID", { ...full, metadata: { ...full.metadata, uid: "member-2" } }],
    ])("throws the refusal if %s", async (_, found) => {
      const { update, verbs } = writing(answering({ apply: [nulled], get: [found] }));
      await expect(update(emptying)).rejects.toBe(nulled);
      expect(verbs()).toEqual(["apply", "get"]);
    });
  });

  test.each([
    ["that has changed adds an empty map that the server took away", "before", ["apply", "patch"]],
    ["that puts back drift sends nothing more", "h1", ["apply"]],
  ])("of a built-in kind %s", async (_, hash, want) => {
    const { update, verbs } = writing(answering({ apply: [live()], patch: [live()] }));
    await update(row({ object: { ...row().object, data: { key: "value", behavior: {} } } }), [], seen({ hash }));
    expect(verbs()).toEqual(want);
  });

  test("removes a default of the member that no longer fits, and applies again", async () => {
    const details = { causes: [{ field: "data.rolling" }] };
    const refusal = new ApiError(422, "Invalid", "data.rolling: only allowed for Rolling", { details });
    const stale = { ...live({ uid: "member-1" }), data: { key: "old", rolling: {} } };
    const { update, calls, verbs } = writing(answering({ apply: [refusal, repaired], get: [stale], patch: [live()] }));
    await update(row());
    expect(verbs()).toEqual(["apply", "get", "patch", "apply"]);
    const operations = [
      { op: "remove", path: "/data/rolling" },
      { op: "add", path: "/data/key", value: "value" },
    ];
    expect(calls[2]?.body).toEqual([sameUid, ...operations]);
  });

  const hidden = seen({ visible: false });
  test.each([
    ["is gone", GONE, VANISHED],
    ["has another UID", live({ uid: "member-2" }), VANISHED],
    ["is unchanged", live({ uid: "member-1" }), []],
  ])("that is refused reports whether an object that no watch shows %s", async (_, found, want) => {
    const { update, calls, vanished } = writing(answering({ apply: [TAKEN], get: [found] }));
    await expect(update(row(), [], hidden)).rejects.toBe(TAKEN);
    expect(vanished).toEqual(want);
    expect(calls[1]).toMatchObject({ verb: "get", name: "shop", options: { metadataOnly: true } });
  });

  test.each([
    ["the object cannot be read", hidden, TAKEN, FORBIDDEN],
    ["no answer came", hidden, RESET, undefined],
    ["a watch shows the object", seen(), TAKEN, undefined],
  ])("that fails reports nothing if %s", async (_, observed, error, found) => {
    const { update, verbs, vanished } = writing(answering({ apply: [error], get: [found] }));
    await expect(update(row(), [], observed)).rejects.toBe(found ?? error);
    expect([verbs(), vanished]).toEqual([found === undefined ? ["apply"] : ["apply", "get"], []]);
  });
});

describe("finding an object by name", () => {
  test.each([
    ["ours", ours, true],
    ["ours without our label, which no watch shows", live({ ...marks, labels: {} }), false],
  ])("returns an object that is %s, without its values", async (_, found, visible) => {
    const { writer, calls } = writing(() => found);
    const want = { uid: "there", visible, evidence: { live: undefined } };
    expect(await writer.find(CONFIG_REF, OWNER)).toMatchObject(want);
    expect(calls).toMatchObject([{ verb: "get", what: "configmaps", options: { metadataOnly: true } }]);
  });

  const another = { [OWNER_ANNOTATION]: JSON.stringify({ ...OWNER, uid: "another" }) };
  test.each([
    ["is missing", GONE],
    ["is foreign", live()],
    ["has another hub's label", live({ ...marks, labels: { [MANAGED_BY_LABEL]: "another-hub" } })],
    ["has an empty hub label", live({ ...marks, labels: { [MANAGED_BY_LABEL]: "" } })],
    ["has another owner", live({ ...marks, annotations: { ...marks.annotations, ...another } })],
  ])("returns nothing if the object %s", async (_, found) => {
    expect(await writing(() => found).writer.find(CONFIG_REF, OWNER)).toBeUndefined();
  });

  test("throws if the object may not be read", async () => {
    await expect(writing(() => FORBIDDEN).writer.find(CONFIG_REF, OWNER)).rejects.toBe(FORBIDDEN);
  });
});

test("a read returns the whole object, and nothing for a missing object", async () => {
  const { writer, calls, client, end } = writing(answering({ get: [ours, GONE, RESET] }));
  expect(await writer.read(CONFIG_REF)).toEqual(observe(ours, { keepsContent: true }));
  expect(calls).toMatchObject([{ verb: "get", what: "configmaps", namespace: "default", name: "shop" }]);
  expect(client.signals).toEqual([end.signal]);
  expect(await writer.read(CONFIG_REF)).toBeUndefined();
  await expect(writer.read(CONFIG_REF)).rejects.toBe(RESET);
});

describe("a removal", () => {
  const target = { uid: "member-1", visible: true };

  test("deletes by UID and leaves the dependents to the member; a missing object is done", async () => {
    const { writer, calls } = writing(answering({ delete: [undefined, GONE, TAKEN] }));
    await writer.delete(CONFIG_REF, target, {});
    const options = { uid: "member-1", propagationPolicy: "Background" };
    expect(calls).toEqual([{ verb: "delete", what: "configmaps", namespace: "default", name: "shop", options }]);
    await writer.delete(CONFIG_REF, target, {});
    await expect(writer.delete(CONFIG_REF, target, {})).rejects.toBe(TAKEN);
  });

  test.each<[string, (writer: MemberWriter) => Promise<unknown>]>([
    ["delete", (writer) => writer.delete(CONFIG_REF, target, {})],
    ["delete of a hidden object", (writer) => writer.delete(CONFIG_REF, { ...target, visible: false }, {})],
    ["release", (writer) => writer.release(CONFIG_REF, target)],
    ["find", (writer) => writer.find(CONFIG_REF, OWNER)],
    ["read", (writer) => writer.read(CONFIG_REF)],
  ])("is not proven by the 404 of a kind that is not served: %s", async (_, act) => {
    const { writer, vanished } = writing(() => NO_PATH);
    await expect(act(writer)).rejects.toBe(NO_PATH);
    expect(vanished).toEqual([]);
  });

  test("by release removes our marks from this UID only", async () => {
    const { writer, calls, verbs } = writing(() => live({ ...marks, uid: "member-1" }));
    await writer.release(CONFIG_REF, target);
    const metadata = { uid: "member-1", resourceVersion: "5", labels: { [MANAGED_BY_LABEL]: null } };
    const options = { patchType: "application/merge-patch+json" };
    expect(calls).toMatchObject([{ verb: "get" }, { verb: "patch", options, body: { metadata } }]);
    calls.length = 0;
    await writer.release(CONFIG_REF, { ...target, uid: "member-2" });
    expect(verbs()).toEqual(["get"]);
  });

  const still = live({ ...marks, uid: "member-1", labels: {} });
  test.each([
    [
      "belongs to another hub",
      { ...still, metadata: { ...still.metadata, labels: { [MANAGED_BY_LABEL]: "b" } } },
      VANISHED,
    ],
    ["is still ours", still, []],
  ])("that is refused reports whether an object that no watch shows %s", async (_, found, want) => {
    const hidden = { ...target, visible: false };
    const deleting = writing(answering({ delete: [FORBIDDEN], get: [found] }));
    await expect(deleting.writer.delete(CONFIG_REF, hidden, {})).rejects.toBe(FORBIDDEN);
    const releasing = writing(answering({ patch: [FORBIDDEN], get: [still, found] }));
    await expect(releasing.writer.release(CONFIG_REF, hidden)).rejects.toBe(FORBIDDEN);
    expect([deleting.vanished, releasing.vanished]).toEqual([want, want]);
    const visible = writing(answering({ delete: [FORBIDDEN] }));
    await expect(visible.writer.delete(CONFIG_REF, target, {})).rejects.toBe(FORBIDDEN);
    expect(visible.verbs()).toEqual(["delete"]);
  });
});
