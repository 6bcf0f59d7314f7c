import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, type CallOptions, CRDS, type ObjectList, type ResourceType } from "../../runtime/index.ts";
import { refuseWhileInUse } from "./definitionGuard.ts";
import { rehearseRemoval } from "./rehearsal.ts";
import { deleteRow } from "../testing/builders.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

const NAME = "widgets.example.com";
const REF = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: NAME };
const NOT_FOUND = new ApiError(404, "NotFound", "not found");
const FORBIDDEN = new ApiError(403, "Forbidden", "no");

const served = {
  group: "example.com",
  scope: "Namespaced",
  names: { plural: "widgets", kind: "Widget", singular: "widget" },
  versions: [
    { name: "v1alpha1", served: false },
    { name: "v1", served: true },
    { name: "v2", served: true },
  ] as unknown[],
};

function definition(spec: unknown = served, established: unknown = "True"): KubeObject {
  const status = { conditions: [undefined, { type: "Established", status: established }] };
  return { apiVersion: REF.apiVersion, kind: REF.kind, metadata: { name: NAME }, spec, status };
}

const widget = (metadata: KubeObject["metadata"]) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata });

/** Keeps the listed kinds. */
class ListingClient extends ScriptedClient {
  readonly listed: ResourceType[] = [];

  override list(type: ResourceType, options?: CallOptions): Promise<ObjectList> {
    this.listed.push(type);
    return super.list(type, options);
  }
}

const memberWith = (live: KubeObject | Error, objects: KubeObject[] | Error = []) =>
  new ListingClient(({ verb }) => (verb === "get" ? live : objects instanceof Error ? objects : { items: objects }));

/** Refusal of the removal on a member with this definition and these objects of its kind. */
async function removing(live: KubeObject | Error, objects: KubeObject[] | Error = []) {
  const client = memberWith(live, objects);
  const refusal: unknown = await refuseWhileInUse(client.client, CRDS, REF, new AbortController().signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { client, refusal };
}

describe("the removal of a definition", () => {
  test("needs one short list of its kind, in the first served version", async () => {
    const versions = [undefined, "v0", ...served.versions];
    const { client, refusal } = await removing(definition({ ...served, versions }));
    expect(refusal).toBeUndefined();
    expect(client.calls).toEqual([
      { verb: "get", what: "customresourcedefinitions", namespace: undefined, name: NAME, options: {} },
      { verb: "list", what: "widgets", options: { metadataOnly: true, limit: 1 } },
    ]);
    expect(client.listed).toEqual([
      { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true },
    ]);
  });

  test.each([
    ["shop/a", { name: "a", namespace: "shop" }],
    ["a", { name: "a" }],
  ])("is refused while the object %s exists", async (one, metadata) => {
    const apiMessage = `Widget ${one} would be deleted with it; delete it first, or annotate the owner: allow-crd-removal=${NAME}`;
    const { refusal } = await removing(definition(), [widget(metadata)]);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ status: 409, reason: "CustomObjectsExist", apiMessage });
  });

  test.each<[string, KubeObject | Error]>([
    ["is gone", NOT_FOUND],
    ["was never established", definition(served, "False")],
    ["has a malformed status", { ...definition(), status: "text" }],
    ["has no status", { ...definition(), status: undefined }],
  ])("is allowed when the definition %s", async (_, live) => {
    expect((await removing(live, NOT_FOUND)).refusal).toBeUndefined();
  });

  // The server keeps the objects and deletes them with the definition.
  test("is refused while no version is served, since objects may exist", async () => {
    const unserved = definition({ ...served, versions: [{ name: "v1", served: false }] });
    const apiMessage = expect.stringMatching(
      /^whether objects of widgets\.example\.com exist .* allow-crd-removal=/,
    ) as string;
    for (const { refusal } of [await removing(unserved), await removing(definition(), NOT_FOUND)])
      expect(refusal).toMatchObject({ status: 409, reason: "CustomObjectsExist", apiMessage });
  });

  test("is refused while the definition or its objects may not be read", async () => {
    expect((await removing(FORBIDDEN)).refusal).toBe(FORBIDDEN);
    expect((await removing(definition(), FORBIDDEN)).refusal).toBe(FORBIDDEN);
  });

  test.each<[string, unknown]>([
    ["no group", { ...served, group: undefined }],
    ["no kind", { ...served, names: { plural: "widgets" } }],
    ["no versions", { ...served, versions: undefined }],
    ["a version that is not marked as served", { ...served, versions: [{ name: "v1" }] }],
    ["a served version without a name", { ...served, versions: [{ served: true }] }],
  ])("is refused without a list for an established definition with %s", async (_, spec) => {
    const { client, refusal } = await removing(definition(spec), [widget({ name: "a" })]);
    expect(client.lines).toEqual(["get customresourcedefinitions"]);
    expect(refusal).toMatchObject({ reason: "CustomObjectsExist" });
    expect((await removing(definition(spec, "False"))).refusal).toBeUndefined();
  });
});

test.each<[string, { agreed?: true }, KubeObject[], string | undefined]>([
  ["is refused while objects exist", {}, [widget({ name: "one" })], "CustomObjectsExist"],
  ["is allowed when a person agreed", { agreed: true }, [widget({ name: "one" })], undefined],
  ["is allowed without objects", {}, [], undefined],
])("a rehearsed removal %s", async (_, agreed, objects, want) => {
  const { client } = memberWith(definition(), objects);
  const { signal } = new AbortController();
  const result = await rehearseRemoval({ client, signal }, CRDS, deleteRow({ ref: REF, ...agreed }));
  expect(result?.kind === "Refused" ? result.reason : undefined).toBe(want);
});
