import { describe, expect, test } from "vitest";
import { applicationObject, clusterObject, placementObject } from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import { requestOf } from "../testing/facts.ts";
import { defaultsOf } from "./defaults.ts";

describe("defaulting", () => {
  const DEFAULT = new Set(["default"]);
  const finalizers = (object: KubeObject, classes = DEFAULT) =>
    defaultsOf(requestOf("CREATE", object), classes).map(({ value }) => value);

  test("sets the manager's finalizer at creation, beside those that are there", () => {
    expect(finalizers(applicationObject({}))).toEqual([["federation.paas.cmft.com/member-objects"]]);
    expect(finalizers(clusterObject({}))).toEqual([["federation.paas.cmft.com/member-cluster"]]);
    const mine = { ...applicationObject({}), metadata: { name: "a", finalizers: ["a/b"] } };
    expect(finalizers(mine)).toEqual([["a/b", "federation.paas.cmft.com/member-objects"]]);
  });

  test("of several releases is done by the one that serves the object's class, and by no other", () => {
    const ofV2 = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, labels: { "federation.paas.cmft.com/controller-class": "v2" } },
    });
    expect(finalizers(ofV2(applicationObject({})))).toEqual([]);
    expect(finalizers(ofV2(applicationObject({})), new Set(["v2"]))).toEqual([
      ["federation.paas.cmft.com/member-objects.v2"],
    ]);
    expect(finalizers(ofV2(clusterObject({})), new Set(["v2"]))).toEqual([
      ["federation.paas.cmft.com/member-cluster.v2"],
    ]);
    expect(finalizers(applicationObject({}), new Set(["v2"]))).toEqual([]);
  });

  test("leaves alone what has it, what is no creation and what has no finalizer", () => {
    const done = {
      ...applicationObject({}),
      metadata: { name: "a", finalizers: ["federation.paas.cmft.com/member-objects"] },
    };
    expect(finalizers(done)).toEqual([]);
    expect(finalizers(placementObject({}))).toEqual([]);
    expect(defaultsOf(requestOf("UPDATE", applicationObject({})), DEFAULT)).toEqual([]);
    expect(defaultsOf({ ...requestOf("CREATE", applicationObject({})), subResource: "status" }, DEFAULT)).toEqual([]);
  });
});
