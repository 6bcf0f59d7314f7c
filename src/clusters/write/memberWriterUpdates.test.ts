import { describe, expect, test } from "vitest";
import { type KubeObject, refKey } from "../../apis/index.ts";
import { ApiError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, row, seen } from "../testing/builders.ts";
import { answering, fieldsOf, GONE, INVALID, live, TAKEN, writing } from "../testing/memberWriting.ts";
import type { Call } from "../testing/scriptedClient.ts";

const sent = (call: Call | undefined) => (call?.body as KubeObject | undefined)?.metadata;

describe("an update", () => {
  const lostPort = [{ path: "data.list[0]" }];
  const listRow = row({ object: { ...row().object, data: { list: ["a"] } } });
  const repaired = live({ managedFields: fieldsOf("key") });

  test("applies by force to the life that was seen", async () => {
    const { writer, calls } = writing();
    await writer.update(row(), seen(), []);
    expect(calls).toMatchObject([{ verb: "apply", options: { force: true } }]);
    expect(sent(calls[0])).toEqual({ ...row().object.metadata, uid: "member-1" });
  });

  test.each([
    { name: "before another state is applied", hash: "before", want: ["get", "patch", "apply"] },
    { name: "and only then", hash: "h1", want: ["apply"] },
  ])("lets go of what is left to the member, $name", async ({ hash, want }) => {
    const { writer, calls } = writing(() => live({ managedFields: fieldsOf("key", "paused") }));
    const unretained = { ...live(), data: { key: "value", paused: "true" } };
    await writer.update(row({ unretained }), seen({ hash }), []);
    expect(calls.map(({ verb }) => verb)).toEqual(want);
  });

  test("lets go of nothing where we own nothing of it", async () => {
    const { writer, calls } = writing(() => live({ managedFields: fieldsOf("key") }));
    const unretained = { ...live(), data: { key: "value", paused: "true" } };
    await writer.update(row({ unretained }), seen({ hash: "before" }), []);
    expect(calls.map(({ verb }) => verb)).toEqual(["get", "apply"]);
  });

  test.each([
    { name: "as invalid", error: INVALID },
    { name: "with an error of the server", error: new ApiError(500, "InternalError", "nodePort is allocated twice") },
  ])("whose lists cannot be merged, refused $name, puts them back whole and applies again", async ({ error }) => {
    const { writer, calls } = writing(answering({ apply: [error, repaired], patch: [live()] }));
    const result = await writer.update(listRow, seen(), lostPort);
    expect(calls.map(({ verb }) => verb)).toEqual(["apply", "patch", "apply"]);
    expect(calls[1]).toMatchObject({
      namespace: "default",
      name: "shop",
      options: { patchType: "application/json-patch+json" },
      body: [
        { op: "test", path: "/metadata/uid", value: "member-1" },
        { op: "replace", path: "/data/list", value: ["a"] },
      ],
    });
    expect(calls[2]?.options).toEqual({ force: true });
    expect(sent(calls[2])).toMatchObject({ uid: "member-1" });
    expect(result.object).toBe(repaired);
  });

  test("that put a list back leaves no trace of that in the owners of fields", async () => {
    const left = { manager: "meridian", operation: "Update" as const };
    const after = live({ resourceVersion: "6" });
    const { writer, calls } = writing(
      answering({ apply: [INVALID, live({ managedFields: [...fieldsOf("list"), left] })], patch: [live(), after] }),
    );
    const result = await writer.update(listRow, seen(), lostPort);
    expect(calls[3]?.body).toEqual([
      { op: "test", path: "/metadata/resourceVersion", value: "5" },
      { op: "replace", path: "/metadata/managedFields", value: fieldsOf("list") },
    ]);
    expect(result.object).toBe(after);
  });

  test("that put a list back takes its trace out of what is there, when somebody has written the object meanwhile", async () => {
    const left = { manager: "meridian", operation: "Update" as const };
    const managedFields = [...fieldsOf("list"), left];
    const after = live({ resourceVersion: "8" });
    const { writer, calls } = writing(
      answering({
        apply: [INVALID, live({ managedFields })],
        patch: [live(), INVALID, after],
        get: [live({ managedFields, resourceVersion: "7" })],
      }),
    );
    const result = await writer.update(listRow, seen(), lostPort);
    expect(calls.map(({ verb }) => verb)).toEqual(["apply", "patch", "apply", "patch", "get", "patch"]);
    expect(calls.at(-1)?.body).toContainEqual({ op: "test", path: "/metadata/resourceVersion", value: "7" });
    expect(result.object).toBe(after);
  });

  test("that put a list back fails where its trace stays though nobody has written the object", async () => {
    const left = { manager: "meridian", operation: "Update" as const };
    const there = live({ managedFields: [...fieldsOf("list"), left] });
    const { writer } = writing(answering({ apply: [INVALID, there], patch: [live(), INVALID], get: [there] }));
    await expect(writer.update(listRow, seen(), lostPort)).rejects.toBe(INVALID);
  });

  test.each([
    { name: "took nothing out of a list", error: INVALID, drift: [{ path: "data.key" }] },
    { name: "was refused for another reason", error: TAKEN, drift: lostPort },
    { name: "did not arrive", error: new TransportError("ConnectionReset", "reset"), drift: lostPort },
  ])("repairs no list when the drift or the write $name", async ({ error, drift }) => {
    const { writer, calls } = writing(answering({ apply: [error] }));
    await expect(writer.update(listRow, seen(), drift)).rejects.toBe(error);
    expect(calls).toHaveLength(1);
  });

  describe("that empties a map of a custom kind", () => {
    const object: KubeObject = { ...row().object, apiVersion: "example.com/v1", data: { map: {} } };
    const emptying = row({ object });
    const nulled = new ApiError(422, "Invalid", 'data.map in body must be of type object: "null"');
    const mapOfOurs = [{ ...fieldsOf("x")[0], fieldsV1: { "f:data": { "f:map": { "f:a": {} } } } }];
    const full = { ...live({ uid: "member-1", managedFields: mapOfOurs as never }), data: { map: { a: "1" } } };

    test("empties it before the apply where the server would make null of it", async () => {
      const { writer, calls } = writing(answering({ apply: [nulled, repaired], get: [full], patch: [live()] }));
      await writer.update(emptying, seen(), []);
      expect(calls.map(({ verb }) => verb)).toEqual(["apply", "get", "patch", "apply"]);
      expect(calls[2]?.body).toEqual([
        { op: "test", path: "/metadata/uid", value: "member-1" },
        { op: "replace", path: "/data/map", value: {} },
      ]);
    });

    test("reports the refusal where the map has nothing to do with it", async () => {
      const other = { ...full, data: { map: {} } };
      const { writer, calls } = writing(answering({ apply: [nulled], get: [other] }));
      await expect(writer.update(emptying, seen(), [])).rejects.toBe(nulled);
      expect(calls.map(({ verb }) => verb)).toEqual(["apply", "get"]);
    });

    test("reports the refusal where the member object is gone", async () => {
      const { writer } = writing(answering({ apply: [nulled], get: [GONE] }));
      await expect(writer.update(emptying, seen(), [])).rejects.toBe(nulled);
    });
  });

  test("takes a default of the member away that no longer fits, and applies again", async () => {
    const details = { causes: [{ field: "data.rolling" }] };
    const refusal = new ApiError(422, "Invalid", "data.rolling: only allowed for Rolling", { details });
    const there = { ...live({ uid: "member-1" }), data: { key: "old", rolling: {} } };
    const { writer, calls } = writing(answering({ apply: [refusal, repaired], get: [there], patch: [live()] }));
    await writer.update(row(), seen(), []);
    expect(calls.map(({ verb }) => verb)).toEqual(["apply", "get", "patch", "apply"]);
    expect(calls[2]?.body).toEqual([
      { op: "test", path: "/metadata/uid", value: "member-1" },
      { op: "remove", path: "/data/rolling" },
      { op: "add", path: "/data/key", value: "value" },
    ]);
  });

  describe("of an object that no watch sees", () => {
    const unseen = seen({ visible: false });

    test.each([
      { name: "is gone", found: GONE, want: [`${refKey(CONFIG_REF)} member-1`] },
      { name: "was made again", found: live({ uid: "member-2" }), want: [`${refKey(CONFIG_REF)} member-1`] },
      { name: "is still there", found: live({ uid: "member-1" }), want: [] },
    ])("tells whether that life of it $name when it is refused", async ({ found, want }) => {
      const { writer, calls, vanished } = writing(answering({ apply: [TAKEN], get: [found] }));
      await expect(writer.update(row(), unseen, [])).rejects.toBe(TAKEN);
      expect(vanished).toEqual(want);
      expect(calls[1]).toMatchObject({ verb: "get", name: "shop", options: { metadataOnly: true } });
    });

    test("says nothing of it where the member cannot be asked", async () => {
      const forbidden = new ApiError(403, "Forbidden", "no");
      const { writer, vanished } = writing(answering({ apply: [TAKEN], get: [forbidden] }));
      await expect(writer.update(row(), unseen, [])).rejects.toBe(forbidden);
      expect(vanished).toEqual([]);
    });

    test.each([
      { name: "when the request did not arrive", observed: unseen, error: new TransportError("Timeout", "timed out") },
      { name: "when a watch sees it", observed: seen(), error: TAKEN },
    ])("does not ask $name", async ({ observed, error }) => {
      const { writer, calls } = writing(answering({ apply: [error] }));
      await expect(writer.update(row(), observed, [])).rejects.toBe(error);
      expect(calls).toHaveLength(1);
    });
  });
});
