import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION, refKey } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { ApiError, CONFIGMAPS, TransportError } from "../../runtime/index.ts";
import type { MemberWriter, Written } from "./memberWriter.ts";
import { observe } from "../model/observed.ts";
import { CONFIG_REF, OWNER, row } from "../testing/builders.ts";
import { answering, fieldsOf, GONE, INVALID, live, marks, ours, TAKEN, writing } from "../testing/memberWriting.ts";

const NO_NAMESPACE = new ApiError(404, "NotFound", 'namespaces "default" not found', {
  details: { kind: "namespaces" },
});

const NO_PATH = new ApiError(404, "NotFound", "404 page not found", { ofPath: true });

test("an object is not sent in a version that the member does not serve, and read in the one that it serves", async () => {
  const { writer, state, calls } = writing(() => live());
  state.unserved = ["v0"];
  const ref = { ...CONFIG_REF, apiVersion: "v0" };
  const refused = {
    status: 404,
    ofPath: true,
    apiMessage: expect.stringContaining("serves ConfigMap in v1") as string,
  };
  await expect(writer.create(row({ ref }))).rejects.toMatchObject(refused);
  expect(calls).toEqual([]);
  await expect(writer.read(ref)).resolves.toBeDefined();
});

describe("the first apply", () => {
  test("asks for a version that no object has, takes nothing by force, and waits until no removal of the namespace is under way", async () => {
    const { writer, calls, order, client, end } = writing();
    await writer.create(row());
    expect(order).toEqual(["await the removal of default", "apply configmaps"]);
    expect(calls[0]).toMatchObject({ name: "shop", namespace: "default", options: { force: false } });
    expect(calls[0]?.body).toEqual({
      ...row().object,
      metadata: { ...row().object.metadata, resourceVersion: "1" },
    });
    expect(client.signals).toEqual([end.signal]);
  });

  test("answers with the object, and with what the member made something else of", async () => {
    const answer = { ...live({ managedFields: fieldsOf("key") }), data: { key: "other" } };
    expect(await writing(() => answer).writer.create(row())).toEqual({
      type: CONFIGMAPS,
      object: answer,
      altered: ["data.key"],
    });
    const kept = live({ managedFields: fieldsOf("key") });
    expect((await writing(() => kept).writer.create(row())).altered).toEqual([]);
  });

  test("makes the namespace where the member lacks it, and is sent once more", async () => {
    const { writer, order } = writing(answering({ apply: [NO_NAMESPACE, live()] }));
    await writer.create(row());
    expect(order).toEqual(["await the removal of default", "apply configmaps", "ensure default", "apply configmaps"]);
  });

  test("makes the namespace once", async () => {
    const { writer, order } = writing(answering({ apply: [NO_NAMESPACE] }));
    await expect(writer.create(row())).rejects.toBe(NO_NAMESPACE);
    expect(order.filter((line) => line === "apply configmaps")).toHaveLength(2);
  });

  test("of an object without a namespace, of a kind that has namespaces there, is not even sent", async () => {
    const { writer, order } = writing();
    const { namespace: _, ...ref } = CONFIG_REF;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop" } };
    await expect(writer.create(row({ ref, object }))).rejects.toMatchObject({ reason: "WrongScope" });
    expect(order).toEqual([]);
  });

  test.each([
    { name: "a refusal", error: INVALID },
    { name: "a broken connection", error: new TransportError("ConnectionReset", "reset") },
    { name: "a fault", error: new TypeError("x is not a function") },
  ])("passes on $name, and looks at nothing", async ({ error }) => {
    const { writer, order } = writing(answering({ apply: [error] }));
    await expect(writer.create(row())).rejects.toBe(error);
    expect(order).toEqual(["await the removal of default", "apply configmaps"]);
  });

  test("of a kind that the member does not serve is refused without a request", async () => {
    const { writer, state, calls } = writing();
    state.served = false;
    await expect(writer.create(row())).rejects.toMatchObject({
      status: 404,
      reason: "NotFound",
      apiMessage: `the member does not serve ConfigMap of v1 (${refKey(CONFIG_REF)})`,
    });
    expect(calls).toEqual([]);
  });
});

