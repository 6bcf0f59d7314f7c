import { expect, test } from "vitest";
import { finalizersPatch, type KubeObject, type ObjectMeta } from "../../apis/index.ts";
import { ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import { ApiError, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { setFinalizers } from "./finalizers.ts";

const OURS = "federation.paas.cmft.com/member-objects";
const { signal } = new AbortController();
const object = (metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "team", uid: "u", ...metadata },
});
const DELETED = "2026-01-01T00:00:00Z";
const alive = (value: string | null = null) => ({ op: "test", path: "/metadata/deletionTimestamp", value });
const path = "/metadata/annotations";

test("finalizers are set if deletion, UID and finalizers are those that were seen", async () => {
  const client = new ScriptedClient(() => object());
  const patch = async (metadata: Partial<ObjectMeta>, next: readonly string[]) => {
    await setFinalizers(client.client, DEMOAPPLICATIONS, object(metadata), next, signal);
    return client.calls.at(-1)?.body;
  };
  const uid = { op: "test", path: "/metadata/uid", value: "u" };
  const finalizers = "/metadata/finalizers";
  expect(await patch({}, [OURS])).toEqual([
    ...[alive(), uid, { op: "test", path: finalizers, value: null }],
    { op: "add", path: finalizers, value: [OURS] },
  ]);
  expect(await patch({ finalizers: [OURS, "theirs"], deletionTimestamp: DELETED }, ["theirs"])).toEqual([
    ...[alive(DELETED), uid, { op: "test", path: finalizers, value: [OURS, "theirs"] }],
    { op: "add", path: finalizers, value: ["theirs"] },
  ]);
  expect(await patch({ finalizers: [OURS] }, [])).toContainEqual({ op: "remove", path: finalizers });
});

test.each<[string, Partial<ObjectMeta>, { name: string; value: string | undefined } | undefined, object[]]>([
  ["alone", {}, undefined, []],
  [
    "with an annotation beside others",
    { annotations: {} },
    { name: "a.b/c~d", value: "x" },
    [{ op: "add", path: `${path}/a.b~1c~0d`, value: "x" }],
  ],
  [
    "with the first annotation",
    {},
    { name: "a.b/c", value: "x" },
    [
      { op: "test", path, value: null },
      { op: "add", path, value: { "a.b/c": "x" } },
    ],
  ],
  [
    "without an annotation",
    { annotations: { a: "x" } },
    { name: "a", value: undefined },
    [
      { op: "test", path: `${path}/a`, value: "x" },
      { op: "remove", path: `${path}/a` },
    ],
  ],
  ["without an annotation that is not there", { annotations: {} }, { name: "a", value: undefined }, []],
])("finalizers are set %s by one patch for the object that was seen", async (_, metadata, annotation, more) => {
  const written = object({ finalizers: [OURS], resourceVersion: "8" });
  const client = new ScriptedClient(() => written);
  const seen = object(metadata);
  expect(await setFinalizers(client.client, DEMOAPPLICATIONS, seen, [OURS], signal, annotation)).toBe(written);
  const body = [alive(metadata.deletionTimestamp), ...finalizersPatch(seen.metadata, [OURS]), ...more];
  const where = { what: "demoapplications", namespace: "team", name: "shop" };
  const options = { patchType: "application/json-patch+json" };
  expect([client.calls, client.signals]).toEqual([[{ verb: "patch", ...where, body, options }], [signal]]);
});

test.each([
  { error: new ApiError(422, "Invalid", "the test failed"), isChanged: true },
  { error: new ApiError(409, "Conflict", "try again"), isChanged: true },
  { error: new ApiError(404, "NotFound", "no such object"), isChanged: true },
  { error: new ApiError(403, "Forbidden", "no right to that"), isChanged: false },
])("the answer $error.reason means that the object has changed: $isChanged", async ({ error, isChanged }) => {
  const { client } = new ScriptedClient(() => error);
  const set = setFinalizers(client, DEMOAPPLICATIONS, object(), [OURS], signal);
  if (isChanged) expect(await set).toBeUndefined();
  else await expect(set).rejects.toBe(error);
});
