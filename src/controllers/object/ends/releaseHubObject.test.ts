import { expect, test } from "vitest";
import { FIRST_RECORD_ANNOTATION, type KubeObject, type ObjectMeta, OBJECT_FINALIZER } from "../../../apis/index.ts";
import { ScriptedClient } from "../../../clusters/testing/scriptedClient.ts";
import type { Target } from "../../../desiredstate/index.ts";
import type { PlacedKind } from "../../../hub/index.ts";
import { ApiError, CONFIGMAPS } from "../../../runtime/index.ts";
import type { ControllerClasses } from "../../facts/controllerClasses.ts";
import { isOver, releaseHubObject } from "./releaseHubObject.ts";

const { signal } = new AbortController();
const RECORD = { [FIRST_RECORD_ANNOTATION]: '{"clusters":[]}' };

test.each<{ name: string; change?: object; propagated?: boolean; open?: string[]; want: boolean }>([
  { name: "a propagated object that no policy selects and that is nowhere", want: true },
  { name: "a rendered object", propagated: false, want: false },
  {
    name: "an object that a policy selects",
    change: { placement: { kind: "ClusterPlacement", name: "all" } },
    want: false,
  },
  { name: "an object that must run somewhere", change: { clusters: [{ name: "a" }] }, want: false },
  { name: "an object with possible leftovers", open: ["a"], want: false },
])("$name is released: $want", ({ change, propagated = true, open = [], want }) => {
  const target = { placement: undefined, clusters: [], ...change } as unknown as Target;
  expect(isOver({ propagated } as PlacedKind, target, { open: new Set(open), rows: [] })).toBe(want);
});

/** Releases an object with this metadata. */
async function releasing(metadata: Partial<ObjectMeta>, answer?: Error) {
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "shop", uid: "u", ...metadata },
  };
  const client = new ScriptedClient(
    () => answer ?? { ...object, metadata: { ...object.metadata, resourceVersion: "2" } },
  );
  const did: string[] = [];
  const informer = { observe: ({ metadata: seen }: KubeObject) => void did.push(`observe ${seen.resourceVersion}`) };
  const kind = { type: CONFIGMAPS, informer } as unknown as PlacedKind;
  const store = { unbind: async (found: object) => (expect(found).toEqual({ object, kind }), void did.push("unbind")) };
  const classes = { classes: new Set(["default"]) } as unknown as ControllerClasses;
  const isDone = await releaseHubObject({ client: client.client, store, classes }, object, kind, signal);
  // The first three operations test that the object has not changed.
  return { isDone, did, patches: client.calls.map(({ body }) => (body as object[]).slice(3)) };
}

const path = "/metadata/finalizers";
const entry = `/metadata/annotations/${FIRST_RECORD_ANNOTATION.replaceAll("/", "~1")}`;
const withoutRecord = [
  { op: "test", path: entry, value: RECORD[FIRST_RECORD_ANNOTATION] },
  { op: "remove", path: entry },
];
const OTHERS = ["theirs", `${OBJECT_FINALIZER}.canary`];

test.each<[string, Partial<ObjectMeta>, object[] | undefined]>([
  [
    "its own finalizer alone",
    { finalizers: ["theirs", OBJECT_FINALIZER, ...OTHERS.slice(1)] },
    [{ op: "add", path, value: OTHERS }],
  ],
  [
    "the finalizer and the first record",
    { finalizers: [OBJECT_FINALIZER], annotations: { ...RECORD, note: "x" } },
    [{ op: "remove", path }, ...withoutRecord],
  ],
  ["nothing where there is neither", { finalizers: ["theirs"], annotations: { note: "x" } }, undefined],
])("the release removes %s, and the binding", async (_, metadata, patch) => {
  const { isDone, did, patches } = await releasing(metadata);
  expect([isDone, patches]).toEqual([true, patch === undefined ? [] : [patch]]);
  expect(did).toEqual([...(patch === undefined ? [] : ["observe 2"]), "unbind"]);
});

test("the release keeps the binding of an object that has changed meanwhile", async () => {
  const changed = new ApiError(422, "Invalid", "a test failed");
  expect(await releasing({ finalizers: [OBJECT_FINALIZER] }, changed)).toMatchObject({ isDone: false, did: [] });
});