describe("a name that is taken", () => {
  const taking = (holder: unknown, wanted: Partial<ApplyRow> = {}) => {
    const all = writing(answering({ apply: [TAKEN, live()], get: [holder] }));
    return { ...all, done: all.writer.create(row(wanted)) };
  };

  test.each([
    { name: "by an object of ours, which another hub object may have let go of", holder: ours, wanted: {} },
    { name: "by somebody's that is given to us", holder: live(), wanted: { conflictResolution: "Adopt" } as const },
  ])("$name is taken up by force, as that very life", async ({ holder, wanted }) => {
    const { done, calls } = taking(holder, wanted);
    await done;
    expect(calls.map(({ verb }) => verb)).toEqual(["apply", "get", "apply"]);
    expect(calls[1]).toMatchObject({ namespace: "default", name: "shop", options: { metadataOnly: true } });
    expect(calls[2]?.options).toEqual({ force: true });
    expect(calls[2]?.body).toEqual({ ...row().object, metadata: { ...row().object.metadata, uid: "there" } });
  });

  test.each<{ name: string; holder: KubeObject; wanted?: Partial<ApplyRow>; reason: string; message: string }>([
    {
      name: "by somebody's object",
      holder: live(),
      reason: "AlreadyExists",
      message: "a ConfigMap of that name is there and is not Meridian's; conflictResolution: Adopt takes it over",
    },
    {
      name: "by what is never taken over, though it is given to us",
      holder: live({ namespace: "meridian-of-mine" }),
      wanted: { conflictResolution: "Adopt" },
      reason: "NotAdoptable",
      message:
        "a ConfigMap of that name is there and is never taken over: nothing in namespace meridian-of-mine is taken over",
    },
    {
      name: "by what is never taken over, and not given to us",
      holder: live({ namespace: "meridian-of-mine" }),
      reason: "AlreadyExists",
      message: "never taken over: nothing in namespace meridian-of-mine is taken over",
    },
    {
      name: "by what is on its way out",
      holder: live({ ...marks, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      reason: "Conflict",
      message: "a ConfigMap of that name is being deleted on the member",
    },
  ])("$name is left alone: $reason", async ({ holder, wanted, reason, message }) => {
    const { done, calls } = taking(holder, wanted);
    await expect(done).rejects.toMatchObject({
      status: 409,
      reason,
      apiMessage: expect.stringContaining(message) as string,
    });
    expect(calls.map(({ verb }) => verb)).toEqual(["apply", "get"]);
  });

  test("and is free by the time that one looks is refused as it was, to be tried again", async () => {
    await expect(taking(GONE).done).rejects.toBe(TAKEN);
  });

  test("by what cannot be read is not taken", async () => {
    const forbidden = new ApiError(403, "Forbidden", "no");
    await expect(taking(forbidden).done).rejects.toBe(forbidden);
  });

  test("takes up no fields that are left to the member", async () => {
    const managedFields = fieldsOf("key", "paused");
    const { writer, calls } = writing(
      answering({ apply: [TAKEN, live()], get: [ours, live({ managedFields })], patch: [live()] }),
    );
    await writer.create(row({ unretained: { ...live(), data: { key: "value", paused: "true" } } }));
    expect(calls.map(({ verb }) => verb)).toEqual(["apply", "get", "get", "patch", "apply"]);
    expect(calls[3]?.body).toEqual({
      metadata: { uid: "there", resourceVersion: "5", managedFields: fieldsOf("key") },
    });
  });
});

describe("looking for an object by its name", () => {
  test.each([
    { name: "one of ours with our label", found: ours, visible: true },
    { name: "one without our label, which no watch shows", found: live({ ...marks, labels: {} }), visible: false },
  ])("finds $name, and knows nothing of its values", async ({ found, visible }) => {
    const { writer, calls } = writing(() => found);
    expect(await writer.find(CONFIG_REF, OWNER)).toMatchObject({
      uid: "there",
      visible,
      evidence: { live: undefined },
    });
    expect(calls).toMatchObject([{ verb: "get", what: "configmaps", options: { metadataOnly: true } }]);
  });

  test.each([
    { name: "nothing is there", found: GONE },
    { name: "what is there is somebody's", found: live() },
    {
      name: "what is there has the label of another hub, though all its other marks are ours",
      found: live({ ...marks, labels: { [MANAGED_BY_LABEL]: "another-hub" } }),
    },
    {
      name: "what is there has our label with no hub in it",
      found: live({ ...marks, labels: { [MANAGED_BY_LABEL]: "" } }),
    },
    {
      name: "what is there stands for another hub object",
      found: live({
        ...marks,
        annotations: { ...marks.annotations, [OWNER_ANNOTATION]: JSON.stringify({ ...OWNER, uid: "another" }) },
      }),
    },
  ])("finds nothing when $name", async ({ found }) => {
    expect(await writing(() => found).writer.find(CONFIG_REF, OWNER)).toBeUndefined();
  });

  test("is no answer where the member does not let us look", async () => {
    const forbidden = new ApiError(403, "Forbidden", "no");
    await expect(writing(() => forbidden).writer.find(CONFIG_REF, OWNER)).rejects.toBe(forbidden);
  });
});

describe("reading an object whole", () => {
  test("gives what is there, with the content that a watch does not keep", async () => {
    const { writer, calls, client, end } = writing(() => ours);
    expect(await writer.read(CONFIG_REF)).toEqual(observe(ours, { keepsContent: true }));
    expect(calls).toMatchObject([{ verb: "get", what: "configmaps", namespace: "default", name: "shop" }]);
    expect(client.signals).toEqual([end.signal]);
  });

  test("gives nothing of an object that is not there any more", async () => {
    expect(await writing(answering({ get: [GONE] })).writer.read(CONFIG_REF)).toBeUndefined();
  });

  test("passes on what else is wrong", async () => {
    const broken = new TransportError("ConnectionReset", "reset");
    await expect(writing(answering({ get: [broken] })).writer.read(CONFIG_REF)).rejects.toBe(broken);
  });
});

describe("a removal", () => {
  const seen = { uid: "member-1", visible: true };

  test("names the life that is to go, and leaves its dependents to the member", async () => {
    const { writer, calls } = writing(() => undefined);
    await writer.delete(CONFIG_REF, seen);
    expect(calls).toEqual([
      {
        verb: "delete",
        what: "configmaps",
        namespace: "default",
        name: "shop",
        options: { uid: "member-1", propagationPolicy: "Background" },
      },
    ]);
  });

  test("of what is gone is done; a refused one is not", async () => {
    await writing(() => GONE).writer.delete(CONFIG_REF, seen);
    await expect(writing(() => TAKEN).writer.delete(CONFIG_REF, seen)).rejects.toBe(TAKEN);
  });

  test.each([
    { name: "removed", act: (writer: MemberWriter) => writer.delete(CONFIG_REF, seen) },
    { name: "let go of", act: (writer: MemberWriter) => writer.release(CONFIG_REF, seen) },
    { name: "found to be gone", act: (writer: MemberWriter) => writer.find(CONFIG_REF, OWNER) },
    { name: "read", act: (writer: MemberWriter) => writer.read(CONFIG_REF) },
    {
      name: "reported to be gone",
      act: (writer: MemberWriter) => writer.delete(CONFIG_REF, { ...seen, visible: false }),
    },
  ])("of a kind that the member does not serve is no removal: nothing is $name", async ({ act }) => {
    const { writer, vanished } = writing(() => NO_PATH);
    await expect(act(writer)).rejects.toBe(NO_PATH);
    expect(vanished).toEqual([]);
  });

  test("that lets go takes the marks off that life, and off no other", async () => {
    const { writer, calls } = writing(() => live({ ...marks, uid: "member-1" }));
    await writer.release(CONFIG_REF, seen);
    expect(calls).toMatchObject([
      { verb: "get" },
      {
        verb: "patch",
        options: { patchType: "application/merge-patch+json" },
        body: { metadata: { uid: "member-1", resourceVersion: "5", labels: { [MANAGED_BY_LABEL]: null } } },
      },
    ]);
    calls.length = 0;
    await writer.release(CONFIG_REF, { ...seen, uid: "member-2" });
    expect(calls).toMatchObject([{ verb: "get" }]);
  });

  describe("that the member refuses, of an object that no watch sees", () => {
    const unseen = { ...seen, visible: false };
    const refused = new ApiError(403, "Forbidden", "a hub writes only objects with its label");
    const elsewhere = live({ ...marks, uid: "member-1", labels: { [MANAGED_BY_LABEL]: "another-hub" } });
    const still = live({ ...marks, uid: "member-1", labels: {} });

    test.each([
      { name: "has become another hub's", found: elsewhere, want: [`${refKey(CONFIG_REF)} member-1`] },
      { name: "is ours as before", found: still, want: [] },
    ])("tells where it $name", async ({ found, want }) => {
      const deleting = writing(answering({ delete: [refused], get: [found] }));
      await expect(deleting.writer.delete(CONFIG_REF, unseen)).rejects.toBe(refused);
      expect(deleting.vanished).toEqual(want);
      const releasing = writing(answering({ patch: [refused], get: [still, found] }));
      await expect(releasing.writer.release(CONFIG_REF, unseen)).rejects.toBe(refused);
      expect(releasing.vanished).toEqual(want);
    });

    test("asks for nothing more where a watch sees it", async () => {
      const { writer, calls } = writing(answering({ delete: [refused] }));
      await expect(writer.delete(CONFIG_REF, seen)).rejects.toBe(refused);
      expect(calls).toHaveLength(1);
    });
  });
});

test("a writer says what its session knows, and when that is over", () => {
  const { writer, state, observed, end } = writing();
  expect([writer.isSynced(CONFIG_REF), writer.mayRemove(CONFIG_REF)]).toEqual([true, false]);
  Object.assign(state, { synced: false, known: true });
  expect([writer.isSynced(CONFIG_REF), writer.mayRemove(CONFIG_REF)]).toEqual([false, true]);
  const written: Written = { type: CONFIGMAPS, object: live(), altered: [] };
  writer.observe(written);
  writer.doubtKind(CONFIG_REF);
  expect([observed, state.invalidations]).toEqual([[written], 1]);
  expect(writer.isOver).toBe(false);
  end.abort(new Error("over"));
  expect(writer.isOver).toBe(true);
});
