import { describe, expect, test } from "vitest";
import type { KubeObject, Resource } from "../types.ts";
import { admission, configMap, failureOf, hooks, raw, resource, useHookServer } from "./testing/admissions.ts";
import { type Reply } from "./testing/hookServer.ts";

useHookServer();

describe("conversion", () => {
  const gadget = (name: string, apiVersion = "example.com/v1"): KubeObject => ({
    apiVersion,
    kind: "Gadget",
    metadata: { name, uid: name, generation: 3 },
    spec: { a: 1 },
  });
  const gadgets = (): Resource => ({
    ...resource("example.com", "gadgets", "Gadget", ["v1", "v1beta1"]),
    crd: {
      ...configMap(),
      kind: "CustomResourceDefinition",
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { url: hooks.url("/convert"), caBundle: hooks.caBundle },
            conversionReviewVersions: ["v1"],
          },
        },
      },
    },
  });
  const converted =
    (change: (object: KubeObject) => KubeObject, more: Record<string, unknown> = {}): Reply =>
    ({ body }) => {
      const { uid, objects, desiredAPIVersion } = body.request as unknown as {
        uid: string;
        objects: KubeObject[];
        desiredAPIVersion: string;
      };
      const convertedObjects = objects.map((object) => change({ ...object, apiVersion: desiredAPIVersion }));
      return {
        apiVersion: body.apiVersion,
        kind: body.kind,
        response: { uid, convertedObjects, result: { status: "Success" }, ...more },
      };
    };
  const convert = (...objects: KubeObject[]) => admission().convertObjects(gadgets(), objects, "v1beta1");

  test("asks once for all that need it, and keeps the order", async () => {
    hooks.reply(
      "/convert",
      converted((object) => ({ ...object, spec: { b: 2 } })),
    );
    const done = await convert(gadget("a"), gadget("b", "example.com/v1beta1"), gadget("c"));
    expect(done.map(({ metadata, apiVersion, spec }) => [metadata.name, apiVersion, spec])).toEqual([
      ["a", "example.com/v1beta1", { b: 2 }],
      ["b", "example.com/v1beta1", { a: 1 }],
      ["c", "example.com/v1beta1", { b: 2 }],
    ]);
    expect(hooks.received).toHaveLength(1);
    expect(hooks.received[0]).toMatchObject({
      path: "/convert?timeout=30s",
      body: {
        kind: "ConversionReview",
        apiVersion: "apiextensions.k8s.io/v1",
        request: { uid: "uid-1", desiredAPIVersion: "example.com/v1beta1", objects: [gadget("a"), gadget("c")] },
      },
    });
  });

  test("may change labels and annotations, and nothing else of the metadata", async () => {
    const metadata = {
      name: "a",
      uid: "a",
      generation: 9,
      finalizers: ["x/y"],
      labels: { l: "1" },
      annotations: { n: "2" },
    };
    hooks.reply(
      "/convert",
      converted((object) => ({ ...object, metadata })),
    );
    const [done] = await convert(gadget("a"));
    expect(done?.metadata).toEqual({ name: "a", uid: "a", generation: 3, labels: { l: "1" }, annotations: { n: "2" } });
  });

  const answered = (more: Record<string, unknown>) => converted((object) => object, more);
  const invalid = "returned invalid object";

  test.each<[name: string, reply: Reply, why: string]>([
    ["says so", answered({ result: { status: "Failure", message: "cannot do it" } }), "failed: cannot do it"],
    [
      "says so without a word",
      answered({ result: { status: "Failure" } }),
      "failed: response.result.status was 'Failure', not 'Success'",
    ],
    ["says nothing", answered({ result: {} }), "failed: response.result.status was '', not 'Success'"],
    ["answers another", answered({ uid: "x" }), 'failed: expected response.uid="uid-1", got "x"'],
    ["loses objects", answered({ convertedObjects: [] }), "returned 0 objects, expected 1"],
    [
      "keeps the version",
      converted(() => gadget("a")),
      `${invalid} at index 0: invalid groupVersion (expected example.com/v1beta1, received example.com/v1)`,
    ],
    [
      "changes the kind",
      converted((o) => ({ ...o, kind: "X" })),
      `${invalid} at index 0: invalid kind (expected Gadget, received X)`,
    ],
    [
      "changes the name",
      converted((o) => ({ ...o, metadata: { ...o.metadata, name: "zz" } })),
      `${invalid}: must have the same name: a != zz`,
    ],
    ["gives no response", ({ body: { kind } }) => ({ kind }), "failed: no response provided"],
    ["fails", raw(500, "boom"), "failed: the server answered 500: boom"],
  ])("fails when the webhook %s", async (_, reply, why) => {
    hooks.reply("/convert", reply);
    expect(await failureOf(convert(gadget("a")))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `conversion webhook for example.com/v1, Kind=Gadget ${why}`,
      code: 500,
    });
  });

  test("fails when labels come back that may not be", async () => {
    hooks.reply(
      "/convert",
      converted((o) => ({ ...o, metadata: { ...o.metadata, labels: { a: "!!" } } })),
    );
    expect((await failureOf(convert(gadget("a")))).message).toContain(
      'conversion webhook for example.com/v1, Kind=Gadget returned invalid metadata: metadata.labels: Invalid value: "!!": ',
    );
  });
});
