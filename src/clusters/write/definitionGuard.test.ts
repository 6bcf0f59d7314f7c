import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, type CallOptions, CRDS, type ObjectList, type ResourceType } from "../../runtime/index.ts";
import { refuseWhileInUse } from "./definitionGuard.ts";
import { rehearseRemoval } from "./rehearsal.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const NAME = "widgets.example.com";
const REF = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: NAME };
const NOT_FOUND = new ApiError(404, "NotFound", "not found");

interface Spec {
  group?: unknown;
  scope?: unknown;
  names?: unknown;
  versions?: unknown;
}

const served: Spec = {
  group: "example.com",
  scope: "Namespaced",
  names: { plural: "widgets", kind: "Widget", singular: "widget" },
  versions: [
    { name: "v1alpha1", served: false },
    { name: "v1", served: true },
    { name: "v2", served: true },
  ],
};

/** A definition that was established once, unless told, so that there may be objects of it. */
function definition(spec: unknown = served, established: unknown = "True"): KubeObject {
  const status = { conditions: [undefined, { type: "Established", status: established }] };
  return { apiVersion: REF.apiVersion, kind: REF.kind, metadata: { name: NAME }, spec, status };
}

const widget = (metadata: KubeObject["metadata"]): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata,
});

/** Keeps of which kinds a list was asked for. */
class ListingClient extends ScriptedClient {
  readonly listed: ResourceType[] = [];

  override list(type: ResourceType, options?: CallOptions): Promise<ObjectList> {
    this.listed.push(type);
    return super.list(type, options);
  }
}

/** What comes of the removal of that definition from a member with these objects of it. */
async function removing(definedBy: KubeObject | Error, objects: KubeObject[] | Error = []) {
  const answer: Answer = ({ verb }) =>
    verb === "get" ? definedBy : objects instanceof Error ? objects : { items: objects };
  const client = new ListingClient(answer);
  const { signal } = new AbortController();
  let refusal: unknown;
  try {
    await refuseWhileInUse(client.client, CRDS, REF, signal);
  } catch (error) {
    refusal = error;
  }
  return { client, refusal, signal };
}

describe("a definition", () => {
  test("may go when there is no object of it, which one short question tells", async () => {
    const { client, refusal, signal } = await removing(definition());
    expect(refusal).toBeUndefined();
    expect(client.calls).toEqual([
      { verb: "get", what: "customresourcedefinitions", namespace: undefined, name: NAME, options: {} },
      { verb: "list", what: "widgets", options: { metadataOnly: true, limit: 1 } },
    ]);
    expect(client.signals).toEqual([signal, signal]);
  });

  test.each([
    { name: "an object with a namespace", metadata: { name: "a", namespace: "shop" }, one: "shop/a" },
    { name: "an object without one", metadata: { name: "a" }, one: "a" },
  ])("stays while there is $name, and the refusal names it", async ({ metadata, one }) => {
    const { refusal } = await removing(definition(), [widget(metadata)]);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({
      status: 409,
      reason: "CustomObjectsExist",
      apiMessage: `Widget ${one} would be deleted with it; delete it first, or annotate the owner: allow-crd-removal=${NAME}`,
    });
  });

  test.each([
    { name: "it is gone", definedBy: NOT_FOUND },
    { name: "it was never established", definedBy: definition(served, "False"), objects: NOT_FOUND },
    { name: "nothing says that it was", definedBy: { ...definition(), status: "text" }, objects: NOT_FOUND },
    { name: "it has no status", definedBy: { ...definition(), status: undefined }, objects: NOT_FOUND },
  ])("may go when $name", async ({ definedBy, objects }) => {
    expect((await removing(definedBy, objects)).refusal).toBeUndefined();
  });

  // The objects are in the member's store all the same, and the server deletes them along with the definition.
  test.each([
    { name: "no version of it is served", spec: { ...served, versions: [{ name: "v1", served: false }] }, objects: [] },
    { name: "the version that it names is not served any more", spec: served, objects: NOT_FOUND },
  ])("stays while $name: nobody can say that there is no object of it", async ({ spec, objects }) => {
    expect((await removing(definition(spec), objects)).refusal).toMatchObject({
      status: 409,
      reason: "CustomObjectsExist",
      apiMessage: expect.stringMatching(
        /^whether objects of widgets\.example\.com exist .* allow-crd-removal=/,
      ) as string,
    });
  });

  const forbidden = new ApiError(403, "Forbidden", "no");
  test.each([
    { name: "it", definedBy: forbidden },
    { name: "its objects", definedBy: definition(), objects: forbidden },
  ])("stays while nobody may read $name", async ({ definedBy, objects }) => {
    expect((await removing(definedBy, objects)).refusal).toBe(forbidden);
  });

  test.each<{ name: string; spec: unknown }>([
    { name: "no spec", spec: null },
    { name: "a spec of another type", spec: "text" },
    { name: "no group", spec: { ...served, group: undefined } },
    { name: "a group of another type", spec: { ...served, group: 5 } },
    { name: "no names", spec: { ...served, names: undefined } },
    { name: "no plural", spec: { ...served, names: { kind: "Widget" } } },
    { name: "no kind", spec: { ...served, names: { plural: "widgets" } } },
    { name: "no versions", spec: { ...served, versions: undefined } },
    { name: "versions of another type", spec: { ...served, versions: { name: "v1", served: true } } },
    { name: "a version that does not say whether it is served", spec: { ...served, versions: [{ name: "v1" }] } },
    { name: "a served version without a name", spec: { ...served, versions: [{ served: true }] } },
  ])("with $name says nothing of its objects, and stays if it was ever established", async ({ spec }) => {
    const { client, refusal } = await removing(definition(spec), [widget({ name: "a" })]);
    expect(client.lines).toEqual(["get customresourcedefinitions"]);
    expect(refusal).toMatchObject({ reason: "CustomObjectsExist" });
    expect((await removing(definition(spec, "False"))).refusal).toBeUndefined();
  });

  test("is asked about by its first served version, whatever else stands among the versions", async () => {
    const versions = [undefined, "v0", ...(served.versions as object[])];
    const { client } = await removing(definition({ ...served, versions }));
    expect(client.listed).toEqual([
      { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true },
    ]);
  });

  test.each([
    { scope: "Cluster", namespaced: false },
    { scope: "Namespaced", namespaced: true },
    { scope: undefined, namespaced: true },
  ])("of scope $scope has objects in namespaces: $namespaced", async ({ scope, namespaced }) => {
    const { client } = await removing(definition({ ...served, scope }));
    expect(client.listed).toMatchObject([{ namespaced }]);
  });
});

test.each<{ name: string; agreed?: true; objects: KubeObject[]; want: string | undefined }>([
  { name: "says that objects would go with it", objects: [widget({ name: "one" })], want: "CustomObjectsExist" },
  { name: "says nothing where a person has agreed", agreed: true, objects: [widget({ name: "one" })], want: undefined },
  { name: "says nothing where there are none", objects: [], want: undefined },
])("a rehearsed removal of a definition $name", async ({ agreed, objects, want }) => {
  const { client } = new ScriptedClient(({ verb }) => (verb === "get" ? definition() : { items: objects }));
  const { signal } = new AbortController();
  const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "x" };
  const why = { reason: "NotSelected", message: "" };
  const row = { verb: "Delete", cluster: "c", ref: REF, owner, role: "rendered", uid: "u", why } as const;
  const said = await rehearseRemoval({ client, signal }, CRDS, { ...row, ...(agreed === undefined ? {} : { agreed }) });
  expect(said?.kind === "Refused" ? said.reason : undefined).toBe(want);
});
