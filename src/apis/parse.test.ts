import { describe, expect, test } from "vitest";
import { BAD_OBJECTS } from "../../test/builders/badObjects.ts";
import { GOOD_OBJECTS } from "../../test/builders/goodObjects.ts";
import { applicationObject, clusterObject, patchObject, placementObject } from "../../test/builders/policyObjects.ts";
import type { KubeObject } from "./meta.ts";
import { kindOf, parseObject } from "./parse.ts";

/** As it comes over the wire: what is undefined is not there. */
const sent = (object: KubeObject) => JSON.parse(JSON.stringify(object)) as KubeObject;

describe("parseObject", () => {
  test.each([...GOOD_OBJECTS])("accepts $name", ({ object }) => {
    expect(parseObject(sent(object))).toMatchObject({ ok: true, object });
  });

  test.each([...BAD_OBJECTS])("refuses $name, and names the field", ({ object, field }) => {
    const result = parseObject(sent(object));
    expect(result.ok).toBe(false);
    const problems = result.ok ? [] : result.problems;
    expect(problems.map((problem) => problem.field)).toContain(field);
    expect(problems.every(({ message }) => message.length > 3)).toBe(true);
  });

  test("has at least 40 bad objects to refuse, each with a name of its own", () => {
    expect(new Set(BAD_OBJECTS.map(({ name }) => name)).size).toBe(BAD_OBJECTS.length);
    expect(BAD_OBJECTS.length).toBeGreaterThanOrEqual(40);
  });

  test.each<{ name: string; object: KubeObject; want: Record<string, unknown> }>([
    {
      name: "a DemoApplication",
      object: applicationObject({ ports: [{ port: 80 }] }),
      want: { replica: 1, ports: [{ port: 80, protocol: "TCP" }] },
    },
    {
      name: "a MemberCluster",
      object: clusterObject({ connection: { kubeconfigSecretRef: { name: "a" } } }),
      want: { connection: { kubeconfigSecretRef: { key: "kubeconfig" } } },
    },
    {
      name: "a Placement",
      object: placementObject({}),
      want: {
        priority: 0,
        replicaScheduling: { mode: "Duplicated" },
        dependencies: { mode: "Auto" },
        conflictResolution: "Abort",
        deletionPolicy: "Delete",
        suspend: false,
      },
    },
  ])("fills in the defaults of $name, and leaves the given object alone", ({ object, want }) => {
    const before = structuredClone(object);
    expect(parseObject(object)).toMatchObject({ ok: true, object: { spec: want } });
    expect(object).toEqual(before);
  });

  test("leaves objects of other kinds as they are", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } };
    expect(parseObject(object)).toEqual({ ok: true, object });
  });

  test("leaves a kind of Meridian's in a version that there is not, and another group's kind of the same name", () => {
    for (const apiVersion of ["paas.cmft.com/v9", "example.com/v1", "federation.paas.cmft.com/v1alpha1"]) {
      const object = { ...applicationObject({ replica: -1 }), apiVersion };
      expect(kindOf(object)).toBeUndefined();
      expect(parseObject(object)).toEqual({ ok: true, object });
    }
    expect(kindOf(applicationObject({}))).toMatchObject({ kind: { kind: "DemoApplication" }, version: { name: "v1" } });
  });

  test("finds what is no field, however deep, and beside the spec", () => {
    const problems = (object: KubeObject) => {
      const result = parseObject(object);
      return result.ok ? [] : result.problems;
    };
    const message = "is not a field of this kind";
    const env = [{ name: "A", value: "1", x: 1 }];
    expect(problems(applicationObject({ image: "nginx", replicas: 2, env }))).toEqual([
      { field: "spec.replicas", message },
      { field: "spec.env[0].x", message },
    ]);
    expect(problems({ ...applicationObject({ image: "nginx" }), data: {} })).toEqual([{ field: "data", message }]);
    expect(problems({ ...applicationObject({ image: "nginx" }), status: {} })).toEqual([]);
  });

  test("names every problem of an object", () => {
    const result = parseObject(applicationObject({ replica: -1, ports: [{ port: 0 }] }));
    expect(result).toMatchObject({ ok: false, problems: [{ field: "spec.replica" }, { field: "spec.ports[0].port" }] });
  });

  test("takes whatever value a patch has, and finds no unknown fields inside it", () => {
    expect(parseObject(patchObject({ op: "add", path: "/a", value: { deep: [{ er: 1 }] } })).ok).toBe(true);
  });
});
