import { describe, expect, test } from "vitest";
import { FIRST_RECORD_ANNOTATION, type KubeObject, type ObjectMeta, OBJECT_FINALIZER } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { ApiError, type Client, CONFIGMAPS } from "../../runtime/index.ts";
import type { ControllerClasses } from "../facts/controllerClasses.ts";
import { isOver, releaseHubObject } from "./releaseHubObject.ts";

const { signal } = new AbortController();
const RECORD = { [FIRST_RECORD_ANNOTATION]: '{"clusters":[]}' };

describe("a propagated object is none of ours any more", () => {
  const target = { placement: undefined, clusters: [] } as unknown as Target;
  const placed = { ...target, placement: { kind: "ClusterPlacement", name: "all" } } as unknown as Target;
  const running = { ...target, clusters: [{ name: "a" }] } as unknown as Target;

  test.each([
    { name: "when no policy selects it, and nothing is left", kind: true, target, open: [], want: true },
    { name: "not when it is one that is rendered", kind: false, target, open: [], want: false },
    { name: "not while a policy selects it", kind: true, target: placed, open: [], want: false },
    { name: "not while it is to be somewhere", kind: true, target: running, open: [], want: false },
    { name: "not while something may be left", kind: true, target, open: ["a"], want: false },
  ])("$name", ({ kind: propagated, target: given, open, want }) => {
    expect(isOver({ propagated } as PlacedKind, given, { open: new Set(open), rows: [] })).toBe(want);
  });
});

describe("who lets go of an object", () => {
  /** What is done about an object with this metadata; `failure`: what the hub answers to the patch. */
  async function lettingGo(metadata: Partial<ObjectMeta>, failure?: Error) {
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "shop", uid: "u", ...metadata },
    };
    const patched: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion: "2" } };
    const did: unknown[] = [];
    const client = {
      patch: async (...[, namespace, name, , operations]: unknown[]) => {
        if (failure !== undefined) throw failure;
        did.push(["patch", namespace, name, (operations as object[]).slice(3)]);
        return patched;
      },
    } as unknown as Client;
    const kind = {
      type: CONFIGMAPS,
      informer: { observe: (one: KubeObject) => void did.push(["observe", one.metadata.resourceVersion]) },
    } as unknown as PlacedKind;
    const store = {
      unbind: async (found: { object: KubeObject; kind: unknown }) => {
        expect(found).toEqual({ object, kind });
        did.push("unbind");
      },
    };
    const classes = { classes: new Set(["default"]) } as unknown as ControllerClasses;
    return { isDone: await releaseHubObject({ client, store, classes }, object, kind, signal), did };
  }
  const path = "/metadata/finalizers";
  const entry = `/metadata/annotations/${FIRST_RECORD_ANNOTATION.replaceAll("/", "~1")}`;
  const withoutRecord = [
    { op: "test", path: entry, value: RECORD[FIRST_RECORD_ANNOTATION] },
    { op: "remove", path: entry },
  ];

  test.each<{ name: string; metadata: Partial<ObjectMeta>; patch: object[] | undefined }>([
    {
      name: "takes the finalizer off, and leaves those of others",
      metadata: { finalizers: ["theirs", OBJECT_FINALIZER, `${OBJECT_FINALIZER}.canary`] },
      patch: [{ op: "add", path, value: ["theirs", `${OBJECT_FINALIZER}.canary`] }],
    },
    {
      name: "takes the first record off with it",
      metadata: { finalizers: [OBJECT_FINALIZER], annotations: { ...RECORD, note: "x" } },
      patch: [{ op: "remove", path }, ...withoutRecord],
    },
    {
      name: "takes a record off that is there alone",
      metadata: { finalizers: ["theirs"], annotations: RECORD },
      patch: [{ op: "add", path, value: ["theirs"] }, ...withoutRecord],
    },
    {
      name: "writes nothing onto an object that has neither",
      metadata: { finalizers: ["theirs"], annotations: { note: "x" } },
      patch: undefined,
    },
    { name: "writes nothing onto an object without any finalizer", metadata: {}, patch: undefined },
  ])("$name, and removes the binding", async ({ metadata, patch }) => {
    const { isDone, did } = await lettingGo(metadata);
    const written =
      patch === undefined
        ? []
        : [
            ["patch", "shop", "settings", patch],
            ["observe", "2"],
          ];
    expect([isDone, did]).toEqual([true, [...written, "unbind"]]);
  });

  test("leaves the binding of an object that has changed meanwhile", async () => {
    const changed = new ApiError(422, "Invalid", "a test failed");
    expect(await lettingGo({ finalizers: [OBJECT_FINALIZER] }, changed)).toEqual({ isDone: false, did: [] });
  });
});
