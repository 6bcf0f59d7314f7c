import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../../apis/index.ts";
import { ApiError, type Client, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { setFinalizers } from "./finalizers.ts";

const OURS = "federation.paas.cmft.com/member-objects";
const { signal } = new AbortController();

/** A hub that answers every patch with this object, or with this error. */
function hub(answer: KubeObject | Error) {
  const patches: { place: string; type: string; operations: unknown }[] = [];
  const client = {
    patch: async (_type: unknown, namespace: string | undefined, name: string, type: string, operations: unknown) => {
      patches.push({ place: `${namespace}/${name}`, type, operations });
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Client;
  return { client, patches };
}

const object = (metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "team", uid: "u", ...metadata },
});

async function patchFor(
  metadata: Partial<ObjectMeta>,
  next: readonly string[],
  annotation?: { name: string; value: string },
): Promise<unknown> {
  const { client, patches } = hub(object());
  await setFinalizers(client, DEMOAPPLICATIONS, object(metadata), next, signal, annotation);
  expect(patches).toHaveLength(1);
  expect(patches[0]).toMatchObject({ place: "team/shop", type: "application/json-patch+json" });
  return patches[0]?.operations;
}

const untouched = (path: string, value: unknown) => ({ op: "test", path: `/metadata/${path}`, value });

describe("finalizers", () => {
  test("are added to an object without any, provided that there still is none", async () => {
    expect(await patchFor({}, [OURS])).toEqual([
      untouched("deletionTimestamp", null),
      untouched("uid", "u"),
      untouched("finalizers", null),
      { op: "add", path: "/metadata/finalizers", value: [OURS] },
    ]);
  });

  test("are changed in an object that is being deleted, provided that they are those that were seen", async () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(await patchFor({ finalizers: [OURS, "theirs"], deletionTimestamp }, ["theirs"])).toEqual([
      untouched("deletionTimestamp", deletionTimestamp),
      untouched("uid", "u"),
      untouched("finalizers", [OURS, "theirs"]),
      { op: "add", path: "/metadata/finalizers", value: ["theirs"] },
    ]);
  });

  test("are taken off as a whole when none is left", async () => {
    expect(await patchFor({ finalizers: [OURS] }, [])).toContainEqual({ op: "remove", path: "/metadata/finalizers" });
  });

  test("bring an annotation along, beside those that are there, also by a name with a slash and a tilde", async () => {
    const operations = await patchFor({ annotations: {} }, [OURS], { name: "a.b/c~d", value: "x" });
    expect(operations).toContainEqual({ op: "add", path: "/metadata/annotations/a.b~1c~0d", value: "x" });
    expect(operations).toHaveLength(5);
  });

  test("bring the first annotation along, provided that there still is none", async () => {
    const operations = await patchFor({}, [OURS], { name: "a.b/c", value: "x" });
    expect((operations as unknown[]).slice(-2)).toEqual([
      untouched("annotations", null),
      { op: "add", path: "/metadata/annotations", value: { "a.b/c": "x" } },
    ]);
  });

  test.each([
    { name: "something was different", error: new ApiError(422, "Invalid", "the test failed") },
    { name: "somebody wrote at the same moment", error: new ApiError(409, "Conflict", "try again") },
    { name: "the object is gone", error: new ApiError(404, "NotFound", "no such object") },
  ])("are to be planned again when $name", async ({ error }) => {
    expect(await setFinalizers(hub(error).client, DEMOAPPLICATIONS, object(), [OURS], signal)).toBeUndefined();
  });

  test("fail when the hub says anything else", async () => {
    const error = new ApiError(403, "Forbidden", "no right to that");
    await expect(setFinalizers(hub(error).client, DEMOAPPLICATIONS, object(), [OURS], signal)).rejects.toBe(error);
  });

  test("give back the object as the hub has it then", async () => {
    const written = object({ finalizers: [OURS], resourceVersion: "8" });
    expect(await setFinalizers(hub(written).client, DEMOAPPLICATIONS, object(), [OURS], signal)).toBe(written);
  });
});
